// Singular values of real matrices.
#include "ops/linalg/singular_values.kernels.h"

namespace tracefn {

void fill_singular_values(DecompositionTable& table) { table.of[slot(DType::kDouble)].svd = svd<double>; }

}  // namespace tracefn
