// Singular values and eigenvalues: Svd, SelfAdjointEigV2, Eig. Computed in double precision; the decompositions are in
// singular_values.kernels.cpp and eigenvalues.kernels.cpp.
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/linalg/linalg_families.h"
#include "ops/linalg/matrix_ops.h"
#include "ops/linalg/matrix_shapes.h"
#include "ops/linalg/wide_matrices.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

void infer_svd(InferContext& c) {
  c.require_rank_at_least(0, 2);
  const Shape& a = c.shape(0);
  const bool vectors_too = c.attr("compute_uv").b(), full = c.attr("full_matrices").b();
  for (std::size_t j = 1; j < 3 && !vectors_too; ++j) c.set_output(j, Shape({0}));
  if (!a.has_rank()) {
    c.set_output(0, Shape::unknown());
    for (std::size_t j = 1; j < 3 && vectors_too; ++j) c.set_output(j, Shape::unknown());
    return;
  }
  const std::int64_t m = rows_of(a), n = columns_of(a), size = smaller_dim(m, n);
  c.set_output(0, vectors(batch_of(a), size));
  if (!vectors_too) return;
  c.set_output(1, matrices(batch_of(a), m, full ? m : size));
  c.set_output(2, matrices(batch_of(a), n, full ? n : size));
}

// Where to compute real numbers for an output that may be complex, and how they get there.
Tensor real_output(const Tensor& out) {
  return out.dtype() == DType::kDouble ? out : Tensor(DType::kDouble, out.shape());
}

void round_reals(KernelContext& c, const Tensor& reals) {
  if (c.output(0).dtype() == DType::kComplex128) return c.set_output(0, in_double(reals, true));
  round_doubles(is_complex(c.output(0).dtype()) ? in_double(reals, true) : reals, c.output(0));
}

void svd(KernelContext& c) {
  const Shape& shape = c.input(0).shape();
  const std::int64_t m = rows_of(shape), n = columns_of(shape), size = std::min(m, n);
  const bool vectors_too = c.attr("compute_uv").b(), full = c.attr("full_matrices").b();
  if (size == 0) {
    for (std::size_t j = 1; j < 3 && vectors_too; ++j)
      if (c.output(j).num_elements() > 0) fill_identities(c.output(j));
    return;
  }
  const Tensor a = in_double(c.input(0));
  Tensor s = real_output(c.output(0)), u, v;
  if (vectors_too) {
    u = double_output(c.output(1));
    v = double_output(c.output(2));
  }
  const std::int64_t left = m * (full ? m : size), right = n * (full ? n : size);
  const double work =
      (vectors_too ? 20.0 : 6.0) * static_cast<double>(std::max(m, n)) * static_cast<double>(size * size);
  for_each_matrix(c, batch_of(shape).num_elements(), work, [&](std::int64_t i) {
    KeepSubnormals keep;
    decompositions(a.dtype()).svd(matrix_at(a, i, m * n), static_cast<double*>(matrix_at(s, i, size)),
                                  vectors_too ? matrix_at(u, i, left) : nullptr,
                                  vectors_too ? matrix_at(v, i, right) : nullptr, m, n, full);
  });
  round_reals(c, s);
  if (!vectors_too) return;
  round_doubles(u, c.output(1));
  round_doubles(v, c.output(2));
}

// 1 / x, and 0 for 0: as in TensorFlow, equal singular values or eigenvalues give zeros instead of infinities.
Operand safe_reciprocal(const Operand& x) { return x * emit1("Reciprocal", {x * x + build::scalar(x.dtype(), 1e-20)}); }

// 1 / (x_j - x_i) in row i and column j, 0 on the diagonal.
Operand differences(const Operand& x) {
  Operand all = safe_reciprocal(matrix::expanded(x, -2) - matrix::expanded(x, -1));
  return matrix::with_diagonal(all, build::zeros_like(x));
}

Operand sum_with_adjoint(const Operand& x) { return x + matrix::adjoint(x); }

