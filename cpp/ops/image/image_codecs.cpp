// The codecs in use.
#include "ops/image/image_codecs.h"

#include <atomic>

#include "base/error.h"

namespace tracefn {
namespace {
std::atomic<ImageCodecs*> installed{nullptr};
}

ImageCodecs* set_image_codecs(ImageCodecs* codecs) { return installed.exchange(codecs); }

ImageCodecs& image_codecs() {
  ImageCodecs* codecs = installed;
  if (!codecs) fail(ErrorKind::kUnimplemented, "This program has no codecs for images.");
  return *codecs;
}

}  // namespace tracefn
