// Factors of matrices: Lu, Qr, LogMatrixDeterminant, CholeskyGrad. The decompositions are in linalg.kernels.cpp and
// orthogonal.kernels.cpp; half is computed as float.
#include "base/poll.h"
#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/kernel_table.h"
#include "ops/linalg/linalg_families.h"
#include "ops/linalg/matrix_ops.h"
#include "ops/linalg/matrix_shapes.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

void infer_lu(InferContext& c) {
  auto a = square_shape(c, 0);
  c.set_output(0, a ? matrices(a->batch, a->n, a->n) : Shape::unknown());
  c.set_output(1, a ? vectors(a->batch, a->n) : Shape::unknown());
}

void check_lu(const KernelContext& c) {
  if (c.input(0).rank() < 2) invalid_argument("Input tensor must have rank >= 2, got ", c.input(0).rank());
  check_square(c);
}

void lu(KernelContext& c) {
  const Shape& shape = c.input(0).shape();
  const std::int64_t n = rows_of(shape);
  Tensor a = as_float(c.input(0)), factors = wide_output(c.output(0));
  Tensor places = c.output(1).dtype() == DType::kInt32 ? c.output(1) : Tensor(DType::kInt32, c.output(1).shape());
  if (factors.num_elements() > 0)
    for_each_matrix(c, batch_of(shape).num_elements(), cubed(n), [&](std::int64_t i) {
      if (!is_done(kernels_for(a).lu(matrix_at(a, i, n * n), matrix_at(factors, i, n * n),
                                     static_cast<std::int32_t*>(matrix_at(places, i, n)), n, poll_stops)))
        invalid_argument("Input is not invertible.");
    });
  round_output(factors, c.output(0));
  if (c.output(1).dtype() == DType::kInt64)
    std::copy_n(places.data<std::int32_t>(), places.num_elements(), c.output(1).mutable_data<std::int64_t>());
}

void infer_log_determinant(InferContext& c) {
  auto a = square_shape(c, 0);
  for (std::size_t j = 0; j < 2; ++j) c.set_output(j, a ? a->batch : Shape::unknown());
}

void log_determinant(KernelContext& c) {
  const std::int64_t n = rows_of(c.input(0).shape());
  Tensor a = as_float(c.input(0)), sign = wide_output(c.output(0)), log_abs = wide_output(c.output(1));
  for_each_matrix(c, sign.num_elements(), cubed(n), [&](std::int64_t i) {
    is_done(kernels_for(a).log_determinant(matrix_at(a, i, n * n), matrix_at(sign, i, 1), matrix_at(log_abs, i, 1), n,
                                           poll_stops));
  });
  round_output(sign, c.output(0));
  round_output(log_abs, c.output(1));
}

// Nothing flows from the sign.
void grad_log_determinant(GradContext& c) {
  Operand inverse = emit1("MatrixInverse", {c.input(0)}, {{"adjoint", true}});
  c.to_input(0, matrix::expanded(matrix::expanded(c.dy(1), -1), -1) * inverse);
}

void infer_qr(InferContext& c) {
  c.require_rank_at_least(0, 2);
  const Shape& a = c.shape(0);
  if (!a.has_rank()) {
    c.set_output(0, Shape::unknown());
    return c.set_output(1, Shape::unknown());
  }
  const std::int64_t m = rows_of(a), n = columns_of(a), size = smaller_dim(m, n);
  const bool full = c.attr("full_matrices").b();
  c.set_output(0, matrices(batch_of(a), m, full ? m : size));
  c.set_output(1, matrices(batch_of(a), full ? m : size, n));
}

