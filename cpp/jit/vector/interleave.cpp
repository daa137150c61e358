#include "jit/vector/interleave.h"

#include <algorithm>

#include "jit/vector/skips.h"

namespace tracefn::vector_code {
namespace {

// Latency in cycles. Of Golden Cove and Zen 4, which differ little in this.
std::uint32_t latency(LaneOp op) {
  if (num_inputs(op) == 0) return 0;
  switch (op) {
    case LaneOp::kDiv:
    case LaneOp::kSqrt:
      return 18;
    case LaneOp::kRoundDown:
    case LaneOp::kRoundUp:
    case LaneOp::kRoundToEven:
      return 8;
    case LaneOp::kAnd:
    case LaneOp::kOr:
    case LaneOp::kXor:
    case LaneOp::kChooseBits:
    case LaneOp::kAddBits:
    case LaneOp::kSubBits:
    case LaneOp::kMinBits:
    case LaneOp::kShiftLeft:
    case LaneOp::kShiftRight:
    case LaneOp::kSelect:
    case LaneOp::kMaskAnd:
    case LaneOp::kMaskOr:
    case LaneOp::kMaskXor:
    case LaneOp::kMaskNot:
      return 1;
    case LaneOp::kLess:
    case LaneOp::kLessEqual:
    case LaneOp::kEqual:
    case LaneOp::kNotEqual:
    case LaneOp::kMoreBits:
    case LaneOp::kEqualBits:
    case LaneOp::kSignBit:
      return 3;
    default:
      return 4;
  }
}

// A rough model of a processor with two units for whole vectors. Its constants are fitted to measured loops on a Golden
// Cove (exponentials, hyperbolic and circular functions, and fusion groups of them).
constexpr double kPerCycle = 2;
constexpr double kAhead = 130;             // the out-of-order window, in instructions
constexpr double kOverlap = 0.25;          // how much of the lesser of throughput and latency adds to the other
constexpr double kSpill = 1.5;             // instructions per spilled value
constexpr double kWorthTheCode = 0.93;     // of the cycles remain
constexpr std::size_t kMostCopies = 2000;  // the capacity of the decoded-instruction cache

struct Cost {
  double count = 0;   // instructions
  double divide = 0;  // cycles of the only divider
  double chain = 0;   // cycles with unlimited units
};

Cost cost_of(const Interleaved& single, const VectorTarget& target) {
  const std::vector<LaneInstruction>& instructions = single.instructions;
  Cost cost;
  std::vector<std::uint32_t> ready(instructions.size());
  for (std::size_t i = single.num_uniform; i < instructions.size(); ++i) {
    const LaneInstruction& made = instructions[i];
    if (is_jump(made.op)) continue;
    if (is_effect(made.op)) break;
    for (int k = 0; k < num_inputs(made.op); ++k) ready[i] = std::max(ready[i], ready[made.in[k]]);
    ready[i] += latency(made.op);
    cost.chain = std::max(cost.chain, static_cast<double>(ready[i]));
    if (num_inputs(made.op) == 0) continue;
    ++cost.count;
    if (made.op == LaneOp::kDiv || made.op == LaneOp::kSqrt) cost.divide += target.division_cycles;
  }
  return cost;
}

bool is_uniform_source(const LaneInstruction& made, std::uint64_t scalars) {
  if (made.op == LaneOp::kConstant || made.op == LaneOp::kMaskConstant) return true;
  const bool is_source = made.op == LaneOp::kSource || made.op == LaneOp::kMaskSource;
  return is_source && made.bits < 64 && (scalars >> made.bits & 1);
}

}  // namespace

Interleaved interleave(const LaneProgram& program, std::uint64_t scalars, int num_vectors) {
  const std::vector<LaneInstruction>& instructions = program.instructions();
  Interleaved result;
  result.instructions.reserve(instructions.size() * static_cast<std::size_t>(num_vectors));
  result.vectors.reserve(result.instructions.capacity());
  struct Copies {
    Id first = 0;
    bool is_one = false;
  };
  std::vector<Copies> copies(instructions.size());
  const auto add = [&](const LaneInstruction& made, int vector) {
    result.instructions.push_back(made);
    result.vectors.push_back(static_cast<std::uint8_t>(vector));
    return static_cast<Id>(result.instructions.size() - 1);
  };
  const auto copy_of = [&](Id value, int vector) {
    return copies[value].first + (copies[value].is_one ? 0 : static_cast<Id>(vector));
  };
  const auto write = [&](Id i, int num) {
    const LaneInstruction& made = instructions[i];
    copies[i].first = static_cast<Id>(result.instructions.size());
    for (int v = 0; v < num; ++v) {
      LaneInstruction copy = made;
      for (int k = 0; k < num_inputs(made.op); ++k) copy.in[k] = copy_of(made.in[k], v);
      add(copy, v);
    }
  };
  std::vector<char> is_uniform(instructions.size());
  for (Id i = 0; i < instructions.size(); ++i) {
    const LaneInstruction& made = instructions[i];
    const int num = num_inputs(made.op);
    copies[i].is_one = num == 0 ? is_uniform_source(made, scalars) : !is_effect(made.op);
    for (int k = 0; k < num; ++k) copies[i].is_one = copies[i].is_one && copies[made.in[k]].is_one;
    is_uniform[i] = copies[i].is_one;
    if (copies[i].is_one) write(i, 1);
  }
  result.num_uniform = static_cast<Id>(result.instructions.size());
  const std::vector<Skip> skips = find_skips(instructions, is_uniform, num_vectors);
  std::vector<char> is_later(instructions.size());
  for (const Skip& skip : skips)
    for (const Id part : skip.parts) is_later[part] = 1;
  // A side is skipped if no lane of all vectors takes it.
  const auto write_skip = [&](const Skip& skip) {
    const Id condition = instructions[skip.select].in[0];
    Id all = copy_of(condition, 0);
    for (int v = 1; v < num_vectors && !copies[condition].is_one; ++v)
      all = add({skip.side == 1 ? LaneOp::kMaskOr : LaneOp::kMaskAnd, {all, copy_of(condition, v)}}, 0);
    add({skip.side == 1 ? LaneOp::kSkipIfNone : LaneOp::kSkipIfAll, {all}}, 0);
    for (const Id part : skip.parts) write(part, num_vectors);
    add({LaneOp::kSkipEnd}, 0);
  };
  auto next = skips.begin();
  for (Id i = 0; i < instructions.size(); ++i) {
    if (copies[i].is_one || is_later[i]) continue;
    for (; next != skips.end() && next->select == i; ++next) write_skip(*next);
    write(i, num_vectors);
  }
  return result;
}

int num_vectors_worth(const Interleaved& single, const Alive& alive, const VectorTarget& target) {
  const Cost cost = cost_of(single, target);
  const auto cycles = [&](int num) {
    const auto missing = [&](std::uint32_t one, double registers) {
      return std::max(0.0, num * static_cast<double>(one) - registers) / num;
    };
    const double chains = num + kAhead / std::max(1.0, cost.count);
    const double spills = missing(alive.vectors, target.num_vectors - 3) + missing(alive.masks, target.num_masks);
    const double working = std::max((cost.count + kSpill * spills) / kPerCycle, cost.divide);
    const double waiting = cost.chain / chains;
    return std::max(working, waiting) + std::min(working, waiting) * kOverlap;
  };
  int best = 1;
  for (int num : {2, 4}) {
    if (static_cast<std::size_t>(num) * single.instructions.size() > kMostCopies) break;
    if (cycles(num) < cycles(best) * kWorthTheCode) best = num;
  }
  return best;
}

}  // namespace tracefn::vector_code
