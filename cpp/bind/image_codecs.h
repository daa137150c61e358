// Readers and writers of image files: tracefn._image_codecs, which uses Pillow.
#pragma once

#include "ops/image/image_codecs.h"

namespace tracefn::bind {

ImageCodecs& python_image_codecs();

}  // namespace tracefn::bind
