// The table of decompositions, part by part.
#include "ops/linalg/decompositions.kernels.h"

namespace tracefn {

void fill_decompositions(DecompositionTable& table) {
  fill_orthogonal(table);
  fill_least_squares(table);
  fill_singular_values(table);
  fill_eigenvalues(table);
  fill_square_root(table);
  fill_complex_square_root(table);
  fill_matrix_logarithm(table);
}

}  // namespace tracefn
