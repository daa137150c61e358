// Type inference: slots connected by moves have one type; each operation determines its operands' and result's types.
#include "exec/machine_code/slot_types.h"

#include <numeric>

namespace tracefn::machine_code {
namespace {

using scalar::Slot;
using scalar::Step;
using Role = Operation::Role;

class Types {
 public:
  Types(std::span<const Step> steps, std::span<const Operation> operations, std::size_t num_slots)
      : same_as_(num_slots), types_(num_slots, Type::kNone), mixed_(num_slots, 0) {
    std::iota(same_as_.begin(), same_as_.end(), Slot{0});
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (operations[i].role == Role::kMove) join(steps[i].in[0], steps[i].out);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Operation& o = operations[i];
      for (int k = 0; k < o.num_inputs; ++k) vote(steps[i].in[k], o.in[k]);
      if (scalar::writes(steps[i].kind)) vote(steps[i].out, o.out);
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (operations[i].role != Role::kMove) continue;
      const Slot root = find(steps[i].in[0]);
      mixed_[root] |= types_[root] != Type::kNone && bytes_of(types_[root]) != moved_bytes(steps[i].kind);
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

std::vector<Type> slot_types(std::span<const Step> steps, std::span<const Operation> operations,
                             std::size_t num_slots) {
  Types types(steps, operations, num_slots);
  std::vector<Type> all(num_slots);
  for (Slot s = 0; s < num_slots; ++s) all[s] = types.of(s);
  return all;
}

}  // namespace tracefn::machine_code
