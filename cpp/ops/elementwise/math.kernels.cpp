// Kernels of exponentials, logarithms and roots, the logistic function, and their gradients.
#include "ops/elementwise/broad_vectors.kernels.h"
#include "ops/elementwise/loops.kernels.h"

namespace tracefn {

void fill_math(BlockRow* rows) { fill_rows(rows, functions::MathFunctions{}); }

}  // namespace tracefn
