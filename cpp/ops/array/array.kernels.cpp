// Fills the array part of the kernel table.
#include "ops/array/array.kernels.h"

namespace tracefn {

void fill_array(ArrayKernels& kernels) {
  fill_reduce(kernels);
  fill_arg(kernels);
  fill_scan(kernels);
  fill_sort(kernels);
  fill_matmul(kernels);
  fill_linalg(kernels);
}

}  // namespace tracefn
