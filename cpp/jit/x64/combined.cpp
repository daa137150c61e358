// Searches back from the second instruction, no further than the nearest jump target.
#include "jit/x64/combined.h"

#include <optional>

namespace tracefn::machine_code {
namespace {

using scalar::BytecodeInstruction;
using scalar::Slot;

// The instruction before `at` that wrote `s`, with no write to `s` and no jump target in between.
std::optional<std::size_t> made_by(const Code& code, const std::vector<char>& is_target, std::size_t at, Slot s) {
  while (at > 0 && !is_target[at]) {
    --at;
    if (scalar::jumps(code.instructions[at].kind)) break;
    if (scalar::writes(code.instructions[at].kind) && code.instructions[at].out == s) return at;
  }
  return std::nullopt;
}

bool changes(const Code& code, std::size_t from, std::size_t to, Slot s) {
  for (std::size_t i = from; i < to; ++i)
    if (scalar::writes(code.instructions[i].kind) && code.instructions[i].out == s) return true;
  return false;
}

class Combination {
 public:
  Combination(Code& code, std::vector<Operation>& operations)
      : code_(code),
        operations_(operations),
        constants_(code.constants()),
        is_target_(scalar::targets(code.instructions)) {}

  void run() {
    for (std::size_t i = 0; i < code_.instructions.size(); ++i) {
      const Operation& o = operations_[i];
      if (!is_integer(o.in[0])) continue;
      if (o.op == MachineOp::kEqual || o.op == MachineOp::kNotEqual) test_bits(i);
      if (o.op == MachineOp::kAdd || o.op == MachineOp::kSub) add_scaled(i);
    }
  }

 private:
  // The value of a constant slot.
  std::optional<std::int64_t> number(Slot s, Type t) const {
    return constants_[s] ? std::optional(integer_in(code_.initial[s], t)) : std::nullopt;
  }
  Slot new_constant(std::int64_t value) {
    code_.initial.emplace_back();
    scalar::put(code_.initial.back(), value);
    constants_.push_back(1);
    return static_cast<Slot>(code_.initial.size() - 1);
  }
  // The instruction with this operation that wrote `s` for instruction i.
  const BytecodeInstruction* made_with(MachineOp op, std::size_t i, Slot s) const {
    const std::optional<std::size_t> made = made_by(code_, is_target_, i, s);
    return made && operations_[*made].op == op ? &code_.instructions[*made] : nullptr;
  }
  bool changes(const BytecodeInstruction* from, std::size_t to, Slot s) const {
    return machine_code::changes(code_, static_cast<std::size_t>(from - code_.instructions.data()), to, s);
  }

  void test_bits(std::size_t i) {
    BytecodeInstruction& comparison = code_.instructions[i];
    Operation& o = operations_[i];
    const Type t = o.in[0];
    if (number(comparison.in[1], t) != 0) return;
    const BytecodeInstruction* remainder = made_with(MachineOp::kFloorMod, i, comparison.in[0]);
    if (!remainder || changes(remainder, i, remainder->in[0])) return;
    const std::optional<std::int64_t> divisor = number(remainder->in[1], t);
    if (!divisor || !is_small_power_of_two(*divisor)) return;
    comparison.in[0] = remainder->in[0];
    comparison.in[1] = new_constant(*divisor - 1);
    o.op = o.op == MachineOp::kEqual ? MachineOp::kNoBits : MachineOp::kAnyBits;
  }

  void add_scaled(std::size_t i) {
    BytecodeInstruction& sum = code_.instructions[i];
    Operation& o = operations_[i];
    const Type t = o.in[0];
    const bool swapped = o.op == MachineOp::kAdd && constants_[sum.in[0]];
    const Slot scaled = sum.in[swapped ? 1 : 0];
    std::optional<std::int64_t> addend = number(sum.in[swapped ? 0 : 1], t);
    const BytecodeInstruction* product = made_with(MachineOp::kMul, i, scaled);
    if (!addend || !product) return;
    if (o.op == MachineOp::kSub) *addend = -static_cast<std::uint64_t>(*addend);
    if (*addend != static_cast<std::int32_t>(*addend)) return;
    const int k = constants_[product->in[0]] ? 0 : 1;
    const Slot x = product->in[1 - k];
    const std::optional<std::int64_t> factor = number(product->in[k], t);
    if (factor != 2 && factor != 3 && factor != 5 && factor != 9) return;
    if (changes(product, i, x)) return;
    sum.function = static_cast<std::uint8_t>(*factor);
    sum.in[0] = x;
    sum.in[1] = new_constant(*addend);
    o.op = MachineOp::kScaledAdd;
  }

  Code& code_;
  std::vector<Operation>& operations_;
  std::vector<char> constants_, is_target_;
};

}  // namespace

void combine_instructions(Code& code, std::vector<Operation>& operations) { Combination(code, operations).run(); }

}  // namespace tracefn::machine_code
