// What LaneProgram::add() makes of instructions that are others in disguise.
#include "jit/vector/program.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "check.h"
#include "jit/vector/interpreter.h"
#include "jit/vector/lane.h"
#include "ops/elementwise/functions.h"

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

// F of two sources, of which one may be a constant.
template <typename F, typename T>
LaneProgram extreme(const T* first, const T* second) {
  LaneProgram program(sizeof(T) == 4 ? LaneWidth::k32 : LaneWidth::k64);
  Recording recording(program);
  const auto operand = [&](const T* constant, std::uint64_t place) {
    Lane<T> x(constant ? *constant : T(0));
    if (!constant) x.id = program.add(LaneOp::kSource, 0, 0, 0, place);
    return x;
  };
  const Lane<T> a = operand(first, 0), b = operand(second, 1);
  program.finish({{F::of(a, b).id, 2}});
  return program;
}

template <typename F, typename T>
void check_extremes() {
  using Limits = std::numeric_limits<T>;
  const T values[] = {T(0), -T(0), T(1), T(-1), T(2.5), Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()};
  const LaneProgram of_sources = extreme<F, T>(nullptr, nullptr);
  CHECK(has(of_sources, LaneOp::kMax) || has(of_sources, LaneOp::kMin));
  CHECK(!has(of_sources, LaneOp::kLessEqual) && !has(of_sources, LaneOp::kMaskOr));
  for (const T& a : values)
    for (const T& b : values) {
      const auto expected = std::bit_cast<BitsOf<T>>(F::of(a, b));
      for (const LaneProgram& program : {of_sources, extreme<F, T>(&a, nullptr), extreme<F, T>(nullptr, &b)})
        CHECK_EQ(of<T>(program, std::bit_cast<BitsOf<T>>(a), std::bit_cast<BitsOf<T>>(b)), expected);
    }
  const T one(1), zero(0);
  CHECK_EQ((extreme<F, T>(nullptr, &zero).instructions().size()), 4U);  // source, constant, kMax or kMin, store
  CHECK_EQ((extreme<F, T>(&one, nullptr).instructions().size()), 4U);
}

TEST(program_finds_maxima_and_minima) {
  check_extremes<functions::Maximum, float>();
  check_extremes<functions::Maximum, double>();
  check_extremes<functions::Minimum, float>();
  check_extremes<functions::Minimum, double>();
}

}  // namespace
}  // namespace tracefn::test
