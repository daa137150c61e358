// Instruction kinds, and the bytecode optimizer.
#include "exec/scalar_code.h"

#include <algorithm>

#include "ops/elementwise.kernels.h"

namespace tracefn::scalar {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;

int type_index(DType dtype) {
  switch (dtype) {
    case DType::kInt32:
      return 0;
    case DType::kInt64:
      return 1;
    case DType::kFloat:
      return 2;
    case DType::kDouble:
      return 3;
    default:
      return -1;
  }
}

Kind at(Kind first, int offset) { return static_cast<Kind>(static_cast<int>(first) + offset); }

bool is_move(Kind kind) { return kind >= Kind::kMove1 && kind <= Kind::kMove16; }

// Removes the marked instructions; jumps to one lead to its successor.
void drop(std::vector<Step>& steps, const std::vector<char>& dropped) {
  std::vector<std::uint32_t> moved(steps.size() + 1);
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    moved[i] = n;
    n += !dropped[i];
  }
  moved[steps.size()] = n;
  std::vector<Step> kept;
  kept.reserve(n);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (dropped[i]) continue;
    kept.push_back(steps[i]);
    if (jumps(kept.back().kind)) kept.back().target = moved[kept.back().target];
  }
  steps = std::move(kept);
}

// `x = a + b; ...; v = x` becomes `v = a + b` if x is not used afterwards, and v not in between.
void write_in_place(std::vector<Step>& steps, std::size_t num_slots) {
  std::vector<std::uint32_t> writes_of(num_slots, 0), reads_of(num_slots, 0), writer(num_slots, kNone);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (int k = 0; k < num_inputs(steps[i].kind); ++k) ++reads_of[steps[i].in[k]];
    if (!writes(steps[i].kind)) continue;
    ++writes_of[steps[i].out];
    writer[steps[i].out] = static_cast<std::uint32_t>(i);
  }
  const std::vector<char> is_target = targets(steps);
  std::vector<char> dropped(steps.size(), 0);
  for (std::size_t m = 0; m < steps.size(); ++m) {
    if (!is_move(steps[m].kind)) continue;
    const Slot from = steps[m].in[0], to = steps[m].out;
    const std::uint32_t made = writer[from];
    if (writes_of[from] != 1 || made == kNone || made >= m) continue;
    bool allowed = !is_target[m];
    std::uint32_t reads = 1;
    for (std::size_t i = made + 1; i < m && allowed; ++i) {
      allowed = !is_target[i] && !jumps(steps[i].kind) && !(writes(steps[i].kind) && steps[i].out == to);
      for (int k = 0; k < num_inputs(steps[i].kind); ++k) {
        allowed &= steps[i].in[k] != to;
        reads += steps[i].in[k] == from;
      }
    }
    if (!allowed || reads != reads_of[from] || jumps(steps[made].kind)) continue;
    steps[made].out = to;
    for (std::size_t i = made + 1; i < m; ++i)
      for (int k = 0; k < num_inputs(steps[i].kind); ++k)
        if (steps[i].in[k] == from) steps[i].in[k] = to;
    dropped[m] = 1;
    writer[to] = made;
  }
  drop(steps, dropped);
}

void join_comparisons(std::vector<Step>& steps, std::size_t num_slots) {
  std::vector<std::uint32_t> reads_of(num_slots, 0);
  for (const Step& step : steps)
    for (int k = 0; k < num_inputs(step.kind); ++k) ++reads_of[step.in[k]];
  const std::vector<char> is_target = targets(steps);
  std::vector<char> dropped(steps.size(), 0);
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    const Step& comparison = steps[i];
    Step& jump = steps[i + 1];
    if (!is_comparison(comparison.kind) || jump.kind != Kind::kJumpUnless || is_target[i + 1] ||
        jump.in[0] != comparison.out || reads_of[comparison.out] != 1)
      continue;
    jump.kind = at(kFirstJumpUnless, static_cast<int>(comparison.kind) - static_cast<int>(kFirstComparison));
    jump.in[0] = comparison.in[0];
    jump.in[1] = comparison.in[1];
    jump.node = comparison.node;
    dropped[i] = 1;
  }
  drop(steps, dropped);
}

