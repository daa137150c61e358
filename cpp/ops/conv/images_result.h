// ImagesResult: output 0 of a convolution, computed with the channels last whatever its layout is.
#pragma once

#include "ops/conv/window.h"
#include "ops/linalg/gemm/product_result.h"

namespace tracefn {

// Lives for one call of a kernel; any thread finishes blocks of sums().
class ImagesResult {
 public:
  // Goes by blocks only if the layout has the channels last.
  ImagesResult(KernelContext& c, const ImageLayout& layout, bool by_blocks)
      : c_(c),
        layout_(layout),
        last_(layout.channels_second ? images_for(c.output(0), layout) : Tensor()),
        result_(c, layout.channels_second ? last_ : c.output(0), by_blocks && !layout.channels_second) {}

  ProductResult& sums() { return result_; }
  // All are summed.
  void complete() {
    result_.complete();
    if (layout_.channels_second) store_channels_last(c_, last_, layout_, c_.output(0));
  }

 private:
  KernelContext& c_;
  const ImageLayout& layout_;
  Tensor last_;
  ProductResult result_;
};

}  // namespace tracefn