void qr(KernelContext& c) {
  const Shape& shape = c.input(0).shape();
  const std::int64_t m = rows_of(shape), n = columns_of(shape);
  const bool full = c.attr("full_matrices").b();
  if (m == 0 || n == 0) {
    if (c.output(0).num_elements() > 0) fill_identities(c.output(0));
    return c.output(1).fill_zeros();
  }
  Tensor a = as_float(c.input(0)), q = wide_output(c.output(0)), r = wide_output(c.output(1));
  const std::int64_t columns = columns_of(q.shape());
  const double work = 4 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(columns);
  for_each_matrix(c, batch_of(shape).num_elements(), work, [&](std::int64_t i) {
    is_done(kernel_table().decompositions.of[slot(a.dtype())].qr(matrix_at(a, i, m * n), matrix_at(q, i, m * columns),
                                                                 matrix_at(r, i, columns * n), m, n, full, poll_stops));
  });
  round_output(q, c.output(0));
  round_output(r, c.output(1));
}

// X R^-H for an upper triangular R.
Operand over_adjoint(const Operand& x, const Operand& r) {
  return matrix::adjoint(emit1("MatrixTriangularSolve", {r, matrix::adjoint(x)}, {{"lower", false}}));
}

// For at least as many rows as columns; D. A. O. Roberts, L. R. Roberts, "QR and LQ Decomposition Matrix
// Backpropagation Algorithms" (2020), https://arxiv.org/abs/2009.10071. With M = R dR^H - dQ^H Q, dA = (dQ + Q
// copyltu(M)) R^-H, where copyltu keeps the lower triangle and mirrors it.
Operand grad_tall(const Operand& q, const Operand& r, const Operand& dq, const Operand& dr) {
  Operand q_dq = matrix::product(q, dq, true, false), r_dr = matrix::product(r, dr, false, true);
  Operand skew = (q_dq - matrix::adjoint(q_dq)) + (r_dr - matrix::adjoint(r_dr));
  Operand inner = matrix::product(q, dr + over_adjoint(matrix::lower(skew), r));
  Operand result = inner + over_adjoint(dq - matrix::product(q, q_dq), r);
  if (!is_complex(q.dtype())) return result;
  // The imaginary part of M's diagonal, which the mirror leaves out.
  Operand diagonal = matrix::diagonal(r_dr - matrix::adjoint(q_dq));
  Operand imaginary = matrix::from_diagonal(build::conj(diagonal - matrix::real_part(diagonal)));
  return result + over_adjoint(matrix::product(q, imaginary), r);
}

void grad_qr(GradContext& c) {
  const Operand &q = c.output(0), &r = c.output(1);
  const Shape &sq = q.shape(), &sr = r.shape();
  if (!sr.has_rank() || rows_of(sr) < 0 || columns_of(sr) < 0)
    fail(ErrorKind::kNotImplemented, "QrGrad not implemented with dynamic shapes. Received r.shape: ", sr.text());
  if (rows_of(sr) > columns_of(sr) && rows_of(sq) == columns_of(sq))
    fail(ErrorKind::kNotImplemented,
         "QrGrad not implemented when nrows > ncols and full_matrices is true. Received r.shape=", sr.text(),
         " with nrows=", rows_of(sr), "and ncols=", columns_of(sr), ".");
  Operand dq = c.dy(0), dr = c.dy(1);
  const std::int64_t m = rows_of(sq), n = columns_of(sr);
  if (m >= n) return c.to_input(0, grad_tall(q, r, dq, dr));
  // A = [X Y] and R = [U V], where X = Q U is square.
  const auto size = static_cast<std::int32_t>(m);
  Operand y = matrix::columns(c.input(0), size, 0), dv = matrix::columns(dr, size, 0);
  Operand dx =
      grad_tall(q, matrix::columns(r, 0, size), dq + matrix::product(y, dv, false, true), matrix::columns(dr, 0, size));
  c.to_input(0, emit1("ConcatV2", {dx, matrix::product(q, dv), build::scalar(DType::kInt32, -1)}));
}

void infer_cholesky_grad(InferContext& c) {
  auto l = square_shape(c, 0);
  c.require_rank_at_least(1, 2);
  c.set_output(0, l ? matrices(l->batch, l->n, l->n) : Shape::unknown());
}