// Loop rotation: a loop that starts with a fused compare-and-jump tests it at the end, and jumps past it.
void ask_at_the_end(std::vector<Step>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Step& step = steps[i];
    if (step.kind != Kind::kLoop) continue;
    const Step& first = steps[step.target];
    if (first.target != i + 1) continue;  // a jump inside the condition
    if (first.kind >= kFirstJumpUnless && first.kind < at(kFirstJumpUnless, kComparisons)) {
      step.kind = at(kFirstLoopIf, static_cast<int>(first.kind) - static_cast<int>(kFirstJumpUnless));
      step.in[1] = first.in[1];
    } else if (first.kind == Kind::kJumpUnless) {
      step.kind = Kind::kLoopIf;
    } else {
      continue;
    }
    step.in[0] = first.in[0];
    ++step.target;
  }
}

}  // namespace

int num_inputs(Kind kind) {
  switch (kind) {
    case Kind::kJump:
    case Kind::kLoop:
    case Kind::kPop:
      return 0;
    case Kind::kUnary:
    case Kind::kMove1:
    case Kind::kMove2:
    case Kind::kMove4:
    case Kind::kMove8:
    case Kind::kMove16:
    case Kind::kJumpUnless:
    case Kind::kLoopIf:
    case Kind::kPush:
    case Kind::kGet:
      return 1;
    case Kind::kTernary:
      return 3;
    default:
      return 2;
  }
}

bool writes(Kind kind) { return !jumps(kind) && kind != Kind::kPush && kind != Kind::kSet; }

bool jumps(Kind kind) {
  return kind == Kind::kJump || kind == Kind::kJumpUnless || kind == Kind::kLoop || kind == Kind::kLoopIf ||
         kind >= kFirstJumpUnless;
}

std::vector<char> targets(std::span<const Step> steps) {
  std::vector<char> is_target(steps.size() + 1, 0);
  for (const Step& step : steps)
    if (jumps(step.kind)) is_target[step.target] = 1;
  return is_target;
}

std::vector<char> written(std::span<const Step> steps, std::size_t num_slots) {
  std::vector<char> is_written(num_slots, 0);
  for (const Step& step : steps)
    if (writes(step.kind)) is_written[step.out] = 1;
  return is_written;
}

Kind kind_of(const BlockSpec& spec, DType operand) {
  if (spec.arity == BlockArity::kTernary) return Kind::kTernary;
  if (spec.arity != BlockArity::kBinary) return Kind::kUnary;
  const int type = type_index(operand);
  if (type < 0) return Kind::kBinary;
  switch (spec.function) {
    case kAdd:
      return at(Kind::kAddInt32, 3 * type);
    case kSub:
      return at(Kind::kAddInt32, 3 * type + 1);
    case kMul:
      return at(Kind::kAddInt32, 3 * type + 2);
    case kDiv:
      return type == 2 ? Kind::kDivFloat : type == 3 ? Kind::kDivDouble : Kind::kBinary;
    case kFloorDiv:
      return type == 0 ? Kind::kFloorDivInt32 : type == 1 ? Kind::kFloorDivInt64 : Kind::kBinary;
    case kFloorMod:
      return type == 0 ? Kind::kFloorModInt32 : type == 1 ? Kind::kFloorModInt64 : Kind::kBinary;
    case kLess:
      return at(kFirstComparison, 6 * type);
    case kLessEqual:
      return at(kFirstComparison, 6 * type + 1);
    case kGreater:
      return at(kFirstComparison, 6 * type + 2);
    case kGreaterEqual:
      return at(kFirstComparison, 6 * type + 3);
    case kEqual:
      return at(kFirstComparison, 6 * type + 4);
    case kNotEqual:
      return at(kFirstComparison, 6 * type + 5);
    default:
      return Kind::kBinary;
  }
}

Kind move_of(std::size_t bytes) {
  switch (bytes) {
    case 1:
      return Kind::kMove1;
    case 2:
      return Kind::kMove2;
    case 4:
      return Kind::kMove4;
    case 8:
      return Kind::kMove8;
    default:
      return Kind::kMove16;
  }
}

void tighten(std::vector<Step>& steps, std::size_t num_slots) {
  write_in_place(steps, num_slots);
  join_comparisons(steps, num_slots);
  ask_at_the_end(steps);
}

}  // namespace tracefn::scalar
