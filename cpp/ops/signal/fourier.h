// Discrete Fourier transforms along an axis of an array, of any length.
#pragma once

#include <complex>
#include <cstdint>

#include "ops/kernel.h"
#include "ops/signal/fft_plans.h"

namespace tracefn {

// Transforms data[outer, n, inner] along n in place, and multiplies by `scale`. The inverse transform is without 1/n.
// On several threads; polls.
template <typename T>
void transform_axis(const KernelContext& c, std::complex<T>* data, std::int64_t outer, std::int64_t n,
                    std::int64_t inner, bool inverse, double scale);

// The transform of one contiguous column in place, on this thread.
void transform_column(const MatrixPlan<double>& plan, std::complex<double>* data);

}  // namespace tracefn
