// MatrixSolveLs: least squares by the normal equations, or by a complete orthogonal decomposition in double precision.
#include "base/poll.h"
#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/linalg/gemm/gemm.h"
#include "ops/linalg/linalg_families.h"
#include "ops/linalg/matrix_batch.h"
#include "ops/linalg/matrix_ops.h"
#include "ops/linalg/matrix_shapes.h"
#include "ops/linalg/wide_matrices.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

void infer_least_squares(InferContext& c) {
  c.require_rank_at_least(0, 2);
  c.require_rank_at_least(1, 2);
  c.require_rank(2, 0);
  const Shape &a = c.shape(0), &b = c.shape(1);
  if (!a.has_rank() || !b.has_rank()) return c.set_output(0, Shape::unknown());
  Shape batch = merge_or_explain(batch_of(a), batch_of(b));
  require_equal(rows_of(a), rows_of(b));
  c.set_output(0, matrices(std::move(batch), columns_of(a), columns_of(b)));
}

void check_least_squares(const KernelContext& c) {
  require_equal_batches(c, 2);
  const Tensor& l2 = c.input(2);
  if (l2.rank() != 0) invalid_argument("l2_regularizer must be scalar, got shape ", l2.shape().text());
  if (!(*l2.data<double>() >= 0)) invalid_argument("l2_regularizer must be >= 0.");
  if (rows_of(c.input(0).shape()) != rows_of(c.input(1).shape()))
    invalid_argument("Input matrix and rhs are incompatible.");
}

double epsilon_of(DType dtype) { return dtype == DType::kDouble || dtype == DType::kComplex128 ? 0x1p-52 : 0x1p-23; }

// op(A) op(B) of row-major matrices: op(A) is m x k, op(B) k x n; adjoint if `ta` or `tb`.
struct MatrixProduct {
  DType dtype;
  std::int64_t m, k, n;
  bool ta, tb;

  void operator()(const void* a, const void* b, void* to) const {
    if (kernel_table().gemm.of[slot(dtype)].block)
      return gemm({.dtype = dtype,
                   .m = m,
                   .n = n,
                   .k = k,
                   .a = {.matrix = {a, ta ? 1 : k, ta ? m : 1}},
                   .b = {.matrix = {b, tb ? k : 1, tb ? 1 : n}},
                   .c = to,
                   .ldc = n},
                  nullptr);
    require_done(kernel_table().array.matmul[slot(dtype)](a, b, to, m, k, n, ta ? m : k, tb ? k : n, n,
                                                          (ta ? 1 : 0) | (tb ? 2 : 0), poll_stops));
  }
};

// X = (A^H A + l2)^-1 A^H B for a tall A, else A^H (A A^H + l2)^-1 B. False if the matrix that is inverted is not
// positive definite.
class NormalEquations {
 public:
  NormalEquations(DType dtype, std::int64_t m, std::int64_t n, std::int64_t k, double l2)
      : dtype_(dtype), m_(m), n_(n), k_(k), size_(std::min(m, n)), l2_(build::scalar_tensor(dtype, l2)) {}

  bool solve(const void* a, const void* a_conjugate, const void* b, void* x) const {
    const LinalgKernels& kernels = kernel_table().array.linalg[slot(dtype_)];
    Tensor gramian(dtype_, Shape({size_, size_})), factor(dtype_, Shape({size_, size_}));
    Tensor right(dtype_, Shape({size_, k_})), half(dtype_, Shape({size_, k_}));
    const bool tall = m_ >= n_;
    MatrixProduct{dtype_, size_, std::max(m_, n_), size_, tall, !tall}(tall ? a_conjugate : a, tall ? a : a_conjugate,
                                                                       gramian.mutable_raw());
    add_to_diagonal(gramian);
    if (!is_done(kernels.cholesky(gramian.raw(), factor.mutable_raw(), size_, poll_stops))) return false;
    if (tall) MatrixProduct{dtype_, n_, m_, k_, true, false}(a_conjugate, b, right.mutable_raw());
    is_done(kernels.triangular_solve(factor.raw(), tall ? right.raw() : b, half.mutable_raw(), size_, k_, true, false,
                                     poll_stops));
    is_done(kernels.triangular_solve(factor.raw(), half.raw(), tall ? x : right.mutable_raw(), size_, k_, true, true,
                                     poll_stops));
    if (!tall) MatrixProduct{dtype_, n_, m_, k_, true, false}(a_conjugate, right.raw(), x);
    return true;
  }

 private:
  void add_to_diagonal(Tensor& gramian) const {
    with_any_number(dtype_, [&]<typename T>(std::type_identity<T>) {
      for (std::int64_t i = 0; i < size_; ++i) {
        T& element = gramian.mutable_data<T>()[i * (size_ + 1)];
        element = add_elements<T>(element, *l2_.data<T>());
      }
    });
  }

