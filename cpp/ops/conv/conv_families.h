// The registration functions of convolutions.
#pragma once

namespace tracefn {

class Registry;

void register_conv(Registry& r);

}  // namespace tracefn
