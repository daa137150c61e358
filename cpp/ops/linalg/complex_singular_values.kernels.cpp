// Singular values of complex matrices.
#include "ops/linalg/singular_values.kernels.h"

namespace tracefn {

void fill_complex_singular_values(DecompositionTable& table) {
  table.of[slot(DType::kComplex128)].svd = svd<std::complex<double>>;
}

}  // namespace tracefn
