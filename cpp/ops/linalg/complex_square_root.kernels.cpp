// Square roots of complex matrices.
#include "ops/linalg/square_root.kernels.h"

namespace tracefn {

void fill_complex_square_root(DecompositionTable& table) {
  table.of[slot(DType::kComplex128)].square_root = square_root<std::complex<double>>;
}

}  // namespace tracefn
