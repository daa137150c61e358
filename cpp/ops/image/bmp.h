// BMP files of 8, 24 or 32 bits without compression.
#pragma once

#include "ops/image/image_codecs.h"

namespace tracefn {

// `channels`: 0 (those of the file), 3 or 4. Error(kInvalidArgument), in TensorFlow's words, if the file does not fit.
Picture read_bmp(std::string_view file, std::int64_t channels);

}  // namespace tracefn