  const DType dtype_;
  const std::int64_t m_, n_, k_, size_;
  const Tensor l2_;
};

void least_squares(KernelContext& c) {
  const Shape &sa = c.input(0).shape(), &sb = c.input(1).shape();
  const std::int64_t m = rows_of(sa), n = columns_of(sa), k = columns_of(sb), count = batch_of(sa).num_elements();
  if (c.output(0).num_elements() == 0) return;
  if (m == 0) return c.output(0).fill_zeros();
  const double work = static_cast<double>(m * n) * static_cast<double>(std::min(m, n) + k);
  if (c.attr("fast").b()) {
    const Tensor a = as_float(c.input(0)), b = as_float(c.input(1));
    const Tensor a_conjugate = conjugate(a);
    Tensor x = wide_output(c.output(0));
    const NormalEquations equations(a.dtype(), m, n, k, *c.input(2).data<double>());
    for_each_matrix(c, count, work, [&](std::int64_t i) {
      if (!equations.solve(matrix_at(a, i, m * n), matrix_at(a_conjugate, i, m * n), matrix_at(b, i, m * k),
                           matrix_at(x, i, n * k)))
        invalid_argument(
            "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide a larger "
            "l2_regularizer > 0.");
    });
    return round_output(x, c.output(0));
  }
  const Tensor a = in_double(c.input(0)), b = in_double(c.input(1));
  Tensor x = double_output(c.output(0));
  const double threshold = epsilon_of(c.input(0).dtype()) * static_cast<double>(std::min(m, n));
  for_each_matrix(c, count, 4 * work, [&](std::int64_t i) {
    decompositions(a.dtype()).least_squares(matrix_at(a, i, m * n), matrix_at(b, i, m * k), matrix_at(x, i, n * k), m,
                                            n, k, threshold);
  });
  round_doubles(x, c.output(0));
}

// The Cholesky factor of A^H A + l2, or of A A^H + l2.
Operand gramian_factor(const Operand& a, const Operand& l2, bool of_columns) {
  Operand gramian = matrix::product(a, a, of_columns, !of_columns);
  gramian = gramian + build::cast(l2, a.dtype()) * matrix::identity_like(gramian);
  return emit1("Cholesky", {gramian});
}

Operand solve_factored(const Operand& factor, const Operand& b) {
  Operand y = emit1("MatrixTriangularSolve", {factor, b});
  return emit1("MatrixTriangularSolve", {factor, y}, {{"adjoint", true}});
}

void grad_least_squares(GradContext& c) {
  const Operand &a = c.input(0), &b = c.input(1), &x = c.output(0);
  const Operand dx = c.dy(0);
  if (!c.attr("fast").b()) fail(ErrorKind::kValue, "Gradient not defined for fast=False");
  const Shape& shape = a.shape();
  if (!shape.has_rank() || rows_of(shape) < 0 || columns_of(shape) < 0)
    fail(ErrorKind::kUnimplemented, "The gradient of MatrixSolveLs needs to know which side of the matrix is longer.");
  const bool tall = rows_of(shape) >= columns_of(shape);
  const Operand factor = gramian_factor(a, c.input(2), tall);
  if (tall) {
    const Operand z = solve_factored(factor, dx), xz = matrix::product(x, z, false, true);
    c.to_input(0, matrix::product(b, z, false, true) - matrix::product(a, xz + matrix::transpose(xz)));
    return c.to_input(1, matrix::product(a, z));
  }
  const Operand db = solve_factored(factor, matrix::product(a, dx)), y = solve_factored(factor, b);
  const Operand rest = dx - matrix::product(a, db, true, false);
  c.to_input(0, matrix::product(y, rest, false, true) - matrix::product(db, matrix::product(y, a, true, false)));
  c.to_input(1, db);
}

}  // namespace

void register_least_squares(Registry& r) {
  r.add({.name = "MatrixSolveLs",
         .inputs = {"matrix: T", "rhs: T", "l2_regularizer: double"},
         .outputs = {"output: T"},
         .attrs = {"T: {double, float, half, complex64, complex128}", "fast: bool = true"},
         .doc =
             "The X [..., n, k] that minimizes |matrix @ X - rhs|^2 + l2_regularizer |X|^2, for matrices [..., m, n] "
             "and right-hand sides [..., m, k].\n\nWith `fast`, by the normal equations: raises "
             "InvalidArgumentError if their matrix is not positive definite. Otherwise the shortest solution, by a "
             "complete orthogonal decomposition, and l2_regularizer has no effect.",
         .infer = infer_least_squares,
         .check = check_least_squares,
         .kernel = least_squares,
         .grad = grad_least_squares});
}

}  // namespace tracefn
