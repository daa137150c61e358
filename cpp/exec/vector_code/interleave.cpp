#include "exec/vector_code/interleave.h"

#include <algorithm>

namespace tracefn::vector_code {
namespace {

// Cycles until a result can be used. Of Golden Cove and Zen 4, which differ little in this.
std::uint32_t latency(Op op) {
  switch (op) {
    case Op::kSource:
    case Op::kConstant:
    case Op::kMaskSource:
    case Op::kMaskConstant:
      return 0;
    case Op::kDiv:
    case Op::kSqrt:
      return 18;
    case Op::kRoundDown:
    case Op::kRoundUp:
    case Op::kRoundToEven:
      return 8;
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kAddBits:
    case Op::kSubBits:
    case Op::kShiftLeft:
    case Op::kShiftRight:
    case Op::kSelect:
    case Op::kMaskAnd:
    case Op::kMaskOr:
    case Op::kMaskXor:
    case Op::kMaskNot:
      return 1;
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kEqual:
    case Op::kNotEqual:
    case Op::kSignBit:
      return 3;
    default:
      return 4;
  }
}

// Two instructions a cycle is the most there is, and so many are looked at while the first one waits.
constexpr std::uint32_t kPerCycle = 2;
constexpr std::uint32_t kAhead = 150;
constexpr int kMostVectors = 4;
// What the processor keeps decoded.
constexpr std::size_t kMostCopies = 2000;

}  // namespace

bool is_uniform(const Instruction& made, std::uint64_t scalars) {
  if (made.op == Op::kConstant || made.op == Op::kMaskConstant) return true;
  const bool is_source = made.op == Op::kSource || made.op == Op::kMaskSource;
  return is_source && made.bits < 64 && (scalars >> made.bits & 1);
}

Interleaved interleave(const Program& program, std::uint64_t scalars, int num_vectors) {
  const std::vector<Instruction>& instructions = program.instructions();
  Interleaved result;
  result.instructions.reserve(instructions.size() * static_cast<std::size_t>(num_vectors));
  result.vectors.reserve(result.instructions.capacity());
  struct Copies {
    Id first;
    Id step;  // 0 where there is one
  };
  std::vector<Copies> copies(instructions.size());
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const Instruction& made = instructions[i];
    const int num = num_inputs(made.op);
    bool is_one = num == 0 ? is_uniform(made, scalars) : !is_effect(made.op);
    for (int k = 0; k < num; ++k) is_one = is_one && copies[made.in[k]].step == 0;
    copies[i] = {static_cast<Id>(result.instructions.size()), is_one ? 0U : 1U};
    for (int v = 0; v < (is_one ? 1 : num_vectors); ++v) {
      Instruction& copy = result.instructions.emplace_back(made);
      for (int k = 0; k < num; ++k) {
        const Copies& in = copies[made.in[k]];
        copy.in[k] = in.first + in.step * static_cast<Id>(v);
      }
      result.vectors.push_back(static_cast<std::uint8_t>(v));
    }
  }
  return result;
}

int num_vectors_worth(const Program& program) {
  const std::vector<Instruction>& instructions = program.instructions();
  std::vector<std::uint32_t> ready(instructions.size());
  std::uint32_t last = 0, busy = 0;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const Instruction& made = instructions[i];
    for (int k = 0; k < num_inputs(made.op); ++k) ready[i] = std::max(ready[i], ready[made.in[k]]);
    if (is_effect(made.op)) continue;
    ready[i] += latency(made.op);
    last = std::max(last, ready[i]);
    busy += num_inputs(made.op) > 0;
  }
  int worth = 1;
  if (last * kPerCycle < kAhead) return worth;
  while (worth < kMostVectors && static_cast<std::uint32_t>(worth) * busy < last * kPerCycle &&
         2 * static_cast<std::size_t>(worth) * instructions.size() <= kMostCopies)
    worth *= 2;
  return worth;
}

}  // namespace tracefn::vector_code
