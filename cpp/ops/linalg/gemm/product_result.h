// ProductResult: where the sums of products go, and what happens to each block of them once it is complete and still in
// the cache: it is rounded if the result has fewer bits, and handed to the ops that go on with it (BlockFinisher).
#pragma once

#include "ops/linalg/gemm/gemm.h"

namespace tracefn {

// Lives for one call of a kernel and borrows its output. The calling thread sets it up and completes it; any thread
// finishes blocks.
class ProductResult {
 public:
  // `out`: the kernel's output 0; or, without `by_blocks`, any tensor, whose elements may be moved there later.
  ProductResult(KernelContext& c, Tensor& out, bool by_blocks = true);

  // Where to sum element i: as a float if the result has 16 bits.
  void* sums(std::int64_t i) { return static_cast<char*>(wide_.mutable_raw()) + i * size_; }
  Tensor& all() { return wide_; }
  bool by_blocks() const { return by_blocks_; }
  // Elements at + i * stride + j are summed, for i < rows and j < columns: unless by_blocks(), for nobody's use.
  void finish(std::int64_t at, std::int64_t rows, std::int64_t columns, std::int64_t stride);
  // All are summed: rounds them, unless finish() has done it.
  void complete();

 private:
  friend struct ProductPart;

  Tensor& out_;
  const bool by_blocks_;
  BlockFinisher* const next_;
  Tensor wide_;
  const std::int64_t size_;
  void (*const narrow_)(const float* x, void* y, std::int64_t n);  // null: nothing to round
};

// The result of one product among several: its C starts at element `first`, with `stride` from row to row. Outlives the
// product.
struct ProductPart {
  ProductResult& result;
  std::int64_t first = 0, stride = 0;

  // Where `g` goes.
  void set(Gemm& g) const;
};

}  // namespace tracefn
