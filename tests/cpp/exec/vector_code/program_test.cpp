// What Program::add() makes of instructions that are others in disguise.
#include "exec/vector_code/program.h"

#include <algorithm>

#include "../../check.h"
#include "interpreter.h"

namespace tracefn::test {
namespace {

using namespace vector_code;

// The bits `these` of one number and `others` of another, put together.
Program put_together(Width width, std::uint64_t these, std::uint64_t others) {
  Program program(width);
  const auto some = [&](std::uint64_t place, std::uint64_t bits) {
    return program.add(Op::kAnd, program.add(Op::kSource, 0, 0, 0, place), program.add(Op::kConstant, 0, 0, 0, bits));
  };
  const Id first = some(0, these), second = some(1, others);
  program.finish({{program.add(Op::kOr, first, second), 2}});
  return program;
}

bool has(const Program& program, Op op) {
  return std::ranges::any_of(program.instructions(), [&](const Instruction& made) { return made.op == op; });
}

template <typename T, typename Bits>
Bits of(const Program& program, Bits first, Bits second) {
  Bits result = 0;
  void* const places[] = {&first, &second, &result};
  Interpreter<T>(program, 0).run(places, 1);
  return result;
}

TEST(program_finds_choices_of_bits) {
  const Program sign = put_together(Width::k32, 0x7FFFFFFF, 0x80000000);
  CHECK(has(sign, Op::kChooseBits) && !has(sign, Op::kAnd) && !has(sign, Op::kOr));
  CHECK_EQ(of<float>(sign, std::uint32_t{0x12345678}, std::uint32_t{0xFFFFFFFF}), 0x92345678U);

  const Program wide = put_together(Width::k64, 0xFFFFFFFF, 0xFFFFFFFF00000000);
  CHECK(has(wide, Op::kChooseBits));
  CHECK_EQ(of<double>(wide, std::uint64_t{0x1111111122222222}, std::uint64_t{0x3333333344444444}), 0x3333333322222222U);

  CHECK(!has(put_together(Width::k32, 0x7FFFFFFF, 0xC0000000), Op::kChooseBits));
  CHECK(!has(put_together(Width::k64, 0x7FFFFFFF, 0x80000000), Op::kChooseBits));
}

}  // namespace
}  // namespace tracefn::test
