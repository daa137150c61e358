// The usual backward dataflow to a fixpoint: a few rounds, as loops are nested.
#include "exec/machine_code/liveness.h"

#include <algorithm>

namespace tracefn::machine_code {

Liveness::Liveness(std::span<const scalar::Step> steps, std::size_t num_slots, std::span<const scalar::Slot> results)
    : before(steps.size() + 1, num_slots), after(steps.size(), num_slots) {
  for (scalar::Slot s : results) before.set(steps.size(), s);
  BitTable needed(1, num_slots);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = steps.size(); i-- > 0;) {
      const scalar::Step& step = steps[i];
      const bool always_jumps = step.kind == scalar::Kind::kJump || step.kind == scalar::Kind::kLoop;
      if (!always_jumps) unite(after.row(i), before.row(i + 1));
      if (scalar::jumps(step.kind)) unite(after.row(i), before.row(step.target));
      std::ranges::copy(after.row(i), needed.row(0).begin());
      if (scalar::writes(step.kind)) needed.clear(0, step.out);
      for (int k = 0; k < scalar::num_inputs(step.kind); ++k) needed.set(0, step.in[k]);
      changed |= unite(before.row(i), needed.row(0));
    }
  }
}

}  // namespace tracefn::machine_code
