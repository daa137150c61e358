// Copies between row-major memory and strided views of it: implements slices, reversals, repetitions and paddings.
#pragma once

#include "ops/kernel.h"
#include "tensor/tensor.h"

namespace tracefn {

// A block of a tensor: element (i0, i1, ...) lies at offset + i0 * strides[0] + i1 * strides[1] + ..., in elements.
struct View {
  std::int64_t offset = 0;
  Dims strides;

  // All of a row-major tensor.
  static View whole(const Shape& shape);
};

// to[i] = from[i] for every index i of a block of the given sizes. Strides may be negative, and 0 in `from`.
void copy_strided(const KernelContext& c, DType dtype, const Dims& sizes, const void* from, const View& from_view,
                  void* to, const View& to_view);

// Rows [begin, end) of x: shared if they are a good part of x's memory, else copied, so that a small piece does not
// keep a large buffer alive.
Tensor leading_rows(const Tensor& x, std::int64_t begin, std::int64_t end);

}  // namespace tracefn
