// What is moved in front of a loop.
#include "jit/x64/hoisting.h"

#include <string>

#include "check.h"
#include "jit/x64/instructions.h"

namespace tracefn::test {
namespace {

using namespace machine_code;
using scalar::BytecodeInstruction;
using scalar::Kind;
using scalar::Slot;

// Slots: 0 a variable, 1 its square, 2 and 3 what is loaded, 4 the counter, 5 one, 6 the limit, 7 and 8 indices, 9 the
// length of an array.
constexpr Slot kSlots = 10;

BytecodeInstruction sum(Slot out, Slot a, Slot b) { return made(Kind::kAddFloat, out, a, b); }

// The kinds before the loop, and those in it.
std::string hoisted(std::vector<BytecodeInstruction> inside) {
  std::vector<BytecodeInstruction> all{jump(Kind::kJumpUnlessLessInt32, 0, 4, 6)};
  for (const BytecodeInstruction& s : inside) {
    all.push_back(s);
    if (scalar::jumps(s.kind)) ++all.back().target;
  }
  all.push_back(made(Kind::kAddInt32, 4, 4, 5));
  all.push_back(jump(Kind::kLoopIfLessInt32, 1, 4, 6));
  all[0].target = static_cast<std::uint32_t>(all.size());
  Code code{std::move(all), std::vector<scalar::Register>(kSlots), {0, 4, 3}};
  hoist_invariants(code);
  std::string text;
  const std::uint32_t begin = code.instructions.back().target;
  CHECK_EQ(code.instructions[0].target, static_cast<std::uint32_t>(code.instructions.size()));
  for (std::uint32_t i = 1; i + 2 < code.instructions.size(); ++i) {
    if (i == begin) text += "| ";
    switch (code.instructions[i].kind) {
      case Kind::kMulFloat:
        text += "mul ";
        break;
      case Kind::kAddFloat:
        text += "add ";
        break;
      case Kind::kLoad:
        text += "load ";
        break;
      case Kind::kLoadAt:
        text += "load_at ";
        break;
      case Kind::kStoreAt:
        text += "store_at ";
        break;
      case Kind::kData:
        text += "data ";
        break;
      case Kind::kCheckIndex:
        text += "check ";
        break;
      default:
        text += "other ";
    }
  }
  if (begin + 2 == code.instructions.size()) text += "| ";
  return text;
}

const BytecodeInstruction kSquare = made(Kind::kMulFloat, 1, 0, 0), kLoad = on_array(Kind::kLoad, 0, 2, 7),
                          kOther = on_array(Kind::kLoad, 0, 3, 8), kCheck = made(Kind::kCheckIndex, 0, 7, 9, 9),
                          kStore = on_array(Kind::kStore, 0, 0, 8, 1), kElsewhere = on_array(Kind::kStore, 1, 0, 8, 1);

TEST(hoisting_of_values) {
  CHECK_EQ(hoisted({kSquare}), "mul | ");
  // Not what changes, nor what is read before it is written, nor what a branch may leave out.
  CHECK_EQ(hoisted({sum(0, 0, 0), kSquare}), "| add mul ");
  CHECK_EQ(hoisted({sum(3, 1, 1), kSquare}), "| add mul ");
  CHECK_EQ(hoisted({jump(Kind::kJumpUnlessLessInt32, 2, 4, 5), kSquare}), "| other mul ");
}

TEST(hoisting_of_loads) {
  CHECK_EQ(hoisted({kCheck, kLoad}), "check load | ");
  // Another array is stored to, then this one.
  CHECK_EQ(hoisted({kLoad, kSquare, kElsewhere}), "load mul data | store_at ");
  CHECK_EQ(hoisted({kLoad, kSquare, kStore}), "mul data | load_at store_at ");
  // The array may move.
  CHECK_EQ(hoisted({kLoad, on_array(Kind::kAppend, 0, 3, 0)}), "| load other ");
}

TEST(hoisting_of_checks_keeps_what_comes_first) {
  CHECK_EQ(hoisted({kSquare, kElsewhere, kCheck, kLoad}), "mul data data | store_at check load_at ");
}

TEST(hoisting_of_addresses) { CHECK_EQ(hoisted({sum(0, 0, 0), kOther, kStore}), "data | add load_at store_at "); }

}  // namespace
}  // namespace tracefn::test