// J. Townsend, "Differentiating the Singular Value Decomposition" (2016); for complex numbers with the term of
// https://giggleliu.github.io/2019/04/02/einsumbp.html. For a tall matrix the roles of U and V are exchanged.
void grad_svd(GradContext& c) {
  const Operand& a = c.input(0);
  const Operand ds = matrix::from_diagonal(build::cast(c.dy(0), a.dtype()));
  if (!c.attr("compute_uv").b()) {
    const Operand inputs[] = {a};
    Operands found = emit_all("Svd", inputs, {{"compute_uv", true}});
    return c.to_input(0, matrix::product(found[1], matrix::product(ds, found[2], false, true)));
  }
  const bool full = c.attr("full_matrices").b();
  const std::int64_t rows = a.shape().has_rank() ? rows_of(a.shape()) : kUnknownDim;
  const std::int64_t columns = a.shape().has_rank() ? columns_of(a.shape()) : kUnknownDim;
  if (rows < 0 || columns < 0)
    fail(ErrorKind::kNotImplemented,
         "SVD gradient has not been implemented for input with unknown inner matrix shape.");
  const bool tall = rows > columns;
  const auto m = static_cast<std::int32_t>(std::min(rows, columns)),
             n = static_cast<std::int32_t>(std::max(rows, columns));
  if (full && n - m > 1)
    fail(ErrorKind::kNotImplemented,
         "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True. Received: m=", m, " and n=", n,
         " from op input with shape=", a.shape().text(), ".");
  const Operand s = build::cast(c.output(0), a.dtype());
  const Operand u = c.output(tall ? 2 : 1), v = c.output(tall ? 1 : 2);
  const Operand du = c.dy(tall ? 2 : 1), dv = c.dy(tall ? 1 : 2);
  const Operand s_matrix = matrix::from_diagonal(s), f = differences(s * s);
  const Operand v1 = m == n ? v : matrix::columns(v, 0, m), dv1 = m == n ? dv : matrix::columns(dv, 0, m);
  const Operand v_dv = matrix::product(v1, dv1, true, false);
  const Operand fu = f * matrix::product(u, du, true, false), fv = f * v_dv;
  Operand inner =
      ds + matrix::product(sum_with_adjoint(fu), s_matrix) + matrix::product(s_matrix, sum_with_adjoint(fv));
  Operand da = matrix::product(u, matrix::product(inner, v1, false, true));
  const Operand inverse = matrix::from_diagonal(safe_reciprocal(s));
  if (m != n) {
    const Operand dv_adjoint = matrix::adjoint(dv1);
    Operand outside = dv_adjoint - matrix::product(matrix::product(dv_adjoint, v1), v1, false, true);
    if (full) {
      const Operand v2 = matrix::columns(v, m, n), dv2 = matrix::columns(dv, m, n);
      outside = outside - matrix::product(matrix::product(v1, dv2, true, false), v2, false, true);
    }
    da = da + matrix::product(matrix::product(u, inverse), outside);
  }
  if (is_complex(a.dtype())) {
    const Operand turns = matrix::identity_like(v_dv) * v_dv;
    const Operand phases = matrix::product(inverse, matrix::adjoint(turns) - turns);
    da = da + build::scale(matrix::product(u, matrix::product(phases, v1, false, true)), 0.5);
  }
  c.to_input(0, tall ? matrix::adjoint(da) : da);
}

void infer_eigen(InferContext& c) {
  auto a = square_shape(c, 0);
  c.set_output(0, a ? vectors(a->batch, a->n) : Shape::unknown());
  if (!c.attr("compute_v").b()) return c.set_output(1, Shape({0}));
  c.set_output(1, a ? matrices(a->batch, a->n, a->n) : Shape::unknown());
}

void self_adjoint(KernelContext& c) {
  const Shape& shape = c.input(0).shape();
  const std::int64_t n = rows_of(shape);
  if (c.output(0).num_elements() == 0) return;
  const bool vectors_too = c.attr("compute_v").b();
  const Tensor a = in_double(c.input(0));
  Tensor e = real_output(c.output(0)), v;
  if (vectors_too) v = double_output(c.output(1));
  for_each_matrix(c, batch_of(shape).num_elements(), (vectors_too ? 9 : 3) * cubed(n), [&](std::int64_t i) {
    KeepSubnormals keep;
    if (!is_done(decompositions(a.dtype()).self_adjoint(matrix_at(a, i, n * n),
                                                        static_cast<double*>(matrix_at(e, i, n)),
                                                        vectors_too ? matrix_at(v, i, n * n) : nullptr, n)))
      invalid_argument("Self-adjoint eigen decomposition was not successful. The input might not be valid.");
  });
  round_reals(c, e);
  if (vectors_too) round_doubles(v, c.output(1));
}

// Only the lower triangle of A counts, so the gradient of the upper one is added to it.
void grad_self_adjoint(GradContext& c) {
  Operand da;
  if (c.attr("compute_v").b()) {
    const Operand &e = c.output(0), &v = c.output(1);
    Operand inner = matrix::from_diagonal(c.dy(0)) + differences(e) * matrix::product(v, c.dy(1), true, false);
    da = matrix::product(v, matrix::product(inner, v, false, true));
  } else {
    const Operand inputs[] = {c.input(0)};
    const Operand v = emit_all("SelfAdjointEigV2", inputs, {{"compute_v", true}})[1];
    da = matrix::product(v, matrix::product(matrix::from_diagonal(c.dy(0)), v, false, true));
  }
  da = matrix::lower(sum_with_adjoint(da));
  c.to_input(0, matrix::with_diagonal(da, build::scale(matrix::diagonal(da), 0.5)));
}

