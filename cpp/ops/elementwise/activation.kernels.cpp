// Kernels of the activation functions of neural networks and their gradients.
#include "ops/elementwise/broad_vectors.kernels.h"
#include "ops/elementwise/loops.kernels.h"

namespace tracefn {

void fill_activation(BlockRow* rows) { fill_rows(rows, functions::ActivationFunctions{}); }

}  // namespace tracefn
