// The registration functions of convolutions.
#pragma once

namespace tracefn {

class Registry;

void register_conv(Registry& r);
void register_depthwise(Registry& r);
void register_dilation(Registry& r);

}  // namespace tracefn
