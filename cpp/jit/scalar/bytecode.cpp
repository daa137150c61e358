// BytecodeInstruction kinds, and the bytecode optimizer.
#include "jit/scalar/bytecode.h"

#include <algorithm>
#include <utility>

#include "jit/scalar/conditions.h"
#include "ops/elementwise/functions.h"

namespace tracefn::scalar {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;

constexpr int type_index(DType dtype) {
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

// kind_of() computes with the order of the types.
#define TRACEFN_TYPE_INDEX(NAME, T)                                                     \
  static_assert(offset(Kind::kAdd##T, Kind::kAddInt32) == 3 * type_index(DType::k##T)); \
  static_assert(offset(Kind::kLess##T, kFirstComparison) == 6 * type_index(DType::k##T));
#define TRACEFN_ONCE(X, T) X(, T)
TRACEFN_SCALAR_TYPES(TRACEFN_TYPE_INDEX, TRACEFN_ONCE)
#undef TRACEFN_ONCE
#undef TRACEFN_TYPE_INDEX
// BytecodeInstruction::function holds the numbers of all functions, and that of casts.
static_assert(kFunctions <= kCastFunction);

Kind at(Kind first, int offset) { return static_cast<Kind>(static_cast<int>(first) + offset); }

bool is_move(Kind kind) { return kind >= Kind::kMove1 && kind <= Kind::kMove16; }

void join_comparisons(std::vector<BytecodeInstruction>& instructions, std::size_t num_slots) {
  std::vector<std::uint32_t> reads_of(num_slots, 0);
  for (const BytecodeInstruction& instruction : instructions)
    for (int k = 0; k < num_inputs(instruction.kind); ++k) ++reads_of[instruction.in[k]];
  const std::vector<char> is_target = targets(instructions);
  std::vector<char> dropped(instructions.size(), 0);
  for (std::size_t i = 0; i + 1 < instructions.size(); ++i) {
    const BytecodeInstruction& comparison = instructions[i];
    BytecodeInstruction& jump = instructions[i + 1];
    if (!is_comparison(comparison.kind) || jump.kind != Kind::kJumpUnless || is_target[i + 1] ||
        jump.in[0] != comparison.out || reads_of[comparison.out] != 1)
      continue;
    jump.kind = at(kFirstJumpUnless, offset(comparison.kind, kFirstComparison));
    jump.in[0] = comparison.in[0];
    jump.in[1] = comparison.in[1];
    jump.node = comparison.node;
    dropped[i] = 1;
  }
  drop(instructions, dropped);
}

// Loop rotation: a loop that starts with a fused compare-and-jump tests it at the end, and jumps past it.
void ask_at_the_end(std::vector<BytecodeInstruction>& instructions) {
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    BytecodeInstruction& instruction = instructions[i];
    if (instruction.kind != Kind::kLoop) continue;
    const BytecodeInstruction& first = instructions[instruction.target];
    if (first.target != i + 1) continue;  // a jump inside the condition
    if (first.kind >= kFirstJumpUnless && first.kind < at(kFirstJumpUnless, kComparisons)) {
      instruction.kind = at(kFirstLoopIf, offset(first.kind, kFirstJumpUnless));
      instruction.in[1] = first.in[1];
    } else if (first.kind == Kind::kJumpUnless) {
      instruction.kind = Kind::kLoopIf;
    } else {
      continue;
    }
    instruction.in[0] = first.in[0];
    ++instruction.target;
  }
}

// Only writes its result, and cannot fail.
bool is_pure(const BytecodeInstruction& s) {
  const bool is_integer_function = s.operand != DType::kBool && !is_floating(s.operand);
  switch (s.kind) {
    case Kind::kUnary:
    case Kind::kTernary:
    case Kind::kRows:
    case Kind::kLoad:
    case Kind::kMultiplyAddFloat:
    case Kind::kMultiplyAddDouble:
    case Kind::kDivFloat:
    case Kind::kDivDouble:
      return true;
    case Kind::kBinary:
      return !is_integer_function;
    default:
      return is_move(s.kind) || is_comparison(s.kind) || (s.kind >= Kind::kAddInt32 && s.kind < kFirstComparison);
  }
}

}  // namespace

void drop_unread(std::vector<BytecodeInstruction>& instructions, std::size_t num_slots,
                 std::span<const Slot> variables) {
  // What is read for something that stays is read, by whatever writes it.
  std::vector<std::vector<std::uint32_t>> writers(num_slots);
  std::vector<char> read(num_slots, 0), dropped(instructions.size(), 0);
  std::vector<Slot> found;
  const auto need = [&](Slot s) {
    if (!std::exchange(read[s], 1)) found.push_back(s);
  };
  const auto keep = [&](const BytecodeInstruction& s) {
    for (int k = 0; k < num_inputs(s.kind); ++k) need(s.in[k]);
  };
  for (Slot s : variables) need(s);
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const BytecodeInstruction& s = instructions[i];
    dropped[i] = writes(s.kind) && is_pure(s);
    if (dropped[i]) {
      writers[s.out].push_back(static_cast<std::uint32_t>(i));
    } else {
      keep(s);
    }
  }
  while (!found.empty()) {
    const Slot s = found.back();
    found.pop_back();
    for (std::uint32_t i : writers[s]) {
      dropped[i] = 0;
      keep(instructions[i]);
    }
  }
  drop(instructions, dropped);
}

void drop(std::vector<BytecodeInstruction>& instructions, const std::vector<char>& dropped) {
  std::vector<std::uint32_t> moved(instructions.size() + 1);
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    moved[i] = n;
    n += !dropped[i];
  }
  moved[instructions.size()] = n;
  std::vector<BytecodeInstruction> kept;
  kept.reserve(n);
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (dropped[i]) continue;
    kept.push_back(instructions[i]);
    if (jumps(kept.back().kind)) kept.back().target = moved[kept.back().target];
  }
  instructions = std::move(kept);
}

int num_inputs(Kind kind) {
  switch (kind) {
    case Kind::kJump:
    case Kind::kLoop:
    case Kind::kPop:
    case Kind::kRows:
    case Kind::kOwn:
    case Kind::kAppend:
    case Kind::kRemove:
    case Kind::kTake:
    case Kind::kShare:
    case Kind::kWork:
    case Kind::kData:
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
    case Kind::kLoad:
    case Kind::kGrow:
    case Kind::kBroadcast:
    case Kind::kExtract:
      return 1;
    case Kind::kTernary:
    case Kind::kStoreAt:
    case Kind::kCheckIndex:
    case Kind::kWrapIndex:
    case Kind::kMultiplyAddFloat:
    case Kind::kMultiplyAddDouble:
      return 3;
    default:
      return 2;
  }
}

bool writes(Kind kind) {
  switch (kind) {
    case Kind::kPush:
    case Kind::kSet:
    case Kind::kCheckIndex:
    case Kind::kStore:
    case Kind::kOwn:
    case Kind::kReserve:
    case Kind::kGrow:
    case Kind::kTake:
    case Kind::kShare:
    case Kind::kWork:
    case Kind::kStoreAt:
      return false;
    default:
      return !jumps(kind);
  }
}

bool jumps(Kind kind) {
  return kind == Kind::kJump || kind == Kind::kJumpUnless || kind == Kind::kLoop || kind == Kind::kLoopIf ||
         kind >= kFirstJumpUnless;
}

std::vector<char> targets(std::span<const BytecodeInstruction> instructions) {
  std::vector<char> is_target(instructions.size() + 1, 0);
  for (const BytecodeInstruction& instruction : instructions)
    if (jumps(instruction.kind)) is_target[instruction.target] = 1;
  return is_target;
}

std::vector<char> written(std::span<const BytecodeInstruction> instructions, std::size_t num_slots) {
  std::vector<char> is_written(num_slots, 0);
  for (const BytecodeInstruction& instruction : instructions)
    if (writes(instruction.kind)) is_written[instruction.out] = 1;
  return is_written;
}

Kind kind_of(const BlockSpec& spec, DType operand) {
  if (spec.arity == BlockArity::kTernary) return Kind::kTernary;
  if (spec.arity != BlockArity::kBinary) return Kind::kUnary;
  const int type = type_index(operand);
  if (type < 0) return Kind::kBinary;
  switch (spec.function) {
    case id_of<functions::Add>:
      return at(Kind::kAddInt32, 3 * type);
    case id_of<functions::Sub>:
      return at(Kind::kAddInt32, 3 * type + 1);
    case id_of<functions::Mul>:
      return at(Kind::kAddInt32, 3 * type + 2);
    case id_of<functions::Div>:
      return type == 2 ? Kind::kDivFloat : type == 3 ? Kind::kDivDouble : Kind::kBinary;
    case id_of<functions::FloorDiv>:
      return type == 0 ? Kind::kFloorDivInt32 : type == 1 ? Kind::kFloorDivInt64 : Kind::kBinary;
    case id_of<functions::FloorMod>:
      return type == 0 ? Kind::kFloorModInt32 : type == 1 ? Kind::kFloorModInt64 : Kind::kBinary;
    case id_of<functions::Less>:
      return at(kFirstComparison, 6 * type);
    case id_of<functions::LessEqual>:
      return at(kFirstComparison, 6 * type + 1);
    case id_of<functions::Greater>:
      return at(kFirstComparison, 6 * type + 2);
    case id_of<functions::GreaterEqual>:
      return at(kFirstComparison, 6 * type + 3);
    case id_of<functions::Equal>:
      return at(kFirstComparison, 6 * type + 4);
    case id_of<functions::NotEqual>:
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

void write_in_place(std::vector<BytecodeInstruction>& instructions, std::size_t num_slots,
                    std::span<const Slot> variables) {
  std::vector<std::uint32_t> writes_of(num_slots, 0), reads_of(num_slots, 0), writer(num_slots, kNone);
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    for (int k = 0; k < num_inputs(instructions[i].kind); ++k) ++reads_of[instructions[i].in[k]];
    if (!writes(instructions[i].kind)) continue;
    ++writes_of[instructions[i].out];
    writer[instructions[i].out] = static_cast<std::uint32_t>(i);
  }
  std::vector<char> is_variable(num_slots, 0);
  for (const Slot s : variables) is_variable[s] = 1;
  const std::vector<char> is_target = targets(instructions);
  std::vector<char> dropped(instructions.size(), 0);
  for (std::size_t m = 0; m < instructions.size(); ++m) {
    if (!is_move(instructions[m].kind)) continue;
    const Slot from = instructions[m].in[0], to = instructions[m].out;
    const std::uint32_t made = writer[from];
    if (writes_of[from] != 1 || made == kNone || made >= m || is_variable[from]) continue;
    bool allowed = !is_target[m];
    std::uint32_t reads = 1;
    for (std::size_t i = made + 1; i < m && allowed; ++i) {
      allowed =
          !is_target[i] && !jumps(instructions[i].kind) && !(writes(instructions[i].kind) && instructions[i].out == to);
      for (int k = 0; k < num_inputs(instructions[i].kind); ++k) {
        allowed &= instructions[i].in[k] != to;
        reads += instructions[i].in[k] == from;
      }
    }
    if (!allowed || reads != reads_of[from] || jumps(instructions[made].kind)) continue;
    instructions[made].out = to;
    for (std::size_t i = made + 1; i < m; ++i)
      for (int k = 0; k < num_inputs(instructions[i].kind); ++k)
        if (instructions[i].in[k] == from) instructions[i].in[k] = to;
    dropped[m] = 1;
    writer[to] = made;
  }
  drop(instructions, dropped);
}

void tighten(std::vector<BytecodeInstruction>& instructions, std::size_t num_slots, std::span<const Slot> variables) {
  drop_unread(instructions, num_slots, variables);
  write_in_place(instructions, num_slots, variables);
  thread_jumps(instructions, num_slots, variables);
  join_comparisons(instructions, num_slots);
  ask_at_the_end(instructions);
}

}  // namespace tracefn::scalar
