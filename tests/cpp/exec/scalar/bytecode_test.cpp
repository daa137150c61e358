// Tightening of scalar code, and the typed kinds at their edges.
#include "jit/scalar/bytecode.h"

#include <cstring>
#include <limits>

#include "check.h"
#include "exec/scalar/interpreter.h"
#include "ops/elementwise/functions.h"

namespace tracefn::test {
namespace {

using scalar::BytecodeInstruction;
using scalar::Kind;
using scalar::Register;

template <typename T>
Register register_of(T value) {
  Register c{};
  std::memcpy(c.bytes, &value, sizeof value);
  return c;
}
template <typename T>
T value(const Register& c) {
  T v;
  std::memcpy(&v, c.bytes, sizeof v);
  return v;
}

BytecodeInstruction binary(Kind kind, scalar::Slot a, scalar::Slot b, scalar::Slot out) {
  BytecodeInstruction instruction;
  instruction.kind = kind;
  instruction.in[0] = a;
  instruction.in[1] = b;
  instruction.out = out;
  return instruction;
}
BytecodeInstruction move(scalar::Slot from, scalar::Slot to) { return binary(Kind::kMove4, from, 0, to); }
BytecodeInstruction jump(Kind kind, std::uint32_t target, scalar::Slot condition = 0) {
  BytecodeInstruction instruction = binary(kind, condition, 0, 0);
  instruction.target = target;
  return instruction;
}

void run_code(const std::vector<BytecodeInstruction>& instructions, std::vector<Register>& registers) {
  const Node* failed = nullptr;
  scalar::run(instructions, registers.data(), nullptr, failed);
}

template <typename T>
T apply(Kind kind, T a, T b) {
  std::vector<Register> registers = {register_of(a), register_of(b), Register{}};
  run_code({binary(kind, 0, 1, 2)}, registers);
  return value<T>(registers[2]);
}

TEST(scalar_integers_wrap_and_round_down) {
  constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min(),
                         most = std::numeric_limits<std::int32_t>::max();
  CHECK_EQ(apply(Kind::kAddInt32, most, 1), least);
  CHECK_EQ(apply(Kind::kMulInt32, most, 2), -2);
  CHECK_EQ(apply(Kind::kFloorDivInt32, least, -1), least);
  CHECK_EQ(apply(Kind::kFloorModInt32, least, -1), 0);
  CHECK_EQ(apply(Kind::kFloorDivInt32, -7, 2), -4);
  CHECK_EQ(apply(Kind::kFloorModInt32, -7, 2), 1);
  CHECK_EQ(apply(Kind::kFloorModInt64, std::int64_t{7}, std::int64_t{-2}), std::int64_t{-1});
  CHECK_THROWS(apply(Kind::kFloorDivInt32, 1, 0), kInvalidArgument, "Integer division by zero");
}

TEST(scalar_kinds_are_typed_where_they_can_be) {
  BlockSpec less{BlockArity::kBinary, id_of<functions::Less>}, add{BlockArity::kBinary, id_of<functions::Add>},
      divide{BlockArity::kBinary, id_of<functions::Div>};
  CHECK(scalar::kind_of(less, DType::kDouble) == Kind::kLessDouble);
  CHECK(scalar::kind_of(add, DType::kInt64) == Kind::kAddInt64);
  CHECK(scalar::kind_of(add, DType::kHalf) == Kind::kBinary);
  CHECK(scalar::kind_of(divide, DType::kFloat) == Kind::kDivFloat);
  CHECK(scalar::kind_of(divide, DType::kInt32) == Kind::kBinary);
}

// What is read at the end.
constexpr scalar::Slot kAll[] = {0, 1, 2, 3};

TEST(scalar_code_computes_nothing_that_is_not_read) {
  BytecodeInstruction fails = binary(Kind::kFloorDivInt32, 0, 1, 4);
  std::vector<BytecodeInstruction> instructions = {
      binary(Kind::kAddInt32, 0, 1, 2), binary(Kind::kAddInt32, 2, 1, 3), fails,
      binary(Kind::kSubInt32, 0, 1, 0), jump(Kind::kJumpUnless, 6, 0),    move(3, 2)};
  const scalar::Slot variables[] = {0};
  scalar::drop_unread(instructions, 5, variables);
  CHECK_EQ(instructions.size(), 3u);
  CHECK(instructions[0].kind == Kind::kFloorDivInt32);
  CHECK_EQ(instructions[2].target, 3u);
}

// while (i < n) { t = i + one; s2 = s + i; i = t; s = s2 } over slots i 0, n 1, one 2, s 3.
TEST(scalar_code_of_a_sum_is_tightened_to_its_arithmetic) {
  std::vector<BytecodeInstruction> instructions = {binary(Kind::kLessInt32, 0, 1, 4),
                                                   jump(Kind::kJumpUnless, 7, 4),
                                                   binary(Kind::kAddInt32, 3, 0, 5),
                                                   binary(Kind::kAddInt32, 0, 2, 6),
                                                   move(6, 0),
                                                   move(5, 3),
                                                   jump(Kind::kLoop, 0)};
  scalar::tighten(instructions, 7, kAll);
  CHECK_EQ(instructions.size(), 4u);
  CHECK(instructions[0].kind == Kind::kJumpUnlessLessInt32);
  CHECK(instructions[3].kind == Kind::kLoopIfLessInt32);
  CHECK_EQ(instructions[3].target, 1u);
  std::vector<Register> registers = {register_of(0), register_of(10), register_of(1), register_of(0),
                                     Register{},     Register{},      Register{}};
  run_code(instructions, registers);
  CHECK_EQ(value<std::int32_t>(registers[3]), 45);
  registers[0] = registers[1];
  registers[3] = register_of(7);
  run_code(instructions, registers);
  CHECK_EQ(value<std::int32_t>(registers[3]), 7);
}

// a, b = b, a + b: b's old value is still needed when a + b is there.
TEST(scalar_code_keeps_moves_that_matter) {
  std::vector<BytecodeInstruction> instructions = {binary(Kind::kAddInt32, 0, 1, 2), move(1, 3), move(2, 1),
                                                   move(3, 0)};
  scalar::tighten(instructions, 4, kAll);
  std::vector<Register> registers = {register_of(5), register_of(8), Register{}, Register{}};
  run_code(instructions, registers);
  CHECK_EQ(value<std::int32_t>(registers[0]), 8);
  CHECK_EQ(value<std::int32_t>(registers[1]), 13);
}

// A result that is used again after the move stays where it is.
TEST(scalar_code_keeps_results_used_later) {
  std::vector<BytecodeInstruction> instructions = {binary(Kind::kAddInt32, 0, 1, 2), move(2, 0),
                                                   binary(Kind::kAddInt32, 0, 1, 0), binary(Kind::kAddInt32, 0, 2, 3)};
  scalar::tighten(instructions, 4, kAll);
  std::vector<Register> registers = {register_of(5), register_of(8), Register{}, Register{}};
  run_code(instructions, registers);
  CHECK_EQ(value<std::int32_t>(registers[3]), 5 + 8 + 8 + 5 + 8);
}

// The jump at the head belongs to a choice inside the condition: the loop must not be turned.
TEST(scalar_code_leaves_conditions_with_choices) {
  // 0: if !(a < n) goto 3; 1: c = b; 2: goto 4; 3: c = no; 4: if !c goto 7; 5: a += one; 6: loop 0
  std::vector<BytecodeInstruction> instructions = {binary(Kind::kLessInt32, 0, 1, 5), jump(Kind::kJumpUnless, 4, 5),
                                                   binary(Kind::kMove1, 3, 0, 6),     jump(Kind::kJump, 5),
                                                   binary(Kind::kMove1, 4, 0, 6),     jump(Kind::kJumpUnless, 8, 6),
                                                   binary(Kind::kAddInt32, 0, 2, 0),  jump(Kind::kLoop, 0)};
  scalar::tighten(instructions, 7, kAll);
  std::vector<Register> registers = {register_of(0),     register_of(6), register_of(1), register_of(true),
                                     register_of(false), Register{},     Register{}};
  run_code(instructions, registers);
  CHECK_EQ(value<std::int32_t>(registers[0]), 6);
}

}  // namespace
}  // namespace tracefn::test
