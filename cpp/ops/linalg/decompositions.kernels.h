// The part of the kernel table with the decompositions of one row-major matrix.
#pragma once

#include <cstdint>

#include "ops/array/array.kernels.h"
#include "tensor/dtype.h"

namespace tracefn {

// Kernels without a StopCheck run to their end: Eigen's iterations cannot be left in between. They expect that
// subnormal numbers are kept.
struct DecompositionKernels {
  // A = Q R for an m x n matrix, R with zeros below the diagonal: Q is m x m if `full`, else m x min(m, n).
  KernelEnd (*qr)(const void* a, void* q, void* r, std::int64_t m, std::int64_t n, bool full, StopCheck stop);
  // The following exist for double and complex128 only, in which the driver computes narrower numbers: the iterations
  // are many lines of code for each type.

  // The shortest X (n x k) that minimizes |A X - B| for A (m x n). Pivots below `threshold` times the largest one are
  // zero.
  void (*least_squares)(const void* a, const void* b, void* x, std::int64_t m, std::int64_t n, std::int64_t k,
                        double threshold);
  // A = U diag(s) V^H, with descending real s. Columns of U and V: all if `full`, else min(m, n). Both may be null.
  void (*svd)(const void* a, double* s, void* u, void* v, std::int64_t m, std::int64_t n, bool full);
  // A V = V diag(e) for the Hermitian matrix of which A has the lower triangle, with ascending real e. V may be null.
  // Refused if the iteration does not converge.
  KernelEnd (*self_adjoint)(const void* a, double* e, void* v, std::int64_t n);
  // A V = V diag(e) for any A, with complex e and V. V may be null. Refused as above.
  KernelEnd (*eigen)(const void* a, void* e, void* v, std::int64_t n);
  // X with X X = A.
  void (*square_root)(const void* a, void* x, std::int64_t n);
  // X with exp(X) = A for a complex A.
  void (*logarithm)(const void* a, void* x, std::int64_t n);
};

// One row per number type: float, double, complex64, complex128.
struct DecompositionTable {
  DecompositionKernels of[kDTypeSlots];
};

void fill_decompositions(DecompositionTable& table);
// Its parts, one per file.
void fill_orthogonal(DecompositionTable& table);
void fill_least_squares(DecompositionTable& table);
void fill_singular_values(DecompositionTable& table);
void fill_eigenvalues(DecompositionTable& table);
void fill_square_root(DecompositionTable& table);
void fill_complex_square_root(DecompositionTable& table);
void fill_matrix_logarithm(DecompositionTable& table);

}  // namespace tracefn
