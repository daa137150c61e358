// Machine code against the interpreter: the same registers, lists and errors, bit for bit but for the payload of NaNs,
// which compilers choose.
#include "jit/x64/machine_code.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <thread>

#include "base/poll.h"
#include "base/subnormals.h"
#include "check.h"
#include "exec/scalar/interpreter.h"
#include "jit/x64/branches.h"
#include "jit/x64/random_code.h"
#include "ops/list/tensor_list.h"

#if defined(__x86_64__)

namespace tracefn::test {
namespace {

using machine_code::MachineCode;
using scalar::BytecodeInstruction;
using scalar::Kind;
using scalar::Register;
using scalar::ScalarList;
using scalar::Slot;

struct Outcome {
  std::vector<Register> registers;
  std::vector<Tensor> lists;
  std::string error;
  const Node* failed = nullptr;
};

std::vector<ScalarList> new_lists(std::vector<Tensor>& handles) {
  static const std::vector<scalar::ListType> types = [] {
    std::vector<scalar::ListType> all;
    for (int k = 0; k < RandomCode::kAll; ++k) {
      const Shape row = k < RandomCode::kLists ? Shape() : Shape({2});
      all.push_back({.dtype = RandomCode::kListTypes[k], .row = row, .known = true, .declared = row, .list = true});
    }
    return all;
  }();
  std::vector<ScalarList> lists(RandomCode::kAll);
  for (std::size_t k = 0; k < lists.size(); ++k) {
    OwnedList made = new_list(types[k].dtype, types[k].row, k == 0 ? 5 : -1);
    if (k >= RandomCode::kLists) made.list->elements().resize(3);
    handles.push_back(made.handle);
    TensorRef operand{&handles.back(), k != RandomCode::kLists + 1};
    lists[k].declare(types[k]);
    lists[k].load(operand);
  }
  return lists;
}

template <typename Run>
Outcome outcome(const RandomCode& code, Run run) {
  Outcome o;
  o.registers = code.registers;
  std::vector<Tensor> handles;
  std::vector<ScalarList> lists = new_lists(handles);
  try {
    run(o, lists.data());
  } catch (const Error& e) {
    o.error = e.message();
  }
  for (ScalarList& list : lists) o.lists.push_back(list.handle());
  return o;
}

bool same(const void* a, const void* b, DType t) {
  if (t == DType::kFloat) {
    float x, y;
    std::memcpy(&x, a, sizeof x);
    std::memcpy(&y, b, sizeof y);
    if (std::isnan(x) && std::isnan(y)) return true;
  }
  if (t == DType::kDouble) {
    double x, y;
    std::memcpy(&x, a, sizeof x);
    std::memcpy(&y, b, sizeof y);
    if (std::isnan(x) && std::isnan(y)) return true;
  }
  return std::memcmp(a, b, size_of(t)) == 0;
}

bool same_list(const Tensor& a, const Tensor& b) {
  const auto &x = static_cast<const TensorList&>(*a.object()), &y = static_cast<const TensorList&>(*b.object());
  if (x.size() != y.size()) return false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); ++i)
    for (std::int64_t k = 0; k < x.elements()[i].num_elements(); ++k) {
      const auto at = static_cast<std::size_t>(k) * size_of(x.element_dtype);
      if (!same(x.elements()[i].data<char>() + at, y.elements()[i].data<char>() + at, x.element_dtype)) return false;
    }
  return true;
}

void add_registers(const MachineCode& machine, std::vector<Register>& registers) {
  registers.insert(registers.end(), machine.added_registers().begin(), machine.added_registers().end());
}

void compare(std::uint64_t seed, bool with_avx = machine_code::has_avx()) {
  const RandomCode code(seed);
  Outcome wanted = outcome(code, [&](Outcome& o, ScalarList* lists) {
    scalar::run(code.instructions, o.registers.data(), lists, o.failed);
  });
  auto machine = MachineCode::translate(code.instructions, code.registers, code.variables, with_avx);
  CHECK(machine != nullptr);
  Outcome found = outcome(code, [&](Outcome& o, ScalarList* lists) {
    add_registers(*machine, o.registers);
    machine->run(o.registers.data(), lists, o.failed);
  });
  const std::string name = "seed " + std::to_string(seed);
  if (wanted.error != found.error) failed(__FILE__, __LINE__, name + ": " + wanted.error + " / " + found.error);
  if (wanted.failed != found.failed) failed(__FILE__, __LINE__, name + ": another instruction failed");
  if (!wanted.error.empty()) return;
  for (Slot s : code.variables)
    if (!same(wanted.registers[s].bytes, found.registers[s].bytes, code.type_of(s)))
      failed(__FILE__, __LINE__, name + ": slot " + std::to_string(s));
  for (std::size_t k = 0; k < wanted.lists.size(); ++k)
    if (!same_list(wanted.lists[k], found.lists[k])) failed(__FILE__, __LINE__, name + ": list " + std::to_string(k));
}

