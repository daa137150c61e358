// The part of the kernel table for rows of logits: what softmax and the cross entropies compute besides reductions and
// elementwise functions.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace tracefn {

// Numbers of rows: one for all n elements, or one for each. `total` is the sum of the row's powers.
struct RowNumbers {
  const void *most, *total, *log_total;  // what a function does not use may be null
  bool one;
};

// The least elements of a row that is a loop of its own.
inline constexpr std::int64_t kLeastRow = 16;

struct SoftmaxKernel {
  // y = exp(x - most)
  void (*powers)(const void* x, const RowNumbers& row, void* y, std::int64_t n);
  // The same for rows of n >= kLeastRow elements, with a number for each; in place or not. And y *= factor.
  void (*powers_of_rows)(const void* x, const void* most, std::int64_t rows, std::int64_t n, void* y);
  void (*scale_rows)(void* y, const void* factors, std::int64_t rows, std::int64_t n);
  // y = x - most - log_total; in place or not
  void (*logarithms)(const void* x, const RowNumbers& row, void* y, std::int64_t n);
  // y, which holds powers, becomes y / total - labels; terms = labels * (log_total - (x - most)), 0 for a label of 0.
  void (*cross_entropy)(const void* x, const void* labels, const RowNumbers& row, void* y, void* terms, std::int64_t n);
};

struct SoftmaxKernels {
  SoftmaxKernel of[kDTypeSlots];  // float and double
};

void fill_softmax(SoftmaxKernels& kernels);

}  // namespace tracefn
