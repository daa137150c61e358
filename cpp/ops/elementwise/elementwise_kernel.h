// The block kernels of elementwise functions that code names.
#pragma once

#include "ops/elementwise/functions.h"
#include "ops/kernel_table.h"

namespace tracefn {

// The block kernel of elementwise function F for operands of this dtype; null if there is none.
template <typename F>
auto elementwise_kernel(DType dtype) {
  const BlockKernel& kernel = kernel_table().elementwise.functions[id_of<F>][slot(dtype)];
  if constexpr (F::kArity == BlockArity::kUnary) {
    return kernel.unary;
  } else if constexpr (F::kArity == BlockArity::kBinary) {
    return kernel.binary;
  } else {
    return kernel.ternary;
  }
}

}  // namespace tracefn
