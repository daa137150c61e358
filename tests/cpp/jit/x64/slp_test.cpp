// Which instructions become one for four numbers; that the results stay the same is for machine_code_test.
#include "jit/x64/slp.h"

#include "check.h"
#include "jit/x64/instructions.h"

namespace tracefn::test {
namespace {

using namespace machine_code;
using scalar::BytecodeInstruction;
using scalar::Kind;
using scalar::Slot;

// Vectors of four slots from these on; a number; the index 0.
constexpr Slot kA = 0, kB = 4, kC = 8, kNumber = 12, kZero = 13, kSlots = 14;

void add_loads(Code& code, std::uint32_t array, Slot to) {
  for (std::uint32_t lane = 0; lane < 4; ++lane) {
    code.instructions.push_back(on_array(Kind::kLoad, array, to + lane, kZero));
    code.instructions.back().offset = lane;
  }
}
void add_stores(Code& code, std::uint32_t array, Slot from) {
  for (std::uint32_t lane = 0; lane < 4; ++lane) {
    code.instructions.push_back(on_array(Kind::kStore, array, 0, kZero, from + lane));
    code.instructions.back().offset = lane;
  }
}
void add_products(Code& code, Slot out, Slot a, Slot b, bool is_vector = true) {
  for (Slot lane = 0; lane < 4; ++lane)
    code.instructions.push_back(made(Kind::kMulFloat, out + lane, a + lane, is_vector ? b + lane : b));
}
Code new_code() { return {{}, std::vector<scalar::Register>(kSlots), {}}; }

int on_four(const Code& code) {
  int n = 0;
  for (const BytecodeInstruction& s : code.instructions) n += s.on_four;
  return n;
}
int count(const Code& code, Kind kind) {
  int n = 0;
  for (const BytecodeInstruction& s : code.instructions) n += s.kind == kind;
  return n;
}

TEST(slp_of_loads_products_and_stores) {
  Code code = new_code();
  add_loads(code, 0, kA);
  add_loads(code, 1, kB);
  add_products(code, kC, kA, kB);
  add_stores(code, 2, kC);
  vectorize_small_tensors(code);
  CHECK_EQ(code.instructions.size(), 4U);
  CHECK_EQ(on_four(code), 4);
}

TEST(slp_repeats_numbers) {
  Code code = new_code();
  code.variables = {kNumber};
  add_loads(code, 0, kA);
  add_products(code, kB, kA, kNumber, false);
  add_products(code, kC, kB, kNumber, false);
  add_stores(code, 2, kC);
  vectorize_small_tensors(code);
  CHECK_EQ(on_four(code), 4);
  CHECK_EQ(count(code, Kind::kBroadcast), 1);
}

TEST(slp_of_a_constant_needs_no_instruction) {
  Code code = new_code();
  scalar::put(code.initial[kNumber], 3.0f);
  add_loads(code, 0, kA);
  add_products(code, kB, kA, kNumber, false);
  add_stores(code, 2, kB);
  vectorize_small_tensors(code);
  CHECK_EQ(code.instructions.size(), 3U);
  CHECK_EQ(scalar::get<float>(code.initial[code.instructions[1].in[1]]), 3.0f);
}

// Variables are read and written as numbers outside of the code.
TEST(slp_of_variables) {
  Code code = new_code();
  code.variables = {kA, kA + 1, kA + 2, kA + 3};
  add_products(code, kA, kA, kA);
  add_products(code, kA, kA, kA);
  code.instructions.push_back(jump(Kind::kLoopIf, 0, kNumber));
  vectorize_small_tensors(code);
  CHECK_EQ(on_four(code), 2);
  CHECK_EQ(count(code, Kind::kInsert), 3);
  CHECK_EQ(count(code, Kind::kExtract), 4);
  // The loop is between them.
  CHECK_EQ(code.instructions[6].kind == Kind::kLoopIf, true);
  CHECK_EQ(code.instructions[6].target, 4U);
}

TEST(slp_leaves_what_does_not_pay) {
  Code code = new_code();
  // Numbers from here and there, whose results are read one by one.
  code.variables = {kC, kC + 1, kC + 2, kC + 3};
  for (Slot lane = 0; lane < 4; ++lane)
    code.instructions.push_back(made(Kind::kMulFloat, kC + lane, kA + (lane * 3) % 4, kNumber));
  code.variables.push_back(kNumber);
  for (Slot s = kA; s < kC; ++s) code.variables.push_back(s);
  for (Slot lane = 0; lane < 4; ++lane) code.instructions.push_back(made(Kind::kAddFloat, kNumber, kNumber, kC + lane));
  const std::size_t before = code.instructions.size();
  vectorize_small_tensors(code);
  CHECK_EQ(on_four(code), 0);
  CHECK_EQ(code.instructions.size(), before);
}

TEST(slp_leaves_what_depends_on_its_neighbour) {
  Code code = new_code();
  add_loads(code, 0, kA);
  for (Slot lane = 0; lane < 4; ++lane)
    code.instructions.push_back(made(Kind::kMulFloat, kB + lane, kA + lane, lane == 0 ? kA : kB + lane - 1));
  add_stores(code, 1, kB);
  vectorize_small_tensors(code);
  for (const BytecodeInstruction& s : code.instructions) CHECK(!(s.on_four && s.kind == Kind::kMulFloat));
}

// One of the numbers is written by another instruction, too.
TEST(slp_leaves_what_others_write) {
  Code code = new_code();
  code.variables = {kNumber};
  add_loads(code, 0, kA);
  code.instructions.push_back(made(Kind::kMove4, kA + 1, kNumber));
  add_stores(code, 1, kA);
  const std::size_t before = code.instructions.size();
  vectorize_small_tensors(code);
  CHECK_EQ(on_four(code), 0);
  CHECK_EQ(code.instructions.size(), before);
}

// Each product saves what would take the numbers of the one before out, but all of them together save nothing.
TEST(slp_leaves_what_does_not_pay_as_a_whole) {
  Code code = new_code();
  code.variables = {kA, kA + 1, kA + 2, kA + 3};
  for (int k = 0; k < 20; ++k) {
    add_products(code, kB, kA, kA);
    for (Slot lane = 0; lane < 4; ++lane)
      code.instructions.push_back(made(Kind::kAddFloat, kA + lane, kA + lane, kB + (lane + 1) % 4));
  }
  const std::size_t before = code.instructions.size();
  vectorize_small_tensors(code);
  CHECK(code.instructions.size() <= before);
}

// A slot that is read as a float and as an integer has no type.
TEST(slp_leaves_what_has_no_type) {
  Code code = new_code();
  add_loads(code, 0, kA);
  add_products(code, kB, kA, kA);
  add_stores(code, 1, kB);
  for (Slot lane = 0; lane < 4; ++lane)
    code.instructions.push_back(made(Kind::kAddInt32, kC + lane, kB + lane, kB + lane));
  code.variables = {kC, kC + 1, kC + 2, kC + 3};
  vectorize_small_tensors(code);
  for (const BytecodeInstruction& s : code.instructions) CHECK(!(s.on_four && s.kind == Kind::kMulFloat));
}

TEST(slp_stops_at_jump_targets) {
  Code code = new_code();
  add_loads(code, 0, kA);
  code.instructions.push_back(jump(Kind::kLoopIf, 2, kNumber));
  const std::size_t before = code.instructions.size();
  vectorize_small_tensors(code);
  CHECK_EQ(code.instructions.size(), before);
}

}  // namespace
}  // namespace tracefn::test
