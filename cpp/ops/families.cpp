// The list of op families.
#include "ops/families.h"

#include "ops/array/array_families.h"
#include "ops/conv/conv_families.h"
#include "ops/pool/pool_families.h"

namespace tracefn {

void register_window_families(Registry& r) {
  register_conv(r);
  register_depthwise(r);
  register_batch_norm(r);
  register_local_response(r);
  register_dilation(r);
  register_pool(r);
  register_pool_gradients(r);
  register_fractional_pool(r);
}

void register_all(Registry& r) {
  register_elementwise_families(r);
  register_array_families(r);
  register_window_families(r);
  register_effect_families(r);
}

}  // namespace tracefn
