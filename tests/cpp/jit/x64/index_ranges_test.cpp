// Which checks of indices go.
#include "jit/x64/index_ranges.h"

#include <string>

#include "check.h"
#include "jit/x64/instructions.h"

namespace tracefn::test {
namespace {

using namespace machine_code;
using scalar::BytecodeInstruction;
using scalar::Kind;
using scalar::Slot;

// Of the loops below: a counter and its index, what is loaded, a limit that is not known, and constants.
enum : Slot {
  kCounter,
  kIndex,
  kWrapped,
  kLoaded,
  kUnknown,
  kZero,
  kOne,
  kTen,
  kMinusOne,
  kTenLong,
  kNineLong,
  kSlots
};

Code code_of(std::vector<BytecodeInstruction> instructions) {
  Code code{std::move(instructions), std::vector<scalar::Register>(kSlots), {kUnknown, kLoaded}};
  scalar::put(code.initial[kOne], std::int32_t{1});
  scalar::put(code.initial[kTen], std::int32_t{10});
  scalar::put(code.initial[kMinusOne], std::int32_t{-1});
  scalar::put(code.initial[kTenLong], std::int64_t{10});
  scalar::put(code.initial[kNineLong], std::int64_t{9});
  return code;
}

// for (counter = first; counter < last; ++counter) loaded = array[counter], whose length is `length`.
Code loop(Slot first, Slot last, Slot length) {
  BytecodeInstruction load = on_array(Kind::kLoad, 0, kLoaded, kWrapped);
  load.operand = DType::kInt32;
  return code_of({made(Kind::kMove4, kCounter, first), jump(Kind::kJumpUnlessLessInt32, 7, kCounter, last),
                  cast(kIndex, kCounter), made(Kind::kWrapIndex, kWrapped, kIndex, length, length), load,
                  made(Kind::kAddInt32, kCounter, kCounter, kOne), jump(Kind::kLoopIfLessInt32, 2, kCounter, last)});
}

int count(const Code& code, Kind kind) {
  int n = 0;
  for (const BytecodeInstruction& s : code.instructions) n += s.kind == kind;
  return n;
}
const BytecodeInstruction& load_of(const Code& code) {
  for (const BytecodeInstruction& s : code.instructions)
    if (s.kind == Kind::kLoad) return s;
  return code.instructions[0];
}

TEST(index_ranges_of_counters) {
  Code code = loop(kZero, kTen, kTenLong);
  drop_known_checks(code);
  CHECK_EQ(code.instructions.size(), 6u);
  CHECK_EQ(count(code, Kind::kWrapIndex) + count(code, Kind::kCheckIndex), 0);
  CHECK_EQ(load_of(code).in[0], Slot{kIndex});
  // The jump back leads to the same instruction.
  CHECK_EQ(code.instructions.back().target, 2u);
  CHECK_EQ(code.instructions[1].target, 6u);
}

TEST(index_ranges_keep_checks_that_may_fail) {
  Code shorter = loop(kZero, kTen, kNineLong);
  drop_known_checks(shorter);
  CHECK_EQ(count(shorter, Kind::kCheckIndex), 1);  // not negative
  CHECK_EQ(count(shorter, Kind::kWrapIndex), 0);
  Code negative = loop(kMinusOne, kTen, kTenLong);
  drop_known_checks(negative);
  CHECK_EQ(count(negative, Kind::kWrapIndex), 1);
  Code unknown = loop(kZero, kUnknown, kTenLong);
  drop_known_checks(unknown);
  CHECK_EQ(count(unknown, Kind::kCheckIndex), 1);
  Code backwards = loop(kUnknown, kTen, kTenLong);
  drop_known_checks(backwards);
  CHECK_EQ(count(backwards, Kind::kWrapIndex), 1);
}

// A counter that overflows is negative.
TEST(index_ranges_of_what_overflows) {
  Code code = loop(kZero, kTen, kTenLong);
  code.instructions[6] = jump(Kind::kLoop, 2);
  drop_known_checks(code);
  CHECK_EQ(count(code, Kind::kWrapIndex), 1);
}

TEST(index_ranges_of_lists) {
  const auto filled = [](std::vector<BytecodeInstruction> inside) {
    std::vector<BytecodeInstruction> all{on_array(Kind::kReserve, 0, 0, kTen, kMinusOne),
                                         made(Kind::kMove4, kCounter, kZero)};
    BytecodeInstruction set = on_array(Kind::kSet, 0, 0, kCounter, kLoaded);
    set.operand = DType::kInt32;
    all.push_back(set);
    all.insert(all.end(), inside.begin(), inside.end());
    all.push_back(made(Kind::kAddInt32, kCounter, kCounter, kOne));
    all.push_back(jump(Kind::kLoopIfLessInt32, 2, kCounter, kTen));
    Code code = code_of(std::move(all));
    drop_known_checks(code);
    return std::to_string(count(code, Kind::kSet)) + std::to_string(count(code, Kind::kStore));
  };
  CHECK_EQ(filled({}), "01");
  CHECK_EQ(filled({on_array(Kind::kPush, 0, 0, kLoaded)}), "01");
  // One row less, and rows that somebody else has, too.
  CHECK_EQ(filled({on_array(Kind::kPop, 0, kLoaded, 0)}), "10");
  CHECK_EQ(filled({on_array(Kind::kRemove, 0, kIndex, 0)}), "10");
  BytecodeInstruction share = on_array(Kind::kShare, 1, 0, 0);
  share.offset = 0;
  CHECK_EQ(filled({share}), "10");
  // The rows go to another list, which has others, or come back from there with ten rows.
  BytecodeInstruction away = on_array(Kind::kTake, 1, 0, 0), back = on_array(Kind::kTake, 0, 0, 0);
  away.offset = 0;
  back.offset = 1;
  CHECK_EQ(filled({away}), "10");
  CHECK_EQ(filled({away, back}), "01");
  // New rows, enough of them or not.
  BytecodeInstruction own = on_array(Kind::kOwn, 0, 0, 0);
  own.offset = 10;
  CHECK_EQ(filled({own}), "01");
  own.offset = 9;
  CHECK_EQ(filled({own}), "10");
  own.offset = scalar::kAsIs;
  CHECK_EQ(filled({own}), "01");
  CHECK_EQ(filled({on_array(Kind::kGrow, 0, 0, kTen)}), "01");
  // In one of two branches.
  CHECK_EQ(filled({jump(Kind::kJumpUnlessLessInt32, 5, kCounter, kOne), share}), "10");
}

// while (counter != 10) loaded = array[counter++]
TEST(index_ranges_of_counters_that_stop_at_a_number) {
  Code code = loop(kZero, kTen, kTenLong);
  code.instructions[1].kind = Kind::kJumpUnlessNotEqualInt32;
  code.instructions[6].kind = Kind::kLoopIfNotEqualInt32;
  drop_known_checks(code);
  CHECK_EQ(count(code, Kind::kWrapIndex) + count(code, Kind::kCheckIndex), 0);
}

// if (counter < 5) loaded = array[counter], the array having ten rows or five.
TEST(index_ranges_of_loads_in_branches) {
  for (const bool fits : {true, false}) {
    Code code = loop(kZero, kTen, kTenLong);
    const Slot five = static_cast<Slot>(code.initial.size()), five_long = five + 1;
    code.initial.resize(code.initial.size() + 2);
    scalar::put(code.initial[five], std::int32_t{5});
    scalar::put(code.initial[five_long], std::int64_t{5});
    std::vector<BytecodeInstruction>& all = code.instructions;
    all.insert(all.begin() + 2, jump(Kind::kJumpUnlessLessInt32, 6, kCounter, five));
    all[1].target = 8;
    if (!fits) all[4].in[1] = all[4].in[2] = five_long;  // only below five
    drop_known_checks(code);
    CHECK_EQ(count(code, Kind::kWrapIndex) + count(code, Kind::kCheckIndex), 0);
    CHECK_EQ(load_of(code).function == scalar::kMayRunEarly, fits);
  }
}

}  // namespace
}  // namespace tracefn::test
