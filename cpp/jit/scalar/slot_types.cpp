// Type inference: slots connected by moves have one type; each operation determines its operands' and result's types.
#include "jit/scalar/slot_types.h"

#include <numeric>

namespace tracefn::machine_code {
namespace {

using scalar::BytecodeInstruction;
using scalar::Slot;
using Role = Operation::Role;

class Types {
 public:
  Types(std::span<const BytecodeInstruction> instructions, std::span<const Operation> operations, std::size_t num_slots)
      : same_as_(num_slots), types_(num_slots, Type::kNone), mixed_(num_slots, 0) {
    std::iota(same_as_.begin(), same_as_.end(), Slot{0});
    for (std::size_t i = 0; i < instructions.size(); ++i)
      if (operations[i].role == Role::kMove) join(instructions[i].in[0], instructions[i].out);
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      const Operation& o = operations[i];
      for (int k = 0; k < o.num_inputs; ++k) vote(instructions[i].in[k], o.in[k]);
      if (scalar::writes(instructions[i].kind)) vote(instructions[i].out, o.out);
    }
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      if (operations[i].role != Role::kMove) continue;
      const Slot root = find(instructions[i].in[0]);
      mixed_[root] |= types_[root] != Type::kNone && bytes_of(types_[root]) != moved_bytes(instructions[i].kind);
    }
  }
  Type of(Slot s) {
    const Slot root = find(s);
    return mixed_[root] ? Type::kNone : types_[root];
  }

 private:
  Slot find(Slot s) {
    while (same_as_[s] != s) s = same_as_[s] = same_as_[same_as_[s]];
    return s;
  }
  void join(Slot a, Slot b) { same_as_[find(a)] = find(b); }
  void vote(Slot s, Type t) {
    if (t == Type::kNone) return;
    const Slot root = find(s);
    mixed_[root] |= types_[root] != Type::kNone && types_[root] != t;
    types_[root] = t;
  }

  std::vector<Slot> same_as_;
  std::vector<Type> types_;
  std::vector<char> mixed_;
};

}  // namespace

std::vector<Type> slot_types(std::span<const BytecodeInstruction> instructions, std::span<const Operation> operations,
                             std::size_t num_slots) {
  Types types(instructions, operations, num_slots);
  std::vector<Type> all(num_slots);
  for (Slot s = 0; s < num_slots; ++s) all[s] = types.of(s);
  return all;
}

}  // namespace tracefn::machine_code
