// The normalization part of the kernel table. Of batches: sums over the rows of matrices of floats, column by column,
// and what is then done to every element. Of neighboring channels: sums of windows, by which elements are divided.
#pragma once

#include <cstdint>

namespace tracefn {

// A row-major matrix of `rows` by `width`; the vectors below have `width` elements, one for each column.
struct NormalizationKernels {
  // sums = the sum over the rows of x - center, squares = that of (x - center)^2.
  void (*moments)(const float* x, const float* center, std::int64_t rows, std::int64_t width, float* sums,
                  float* squares);
  // sums = the sum over the rows of dy, products = that of dy (x - center).
  void (*gradient_sums)(const float* dy, const float* x, const float* center, std::int64_t rows, std::int64_t width,
                        float* sums, float* products);
  // y = (x - center) factor + offset
  void (*normalize)(const float* x, const float* center, const float* factor, const float* offset, std::int64_t rows,
                    std::int64_t width, float* y);
  // dx = factor (dy - of_dy - (x - center) of_x)
  void (*gradient)(const float* dy, const float* x, const float* center, const float* factor, const float* of_dy,
                   const float* of_x, std::int64_t rows, std::int64_t width, float* dx);

  // Of lines of n elements: y = x^2, x[i] += x[i + shift], y += x.
  void (*squares)(const float* x, std::int64_t n, float* y);
  void (*add_shifted)(float* x, std::int64_t shift, std::int64_t n);
  void (*add)(const float* x, std::int64_t n, float* y);
  // norm = bias + alpha norm, y = x norm^-beta
  void (*respond)(const float* x, float bias, float alpha, float beta, std::int64_t n, float* norm, float* y);
  // to = dy y / norm
  void (*parts)(const float* dy, const float* y, const float* norm, std::int64_t n, float* to);
  // dx = responded - factor x sum, where `responded` is dx before
  void (*subtract_parts)(const float* x, const float* sums, float factor, std::int64_t n, float* dx);
};

void fill_normalization(NormalizationKernels& kernels);

}  // namespace tracefn
