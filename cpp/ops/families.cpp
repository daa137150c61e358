// The list of op families.
#include "ops/families.h"

namespace tracefn {

void register_all(Registry& r) {
  register_elementwise_families(r);
  register_array_families(r);
  register_effect_families(r);
}

}  // namespace tracefn
