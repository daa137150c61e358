// The order of instructions in which few values are live at once.
#include "jit/x64/schedule.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "check.h"
#include "jit/x64/instructions.h"
#include "ops/elementwise/functions.h"

namespace tracefn::test {
namespace {

using namespace machine_code;
using scalar::BytecodeInstruction;
using scalar::Kind;
using scalar::Slot;

// The order, as numbers of the instructions given.
std::string order(std::vector<BytecodeInstruction> instructions, std::size_t num_slots) {
  Code code{std::move(instructions), std::vector<scalar::Register>(num_slots), std::vector<Slot>(num_slots)};
  std::iota(code.variables.begin(), code.variables.end(), Slot{0});
  for (std::size_t i = 0; i < code.instructions.size(); ++i)
    code.instructions[i].node = reinterpret_cast<const Node*>(8 * (i + 1));
  std::vector<Operation> operations = code.operations();
  schedule_instructions(code, operations);
  std::string text;
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    text += std::to_string(reinterpret_cast<std::uintptr_t>(code.instructions[i].node) / 8 - 1) + " ";
    CHECK(operations[i].role == operation_of(code.instructions[i]).role);
  }
  return text;
}

TEST(schedule_goes_element_by_element) {
  // Three elements doubled (4 to 6), and then added to others (7 to 9).
  std::vector<BytecodeInstruction> instructions;
  for (Slot k = 0; k < 3; ++k) instructions.push_back(made(Kind::kAddFloat, 4 + k, k, k));
  for (Slot k = 0; k < 3; ++k) instructions.push_back(made(Kind::kMulFloat, 7 + k, 4 + k, k));
  CHECK_EQ(order(instructions, 10), "0 3 1 4 2 5 ");
}

TEST(schedule_keeps_values_that_are_read_before_they_change) {
  CHECK_EQ(order({made(Kind::kAddFloat, 1, 0, 0), made(Kind::kMove4, 0, 2), made(Kind::kMulFloat, 3, 1, 0)}, 4),
           "0 1 2 ");
  // The old value of slot 0 is needed last, its new one first.
  CHECK_EQ(order({made(Kind::kAddFloat, 1, 0, 0), made(Kind::kAddFloat, 2, 0, 1), made(Kind::kMulFloat, 0, 3, 3),
                  made(Kind::kMulFloat, 4, 0, 0), made(Kind::kMulFloat, 5, 4, 2)},
                 6),
           "0 1 2 3 4 ");
}

TEST(schedule_keeps_the_order_of_what_fails_or_has_an_effect) {
  // A store, a check, a load by its index, and another store to the same array.
  CHECK_EQ(order({on_array(Kind::kStore, 0, 0, 0, 1), made(Kind::kCheckIndex, 0, 2, 3), on_array(Kind::kLoad, 0, 4, 2),
                  on_array(Kind::kStore, 0, 0, 0, 5)},
                 6),
           "0 1 2 3 ");
  // An integer division may fail; a sum may not.
  CHECK_EQ(order({made(Kind::kFloorDivInt32, 2, 0, 1), made(Kind::kAddInt32, 3, 0, 1),
                  made(Kind::kFloorDivInt32, 4, 1, 0), made(Kind::kMulInt32, 5, 3, 4)},
                 6),
           "0 2 1 3 ");
}

TEST(schedule_loads_right_behind_the_check) {
  CHECK_EQ(
      order({made(Kind::kCheckIndex, 0, 0, 2), made(Kind::kCheckIndex, 0, 1, 2), on_array(Kind::kLoad, 0, 3, 0),
             on_array(Kind::kLoad, 0, 4, 1), on_array(Kind::kStore, 1, 0, 5, 3), on_array(Kind::kStore, 1, 0, 6, 4)},
            7),
      "0 2 1 3 4 5 ");
}

TEST(schedule_loads_behind_each_check_that_may_speak_of_the_load) {
  const BytecodeInstruction first = made(Kind::kCheckIndex, 0, 0, 3), store = on_array(Kind::kStore, 1, 0, 5, 4);
  // The second check is of the number of rows, as when a list is stacked.
  CHECK_EQ(order({first, made(Kind::kSubInt64, 1, 2, 3), made(Kind::kCheckIndex, 0, 1, 3),
                  on_array(Kind::kLoad, 0, 4, 0), store},
                 6),
           "0 1 2 3 4 ");
  // It is of a number that the index is computed from.
  CHECK_EQ(order({made(Kind::kMulInt64, 0, 1, 2), first, made(Kind::kCheckIndex, 0, 1, 3),
                  on_array(Kind::kLoad, 0, 4, 0), store},
                 6),
           "0 1 2 3 4 ");
}

TEST(schedule_puts_the_selects_of_a_comparison_together) {
  // best = x > best ? x : best; place = x > best ? 1 : place.
  BytecodeInstruction best = made(Kind::kTernary, 4, 2, 0, 1), place = made(Kind::kTernary, 5, 2, 6, 7);
  for (BytecodeInstruction* s : {&best, &place}) {
    s->function = id_of<functions::Select>;
    s->operand = s->result = DType::kFloat;
  }
  place.operand = place.result = DType::kInt32;
  CHECK_EQ(order({made(Kind::kGreaterFloat, 2, 0, 1), best, made(Kind::kAddFloat, 3, 4, 4), place}, 8), "0 1 3 2 ");
}

TEST(schedule_stays_within_blocks) {
  BytecodeInstruction loop = made(Kind::kLoop, 0, 0);
  loop.target = 1;
  CHECK_EQ(order({made(Kind::kAddFloat, 1, 0, 0), made(Kind::kAddFloat, 2, 1, 0), made(Kind::kAddFloat, 3, 0, 0),
                  made(Kind::kMulFloat, 4, 2, 2), loop, made(Kind::kMulFloat, 5, 3, 3)},
                 6),
           "0 2 1 3 4 5 ");
}

}  // namespace
}  // namespace tracefn::test
