// The ragged families, by name.
#include "ops/families.h"

#include "ops/ragged/ragged.h"

namespace tracefn {

void register_ragged_families(Registry& r) {
  register_ragged_range(r);
  register_ragged_gather(r);
  register_ragged_to_tensor(r);
  register_ragged_to_sparse(r);
  register_ragged_variant(r);
  register_ragged_fill_empty_rows(r);
  register_ragged_cross(r);
}

}  // namespace tracefn