TEST(machine_code_does_what_the_interpreter_does) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) compare(seed);
  FlushSubnormals flush;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) compare(seed);
}

TEST(machine_code_without_avx_does_too) {
  for (std::uint64_t seed = 3000; seed < 4500; ++seed) compare(seed, false);
}

BytecodeInstruction instruction(Kind kind, std::initializer_list<Slot> in, Slot out, std::uint32_t target = 0) {
  BytecodeInstruction s;
  s.kind = kind;
  std::copy(in.begin(), in.end(), s.in);
  s.out = out;
  s.target = target;
  return s;
}

// if (a < b) {a, b = b, a} over slots a 0, b 1: both are selected, and neither sees the other's new value.
TEST(machine_code_selects_instead_of_branching) {
  const std::vector<BytecodeInstruction> instructions = {
      instruction(Kind::kJumpUnlessLessInt32, {0, 1}, 0, 4), instruction(Kind::kMove4, {0}, 2),
      instruction(Kind::kMove4, {1}, 0), instruction(Kind::kMove4, {2}, 1)};
  const std::vector<Slot> variables = {0, 1};
  machine_code::Code code{instructions, std::vector<Register>(3), variables};
  machine_code::select_instead_of_branching(code);
  for (const BytecodeInstruction& s : code.instructions) CHECK(!scalar::jumps(s.kind));
  auto machine = MachineCode::translate(instructions, std::vector<Register>(3), variables);
  for (std::int32_t a : {3, 9}) {
    std::vector<Register> registers(3);
    add_registers(*machine, registers);
    const std::int32_t b = 5;
    std::memcpy(registers[0].bytes, &a, sizeof a);
    std::memcpy(registers[1].bytes, &b, sizeof b);
    const Node* failed = nullptr;
    machine->run(registers.data(), nullptr, failed);
    std::int32_t found[2];
    std::memcpy(&found[0], registers[0].bytes, sizeof a);
    std::memcpy(&found[1], registers[1].bytes, sizeof a);
    CHECK_EQ(found[0], std::max(a, b));
    CHECK_EQ(found[1], std::min(a, b));
  }
}

// Slots 0 and 1 are variables, 2 is a product; then come factor and addend.
template <typename T>
void check_scaled_sum(Kind multiply, Kind add, bool swapped, T factor, T addend) {
  const Slot a = swapped ? 4 : 2, b = swapped ? 2 : 4;
  const std::vector<BytecodeInstruction> instructions = {instruction(multiply, {0, 3}, 2), instruction(add, {a, b}, 1)};
  std::vector<Register> initial(5);
  scalar::put(initial[3], factor);
  scalar::put(initial[4], addend);
  const std::vector<Slot> variables = {0, 1};
  auto machine = MachineCode::translate(instructions, initial, variables);
  using Limits = std::numeric_limits<T>;
  for (T x : {T{0}, T{7}, T{-100}, Limits::max(), Limits::min()}) {
    std::vector<Register> found = initial, wanted = initial;
    add_registers(*machine, found);
    scalar::put(found[0], x);
    scalar::put(wanted[0], x);
    const Node* failed = nullptr;
    machine->run(found.data(), nullptr, failed);
    scalar::run(instructions, wanted.data(), nullptr, failed);
    CHECK_EQ(scalar::get<T>(found[0]), x);
    CHECK_EQ(scalar::get<T>(found[1]), scalar::get<T>(wanted[1]));
  }
}

