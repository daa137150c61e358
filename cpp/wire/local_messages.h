// The messages that programs can name without a FileDescriptorSet: tensorflow.Example and what it holds.
#pragma once

#include <string>

namespace tracefn {

// A serialized FileDescriptorSet (tensorflow/core/example/example.proto and feature.proto).
std::string local_messages();

}  // namespace tracefn
