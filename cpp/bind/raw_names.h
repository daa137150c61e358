// The names of a few inputs and attributes in tf.raw_ops, which are not those of TensorFlow's OpDefs.
#pragma once

#include <string_view>

namespace tracefn::bind {

// "axis" for the `reduction_indices` of Sum; `declared` itself for all others.
std::string_view raw_parameter(std::string_view op, std::string_view declared);

}  // namespace tracefn::bind