TEST(machine_code_of_scaled_sums) {
  for (std::int32_t factor : {2, 3, 5, 9, 7, -3})
    for (std::int32_t addend : {0, 1, -7, std::numeric_limits<std::int32_t>::min()})
      for (bool swapped : {false, true}) {
        check_scaled_sum<std::int32_t>(Kind::kMulInt32, Kind::kAddInt32, swapped, factor, addend);
        check_scaled_sum<std::int32_t>(Kind::kMulInt32, Kind::kSubInt32, swapped, factor, addend);
        check_scaled_sum<std::int64_t>(Kind::kMulInt64, Kind::kAddInt64, swapped, factor, addend);
        check_scaled_sum<std::int64_t>(Kind::kMulInt64, Kind::kSubInt64, swapped, factor, addend);
        check_scaled_sum<std::int64_t>(Kind::kMulInt64, Kind::kAddInt64, swapped, factor,
                                       std::int64_t{addend} * 1'000'000);
      }
}

// A thread that is told to end while it asks for signals stays where it is: no unwinder knows the code's frames.
TEST(machine_code_outlives_the_end_of_its_thread) {
  static std::atomic<bool> asked{false};
  struct Ends final : Interrupt {
    void check() override {
      asked = true;
      pthread_exit(nullptr);
    }
  };
  static Ends ends;
  Interrupt* before = process_interrupt();
  set_process_interrupt(&ends);
  static const std::vector<BytecodeInstruction> instructions = {instruction(Kind::kLoop, {}, 0, 0)};
  static const std::unique_ptr<const MachineCode> machine = MachineCode::translate(instructions, {}, {});
  std::thread([] {
    const Node* failed = nullptr;
    machine->run(nullptr, nullptr, failed);
  }).detach();
  while (!asked) std::this_thread::yield();
  set_process_interrupt(before);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

// Every kind and every table function, on every pair of edge values, with operands in registers, in memory and known.
class Every {
 public:
  static constexpr std::int64_t kIntegers[] = {0,
                                               1,
                                               -1,
                                               2,
                                               -7,
                                               1000,
                                               std::numeric_limits<std::int32_t>::min(),
                                               std::numeric_limits<std::int32_t>::max(),
                                               std::numeric_limits<std::int64_t>::min(),
                                               std::numeric_limits<std::int64_t>::max()};
  static constexpr double kReals[] = {0.0,
                                      -0.0,
                                      1.0,
                                      -2.5,
                                      3e38,
                                      1e-45,
                                      5e-324,
                                      2147483648.0,
                                      -9.3e18,
                                      std::numeric_limits<double>::infinity(),
                                      -std::numeric_limits<double>::infinity(),
                                      std::numeric_limits<double>::quiet_NaN()};

  static std::vector<Register> values(DType t) {
    std::vector<Register> all;
    if (t == DType::kBool) all = {register_of(false), register_of(true)};
    if (t == DType::kInt32)
      for (std::int64_t v : kIntegers) all.push_back(register_of(static_cast<std::int32_t>(v)));
    if (t == DType::kInt64)
      for (std::int64_t v : kIntegers) all.push_back(register_of(v));
    if (t == DType::kFloat)
      for (double v : kReals) all.push_back(register_of(static_cast<float>(v)));
    if (t == DType::kDouble)
      for (double v : kReals) all.push_back(register_of(v));
    return all;
  }

  // out = f(in...), where bit k of `known` makes operand k a constant, and `in_place` the result the last operand.
  static void check(BytecodeInstruction instruction, DType in, DType out, const std::vector<Register>& operands,
                    unsigned known, bool in_place) {
    const int n = scalar::num_inputs(instruction.kind);
    std::vector<Register> registers = operands;
    std::vector<Slot> variables;
    for (int k = 0; k < n; ++k) {
      instruction.in[k] = static_cast<Slot>(k);
      if (!(known >> k & 1)) variables.push_back(static_cast<Slot>(k));
    }
    registers.resize(static_cast<std::size_t>(n) + 1);
    instruction.out = static_cast<Slot>(in_place ? n - 1 : n);
    if (in_place) {
      variables.push_back(instruction.out);
    } else {
      variables.push_back(static_cast<Slot>(n));
    }
    Node node;
    instruction.node = &node;
    const std::vector<BytecodeInstruction> instructions = {instruction};
    std::vector<Register> wanted = registers, found = registers;
    const Node *wanted_failed = nullptr, *found_failed = nullptr;
    std::string wanted_error, found_error;
    try {
      scalar::run(instructions, wanted.data(), nullptr, wanted_failed);
    } catch (const Error& e) {
      wanted_error = e.message();
    }
    auto machine = MachineCode::translate(instructions, registers, variables);
    CHECK(machine != nullptr);
    add_registers(*machine, found);
    try {
      machine->run(found.data(), nullptr, found_failed);
    } catch (const Error& e) {
      found_error = e.message();
    }
    if (wanted_error != found_error || wanted_failed != found_failed ||
        (wanted_error.empty() && !same(wanted[instruction.out].bytes, found[instruction.out].bytes, out)))
      failed(__FILE__, __LINE__,
             "kind " + std::to_string(static_cast<int>(instruction.kind)) + " function " +
                 std::to_string(instruction.function) + " of " + std::string(name(in)) + " known " +
                 std::to_string(known));
  }

  static void all(BlockArity arity, int function, DType t, DType result, BlockResult kind) {
    const BlockSpec spec{arity, function, 1.0, kind};
    const Block block = find_block(spec, t, result);
    if (!block) return;
    BytecodeInstruction instruction;
    instruction.kind = scalar::kind_of(spec, t);
    instruction.function = arity == BlockArity::kCast ? scalar::kCastFunction : static_cast<std::uint8_t>(function);
    instruction.operand = t;
    instruction.result = result;
    const int n = scalar::num_inputs(instruction.kind);
    if (n == 1) instruction.unary = block.kernel.unary;
    if (n == 2) instruction.binary = block.kernel.binary;
    if (n == 3) instruction.ternary = block.kernel.ternary;
    const std::vector<Register> of_type = values(t);
    for (unsigned known = 0; known < 1u << n; ++known) {
      const bool in_place = known >> (n - 1) == 0 && t == result;
      for (const Register& a : of_type) {
        if (n == 1) {
          check(instruction, t, result, {a}, known, in_place);
          continue;
        }
        for (const Register& b : of_type) {
          if (n == 2) check(instruction, t, result, {a, b}, known, in_place);
          if (n == 3 && function == id_of<functions::Select>)
            for (bool c : {false, true}) check(instruction, t, result, {register_of(c), a, b}, known, in_place);
        }
      }
    }
  }

 private:
  template <typename T>
  static Register register_of(T value) {
    Register c{};
    std::memcpy(c.bytes, &value, sizeof value);
    return c;
  }
};

constexpr DType kRegisterTypes[] = {DType::kBool, DType::kInt32, DType::kInt64, DType::kFloat, DType::kDouble};

void every_function() {
  for (DType t : kRegisterTypes) {
    for (int f : {id_of<functions::Abs>, id_of<functions::Neg>, id_of<functions::Square>, id_of<functions::Reciprocal>,
                  id_of<functions::Floor>, id_of<functions::Ceil>, id_of<functions::Round>, id_of<functions::Sqrt>,
                  id_of<functions::LogicalNot>})
      Every::all(BlockArity::kUnary, f, t, t, BlockResult::kSame);
    Every::all(BlockArity::kUnary, id_of<functions::IsNan>, t, DType::kBool, BlockResult::kBool);
    for (int f :
         {id_of<functions::Add>, id_of<functions::Sub>, id_of<functions::Mul>, id_of<functions::SquaredDifference>,
          id_of<functions::Maximum>, id_of<functions::Minimum>, id_of<functions::Div>, id_of<functions::FloorDiv>,
          id_of<functions::FloorMod>, id_of<functions::TruncateDiv>, id_of<functions::TruncateMod>,
          id_of<functions::BitwiseAnd>, id_of<functions::BitwiseOr>, id_of<functions::BitwiseXor>,
          id_of<functions::LogicalAnd>, id_of<functions::LogicalOr>})
      Every::all(BlockArity::kBinary, f, t, t, BlockResult::kSame);
    for (int f : {id_of<functions::Equal>, id_of<functions::NotEqual>, id_of<functions::Less>,
                  id_of<functions::LessEqual>, id_of<functions::Greater>, id_of<functions::GreaterEqual>})
      Every::all(BlockArity::kBinary, f, t, DType::kBool, BlockResult::kBool);
    Every::all(BlockArity::kTernary, id_of<functions::Select>, t, t, BlockResult::kSame);
    for (DType to : kRegisterTypes) Every::all(BlockArity::kCast, 0, t, to, BlockResult::kDstT);
  }
}

TEST(machine_code_of_every_function_on_edge_values) {
  every_function();
  FlushSubnormals flush;
  every_function();
}

}  // namespace
}  // namespace tracefn::test

#endif
