// Kernels of the trigonometric and hyperbolic functions and their inverses.
#include "ops/elementwise/broad_vectors.kernels.h"
#include "ops/elementwise/loops.kernels.h"

namespace tracefn {

void fill_trigonometry(BlockRow* rows) { fill_rows(rows, functions::TrigonometryFunctions{}); }

}  // namespace tracefn
