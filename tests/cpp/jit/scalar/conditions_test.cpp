// Conditions of several parts are tested part by part, with the same outcome.
#include "jit/scalar/conditions.h"

#include <algorithm>

#include "check.h"
#include "exec/scalar/interpreter.h"

namespace tracefn::test {
namespace {

using scalar::BytecodeInstruction;
using scalar::Kind;
using scalar::Register;
using scalar::Slot;

// Code as the compiler makes it of `if (condition) {out = 1} else {out = 2}` for a condition of parts, each of which is
// a slot that is given.
class Condition {
 public:
  static constexpr Slot kOut = 0, kOne = 1, kTwo = 2, kFirstPart = 3;

  // `shape` is read from left to right: "&" and "|" have two operands, a digit is a part.
  explicit Condition(const char* shape, Slot parts) : shape_(shape), slots_(kFirstPart + parts) {
    const Slot condition = value();
    const std::size_t unless = jump(Kind::kJumpUnless, condition);
    move(Kind::kMove4, kOne, kOut);
    const std::size_t end = jump(Kind::kJump);
    land(unless);
    move(Kind::kMove4, kTwo, kOut);
    land(end);
  }

  std::vector<BytecodeInstruction> code;
  std::size_t slots() const { return slots_; }

 private:
  Slot value() {
    const char kind = *shape_++;
    if (kind >= '0' && kind <= '9') return kFirstPart + static_cast<Slot>(kind - '0');
    const Slot first = value(), out = slots_++;
    const std::size_t unless = jump(Kind::kJumpUnless, first);
    move(Kind::kMove1, kind == '&' ? value() : first, out);
    const std::size_t end = jump(Kind::kJump);
    land(unless);
    move(Kind::kMove1, kind == '&' ? first : value(), out);
    land(end);
    return out;
  }
  void move(Kind kind, Slot from, Slot to) {
    BytecodeInstruction s;
    s.kind = kind;
    s.in[0] = from;
    s.out = to;
    code.push_back(s);
  }
  std::size_t jump(Kind kind, Slot condition = 0) {
    BytecodeInstruction s;
    s.kind = kind;
    s.in[0] = condition;
    code.push_back(s);
    return code.size() - 1;
  }
  void land(std::size_t i) { code[i].target = static_cast<std::uint32_t>(code.size()); }

  const char* shape_;
  Slot slots_;
};

int outcome(const std::vector<BytecodeInstruction>& code, std::size_t slots, unsigned parts) {
  std::vector<Register> registers(slots);
  scalar::put(registers[Condition::kOne], std::int32_t{1});
  scalar::put(registers[Condition::kTwo], std::int32_t{2});
  for (std::size_t i = Condition::kFirstPart; i < slots; ++i)
    scalar::put(registers[i], static_cast<unsigned char>(parts >> (i - Condition::kFirstPart) & 1));
  const Node* failed = nullptr;
  scalar::run(code, registers.data(), nullptr, failed);
  return scalar::get<std::int32_t>(registers[Condition::kOut]);
}

void check_same(const char* shape, Slot parts) {
  const Condition made(shape, parts);
  std::vector<BytecodeInstruction> threaded = made.code;
  const Slot out = Condition::kOut;
  scalar::thread_jumps(threaded, made.slots(), {&out, 1});
  for (unsigned values = 0; values < 1U << parts; ++values)
    CHECK_EQ(outcome(threaded, made.slots(), values), outcome(made.code, made.slots(), values));
  CHECK_EQ(std::ranges::count(threaded, Kind::kMove1, &BytecodeInstruction::kind), 0);
  CHECK_EQ(std::ranges::count(threaded, Kind::kJumpUnless, &BytecodeInstruction::kind), static_cast<int>(parts));
}

TEST(conditions_of_several_parts_become_jumps) {
  check_same("0", 1);
  for (const char* shape : {"&01", "|01"}) check_same(shape, 2);
  for (const char* shape : {"&0&12", "|0|12", "&0|12", "|0&12", "&&012", "||012", "&|012", "|&012"})
    check_same(shape, 3);
  for (const char* shape : {"&0&1&23", "|0|1|23", "&|01|23", "|&01&23", "&0|1&23", "|0&1|23"}) check_same(shape, 4);
}

TEST(conditions_that_are_read_again_keep_their_value) {
  Condition made("&01", 2);
  const Slot condition = Condition::kFirstPart + 2;
  BytecodeInstruction read;
  read.kind = Kind::kMove4;
  read.in[0] = condition;
  read.out = Condition::kOut;
  made.code.push_back(read);
  std::vector<BytecodeInstruction> threaded = made.code;
  const Slot out = Condition::kOut;
  scalar::thread_jumps(threaded, made.slots(), {&out, 1});
  CHECK_EQ(threaded.size(), made.code.size());
  for (unsigned values = 0; values < 4; ++values)
    CHECK_EQ(outcome(threaded, made.slots(), values), outcome(made.code, made.slots(), values));

  Condition kept("&01", 2);
  threaded = kept.code;
  scalar::thread_jumps(threaded, kept.slots(), {&condition, 1});  // a variable is read at the end
  CHECK_EQ(threaded.size(), kept.code.size());
}

}  // namespace
}  // namespace tracefn::test
