// Square roots of real matrices.
#include "ops/linalg/square_root.kernels.h"

namespace tracefn {

void fill_square_root(DecompositionTable& table) { table.of[slot(DType::kDouble)].square_root = square_root<double>; }

}  // namespace tracefn
