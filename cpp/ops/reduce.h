// Reduction of a tensor by one of the kernels, for the reduction ops and for kernels that need a sum.
#pragma once

#include "ops/kernel.h"
#include "ops/kernel_table.h"

namespace tracefn {

// For each axis whether it is reduced.
using AxisMask = SmallVector<bool, 8>;

// Precondition: `axes` has one element for each axis of x, and the function takes x's dtype.
Tensor reduced(const KernelContext& c, ReduceFunction function, const Tensor& x, const AxisMask& axes, bool keep_dims);

}  // namespace tracefn
