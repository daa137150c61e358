// The usual backward dataflow to a fixpoint: a few rounds, as loops are nested.
#include "jit/scalar/liveness.h"

#include <algorithm>

namespace tracefn::machine_code {

Liveness::Liveness(std::span<const scalar::BytecodeInstruction> instructions, std::size_t num_slots,
                   std::span<const scalar::Slot> results)
    : before(instructions.size() + 1, num_slots), after(instructions.size(), num_slots) {
  for (scalar::Slot s : results) before.set(instructions.size(), s);
  BitTable needed(1, num_slots);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = instructions.size(); i-- > 0;) {
      const scalar::BytecodeInstruction& instruction = instructions[i];
      const bool always_jumps = instruction.kind == scalar::Kind::kJump || instruction.kind == scalar::Kind::kLoop;
      if (!always_jumps) unite(after.row(i), before.row(i + 1));
      if (scalar::jumps(instruction.kind)) unite(after.row(i), before.row(instruction.target));
      std::ranges::copy(after.row(i), needed.row(0).begin());
      if (scalar::writes(instruction.kind)) needed.clear(0, instruction.out);
      for (int k = 0; k < scalar::num_inputs(instruction.kind); ++k) needed.set(0, instruction.in[k]);
      changed |= unite(before.row(i), needed.row(0));
    }
  }
}

}  // namespace tracefn::machine_code
