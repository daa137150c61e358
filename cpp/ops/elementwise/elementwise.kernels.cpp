// Fills the elementwise part of the kernel table, file by file.
#include "ops/elementwise/elementwise.kernels.h"

#include "ops/elementwise/loops.kernels.h"

namespace tracefn {

void fill_elementwise(ElementwiseKernels& kernels) {
  fill_arithmetic(kernels);
  fill_division(kernels);
  fill_rounding(kernels);
  fill_math(kernels);
  fill_trigonometry(kernels);
  fill_power(kernels);
  fill_special(kernels);
  fill_activation(kernels);
  fill_bitwise(kernels);
  fill_complex(kernels);
  fill_compare(kernels);
  fill_select(kernels);
  fill_cast(kernels);
}

}  // namespace tracefn
