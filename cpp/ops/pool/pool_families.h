// The registration functions of pooling.
#pragma once

namespace tracefn {

class Registry;

void register_pool(Registry& r);
void register_pool_gradients(Registry& r);
void register_fractional_pool(Registry& r);

}  // namespace tracefn