void check_cholesky_grad(const KernelContext& c) {
  require_equal_batches(c, 2);
  const Shape &l = c.input(0).shape(), &dl = c.input(1).shape();
  if (rows_of(l) != rows_of(dl) || columns_of(l) != columns_of(dl))
    invalid_argument("Inputs (L and grad) must have the same shape.");
  if (rows_of(l) != columns_of(l)) invalid_argument("Inputs must be a square matrices.");
}

void cholesky_grad(KernelContext& c) {
  const Shape& shape = c.input(0).shape();
  const std::int64_t n = rows_of(shape);
  Tensor l = as_float(c.input(0)), dl = as_float(c.input(1)), da = wide_output(c.output(0));
  if (da.num_elements() > 0)
    for_each_matrix(c, batch_of(shape).num_elements(), 3 * cubed(n), [&](std::int64_t i) {
      is_done(kernels_for(l).cholesky_gradient(matrix_at(l, i, n * n), matrix_at(dl, i, n * n), matrix_at(da, i, n * n),
                                               n, poll_stops));
    });
  round_output(da, c.output(0));
}

}  // namespace

void register_factors(Registry& r) {
  constexpr std::string_view types = "T: {double, float, half, complex64, complex128}";
  r.add({.name = "Lu",
         .python = "linalg.lu(input, output_idx_type)",
         .inputs = {"input: T"},
         .outputs = {"lu: T", "p: output_idx_type"},
         .attrs = {types, "output_idx_type: {int32, int64} = DT_INT32"},
         .doc = "The LU decomposition with partial pivoting of each matrix in a tensor [..., n, n].\n\nReturns `lu`, "
                "which holds L below the diagonal (whose own diagonal is 1) and U above, and `p` [..., n]: row i of "
                "L @ U is row p[i] of the input. Raises InvalidArgumentError if a matrix is singular.",
         .infer = infer_lu,
         .check = check_lu,
         .kernel = lu,
         .grad = without_gradient});
  r.add({.name = "LogMatrixDeterminant",
         .python = "linalg.slogdet(input)",
         .inputs = {"input: T"},
         .outputs = {"sign: T", "log_abs_determinant: T"},
         .attrs = {"T: {half, float, double, complex64, complex128}"},
         .doc = "The sign and the logarithm of the absolute value of the determinant of each matrix in a tensor "
                "[..., n, n].\n\nThe sign of a complex determinant is a number of size 1. A singular matrix has the "
                "sign 0 and the logarithm -inf.",
         .infer = infer_log_determinant,
         .check = check_square,
         .kernel = log_determinant,
         .grad = grad_log_determinant});
  r.add({.name = "Qr",
         .python = "linalg.qr(input, full_matrices)",
         .inputs = {"input: T"},
         .outputs = {"q: T", "r: T"},
         .attrs = {"full_matrices: bool = false", types},
         .doc =
             "The QR decomposition of each matrix in a tensor [..., m, n]: input = q @ r with orthonormal columns in "
             "q and zeros below the diagonal of r.\n\nWith p = min(m, n), q is [..., m, p] and r [..., p, n]; with "
             "`full_matrices`, q is [..., m, m] and r [..., m, n].",
         .infer = infer_qr,
         .check = check_matrices,
         .kernel = qr,
         .grad = grad_qr});
  r.add({.name = "CholeskyGrad",
         .inputs = {"l: T", "grad: T"},
         .outputs = {"output: T"},
         .attrs = {"T: {half, float, double}"},
         .doc = "The gradient of matrices whose Cholesky factors `l` have the gradients `grad`, as symmetric matrices. "
                "Only the lower triangles are read.",
         .infer = infer_cholesky_grad,
         .check = check_cholesky_grad,
         .kernel = cholesky_grad,
         .grad = without_gradient});
}

}  // namespace tracefn
