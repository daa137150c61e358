// What LaneProgram::add() makes of instructions that are others in disguise.
#include "jit/vector/program.h"

#include <algorithm>

#include "check.h"
#include "jit/vector/interpreter.h"

namespace tracefn::test {
namespace {

using namespace vector_code;

// The bits `these` of one number and `others` of another, put together.
LaneProgram put_together(LaneWidth width, std::uint64_t these, std::uint64_t others) {
  LaneProgram program(width);
  const auto some = [&](std::uint64_t place, std::uint64_t bits) {
    return program.add(LaneOp::kAnd, program.add(LaneOp::kSource, 0, 0, 0, place),
                       program.add(LaneOp::kConstant, 0, 0, 0, bits));
  };
  const Id first = some(0, these), second = some(1, others);
  program.finish({{program.add(LaneOp::kOr, first, second), 2}});
  return program;
}

bool has(const LaneProgram& program, LaneOp op) {
  return std::ranges::any_of(program.instructions(), [&](const LaneInstruction& made) { return made.op == op; });
}

template <typename T, typename Bits>
Bits of(const LaneProgram& program, Bits first, Bits second) {
  Bits result = 0;
  void* const places[] = {&first, &second, &result};
  Interpreter<T>(program, 0).run(places, 1);
  return result;
}

TEST(program_finds_choices_of_bits) {
  const LaneProgram sign = put_together(LaneWidth::k32, 0x7FFFFFFF, 0x80000000);
  CHECK(has(sign, LaneOp::kChooseBits) && !has(sign, LaneOp::kAnd) && !has(sign, LaneOp::kOr));
  CHECK_EQ(of<float>(sign, std::uint32_t{0x12345678}, std::uint32_t{0xFFFFFFFF}), 0x92345678U);

  const LaneProgram wide = put_together(LaneWidth::k64, 0xFFFFFFFF, 0xFFFFFFFF00000000);
  CHECK(has(wide, LaneOp::kChooseBits));
  CHECK_EQ(of<double>(wide, std::uint64_t{0x1111111122222222}, std::uint64_t{0x3333333344444444}), 0x3333333322222222U);

  CHECK(!has(put_together(LaneWidth::k32, 0x7FFFFFFF, 0xC0000000), LaneOp::kChooseBits));
  CHECK(!has(put_together(LaneWidth::k64, 0x7FFFFFFF, 0x80000000), LaneOp::kChooseBits));

  LaneProgram all(LaneWidth::k32);
  const Id source = all.add(LaneOp::kSource);
  const auto some = [&](std::uint64_t bits) {
    return all.add(LaneOp::kAnd, source, all.add(LaneOp::kConstant, 0, 0, 0, bits));
  };
  const Id first = some(0x7FFFFFFF);
  CHECK_EQ(all.add(LaneOp::kOr, first, some(0x80000000)), source);
}

}  // namespace
}  // namespace tracefn::test