void check_eig(const KernelContext& c) {
  check_square(c);
  const DType dtype = c.input(0).dtype(), wanted = c.attr("Tout").type();
  const bool narrow = dtype == DType::kFloat || dtype == DType::kComplex64;
  const DType expected = narrow ? DType::kComplex64 : DType::kComplex128;
  if (wanted != expected)
    invalid_argument("Invalid output dtype ", static_cast<int>(wanted), " vs ", static_cast<int>(expected));
}

void eig(KernelContext& c) {
  const Shape& shape = c.input(0).shape();
  const std::int64_t n = rows_of(shape);
  if (c.output(0).num_elements() == 0) return;
  const bool vectors_too = c.attr("compute_v").b();
  const Tensor a = in_double(c.input(0));
  Tensor e = double_output(c.output(0)), v;
  if (vectors_too) v = double_output(c.output(1));
  for_each_matrix(c, batch_of(shape).num_elements(), (vectors_too ? 60 : 30) * cubed(n), [&](std::int64_t i) {
    KeepSubnormals keep;
    if (!is_done(decompositions(a.dtype()).eigen(matrix_at(a, i, n * n), matrix_at(e, i, n),
                                                 vectors_too ? matrix_at(v, i, n * n) : nullptr, n)))
      invalid_argument("Eigen decomposition was not successful. The input might not be valid.");
  });
  round_doubles(e, c.output(0));
  if (vectors_too) round_doubles(v, c.output(1));
}

// C. Boeddeker et al., "On the Computation of Complex-valued Gradients with Application to Statistically Optimum
// Beamforming" (2017), equation 4.77. Eigenvectors have the norm 1.
void grad_eig(GradContext& c) {
  Operand v, inner = matrix::from_diagonal(c.dy(0));
  if (c.attr("compute_v").b()) {
    v = c.output(1);
    const Operand v_dv = matrix::product(v, c.dy(1), true, false);
    const Operand lengths = matrix::from_diagonal(matrix::diagonal(matrix::real_part(v_dv)));
    const Operand turned = v_dv - matrix::product(matrix::product(v, v, true, false), lengths);
    inner = inner + build::conj(differences(c.output(0))) * turned;
  } else {
    const Operand inputs[] = {c.input(0)};
    v = emit_all("Eig", inputs, {{"compute_v", true}, {"Tout", c.attr("Tout")}})[1];
  }
  const Operand v_adjoint = matrix::adjoint(v);
  Operand da = emit1("MatrixSolve", {v_adjoint, matrix::product(inner, v_adjoint)});
  c.to_input(0, build::cast(da, c.input(0).dtype()));
}

}  // namespace

void register_spectra(Registry& r) {
  constexpr std::string_view types = "T: {double, float, half, complex64, complex128}";
  r.add({.name = "Svd",
         .inputs = {"input: T"},
         .outputs = {"s: T", "u: T", "v: T"},
         .attrs = {"compute_uv: bool = true", "full_matrices: bool = false", types},
         .doc = "The singular value decomposition of each matrix in a tensor [..., m, n]: input = u @ diag(s) @ v^H, "
                "with descending s [..., p] for p = min(m, n).\n\nu is [..., m, p] and v [..., n, p]; with "
                "`full_matrices`, [..., m, m] and [..., n, n]. Without `compute_uv` they are empty.",
         .infer = infer_svd,
         .check = check_matrices,
         .kernel = svd,
         .grad = grad_svd});
  r.add({.name = "SelfAdjointEigV2",
         .inputs = {"input: T"},
         .outputs = {"e: T", "v: T"},
         .attrs = {"compute_v: bool = true", types},
         .doc = "The eigenvalues e [..., n], ascending, and eigenvectors (columns of v [..., n, n]) of each Hermitian "
                "matrix in a tensor [..., n, n], of which only the lower triangle is read.\n\nWithout `compute_v`, v "
                "is empty. Raises InvalidArgumentError if the iteration does not converge, as for NaN.",
         .infer = infer_eigen,
         .check = check_square,
         .kernel = self_adjoint,
         .grad = grad_self_adjoint});
  r.add({.name = "Eig",
         .inputs = {"input: T"},
         .outputs = {"e: Tout", "v: Tout"},
         .attrs = {"compute_v: bool = true", "T: {float, double, complex64, complex128}",
                   "Tout: {complex64, complex128}"},
         .doc = "The eigenvalues e [..., n], in no order, and eigenvectors (columns of v [..., n, n], of norm 1) of "
                "each matrix in a tensor [..., n, n].\n\nTout is the complex type of T's precision. Without "
                "`compute_v`, v is empty. Raises InvalidArgumentError if the iteration does not converge, as for NaN.",
         .infer = infer_eigen,
         .check = check_eig,
         .kernel = eig,
         .grad = grad_eig});
}

}  // namespace tracefn
