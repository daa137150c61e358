// Linear algebra on batches of square matrices: MatrixSolve, MatrixInverse, MatrixDeterminant, Cholesky,
// MatrixTriangularSolve. The decompositions are in linalg.kernels.cpp; half is computed as float.
#include <limits>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/kernel_table.h"
#include "ops/linalg/matrix_batch.h"
#include "ops/linalg/matrix_ops.h"
#include "ops/linalg/matrix_shapes.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

void infer_determinant(InferContext& c) {
  c.require_rank_at_least(0, 2);
  const Shape& a = c.shape(0);
  if (!a.has_rank()) return c.set_output(0, Shape::unknown());
  merge_dims(columns_of(a), rows_of(a));
  c.set_output(0, batch_of(a));
}

// Batches are equal for MatrixSolve and broadcast for MatrixTriangularSolve.
template <bool broadcasts>
void infer_solve(InferContext& c) {
  c.require_rank_at_least(0, 2);
  c.require_rank_at_least(1, 2);
  const Shape& a = c.shape(0);
  const Shape& b = c.shape(1);
  if (!broadcasts && b.has_rank() && !a.has_rank()) return c.set_output(0, b);
  if (!a.has_rank() || !b.has_rank()) return c.set_output(0, Shape::unknown());
  std::int64_t n = merge_dims(merge_dims(rows_of(a), columns_of(a)), rows_of(b));
  Shape batch = broadcasts ? broadcast(batch_of(a), batch_of(b)) : merge(batch_of(a), batch_of(b));
  c.set_output(0, matrices(std::move(batch), n, columns_of(b)));
}

// Multiply-adds of a decomposition and of solving for k columns.
double work_of(std::int64_t n, std::int64_t k) {
  return static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n + k);
}

void check_solve(const KernelContext& c) {
  require_matrix(c, 0);
  if (c.input(1).rank() != c.input(0).rank()) invalid_argument("All input tensors must have the same rank.");
  const Shape &sa = c.input(0).shape(), &sb = c.input(1).shape();
  if (!(batch_of(sa) == batch_of(sb))) invalid_argument("All input tensors must have the same outer dimensions.");
  std::int64_t n = rows_of(sa);
  if (columns_of(sa) != n) invalid_argument("First input (lhs) must be a square matrix.");
  if (rows_of(sb) != n) invalid_argument("Input matrix and rhs are incompatible.");
}

void solve(KernelContext& c) {
  const Shape& sb = c.input(1).shape();
  std::int64_t n = rows_of(sb), k = columns_of(sb);
  Tensor a = as_float(c.input(0)), b = as_float(c.input(1)), x = wide_output(c.output(0));
  bool adjoint = c.attr("adjoint").b();
  std::int64_t size = static_cast<std::int64_t>(size_of(a.dtype()));
  if (x.num_elements() > 0)
    for_each_matrix(c, batch_of(sb).num_elements(), work_of(n, k), [&](std::int64_t i) {
      if (!is_done(kernels_for(a).solve(a.data<char>() + i * n * n * size, b.data<char>() + i * n * k * size,
                                        static_cast<char*>(x.mutable_raw()) + i * n * k * size, n, k, adjoint,
                                        poll_stops)))
        invalid_argument("Input matrix is not invertible.");
    });
  round_output(x, c.output(0));
}

void inverse(KernelContext& c) {
  const Shape& shape = c.input(0).shape();
  std::int64_t n = rows_of(shape);
  Tensor a = as_float(c.input(0)), x = wide_output(c.output(0));
  Tensor identity = Tensor::zeros(a.dtype(), Shape({n, n}));
  std::int64_t size = static_cast<std::int64_t>(size_of(a.dtype()));
  Tensor one = build::scalar_tensor(a.dtype(), 1);
  for (std::int64_t i = 0; i < n; ++i)
    copy_elements(a.dtype(), one.raw(), static_cast<char*>(identity.mutable_raw()) + i * (n + 1) * size, 1);
  bool adjoint = c.attr("adjoint").b();
  if (x.num_elements() > 0)
    for_each_matrix(c, batch_of(shape).num_elements(), work_of(n, n), [&](std::int64_t i) {
      if (!is_done(kernels_for(a).solve(a.data<char>() + i * n * n * size, identity.raw(),
                                        static_cast<char*>(x.mutable_raw()) + i * n * n * size, n, n, adjoint,
                                        poll_stops)))
        invalid_argument("Input is not invertible.");
    });
  round_output(x, c.output(0));
}

void determinant(KernelContext& c) {
  std::int64_t n = rows_of(c.input(0).shape());
  Tensor a = as_float(c.input(0)), x = wide_output(c.output(0));
  std::int64_t size = static_cast<std::int64_t>(size_of(a.dtype()));
  for_each_matrix(c, x.num_elements(), cubed(n), [&](std::int64_t i) {
    is_done(kernels_for(a).determinant(a.data<char>() + i * n * n * size,
                                       static_cast<char*>(x.mutable_raw()) + i * size, n, poll_stops));
  });
  round_output(x, c.output(0));
}

// If the decomposition fails, TensorFlow's result is NaN, without an error.
void fill_with_nan(Tensor& x, std::int64_t matrix, std::int64_t n) {
  Tensor nan = build::scalar_tensor(x.dtype(), std::numeric_limits<double>::quiet_NaN());
  Tensor zero = Tensor::zeros(x.dtype(), Shape());
  std::int64_t size = static_cast<std::int64_t>(size_of(x.dtype()));
  char* to = static_cast<char*>(x.mutable_raw()) + matrix * n * n * size;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j)
      copy_elements(x.dtype(), (j <= i ? nan : zero).raw(), to + (i * n + j) * size, 1);
    poll();
  }
}

void cholesky(KernelContext& c) {
  const Shape& shape = c.input(0).shape();
  std::int64_t n = rows_of(shape);
  Tensor a = as_float(c.input(0)), x = wide_output(c.output(0));
  std::int64_t size = static_cast<std::int64_t>(size_of(a.dtype()));
  if (x.num_elements() > 0)
    for_each_matrix(c, batch_of(shape).num_elements(), cubed(n), [&](std::int64_t i) {
      if (!is_done(kernels_for(a).cholesky(a.data<char>() + i * n * n * size,
                                           static_cast<char*>(x.mutable_raw()) + i * n * n * size, n, poll_stops)))
        fill_with_nan(x, i, n);
    });
  round_output(x, c.output(0));
}

void check_triangular_solve(const KernelContext& c) {
  const Shape &sa = c.input(0).shape(), &sb = c.input(1).shape();
  for (std::size_t i = 0; i < 2; ++i)
    if (c.input(i).rank() < 2) invalid_argument("In[", i, "] ndims must be >= 2: ", c.input(i).rank());
  std::int64_t n = rows_of(sa);
  try {
    broadcast(batch_of(sa), batch_of(sb));
  } catch (const Error&) {
    invalid_argument("In[0] and In[1] must have compatible batch dimensions: ", sa.text(), " vs. ", sb.text());
  }
  bool lower = c.attr("lower").b(), adjoint = c.attr("adjoint").b();
  if (columns_of(sa) != n)
    invalid_argument("In[0] matrices in the last dimensions must be square (", columns_of(sa), " =/= ", n, ")");
  if (rows_of(sb) != n)
    invalid_argument("In[0] mismatch In[1] shape: ", n, " vs. ", rows_of(sb), ": ", sa.text(), " ", sb.text(), " ",
                     lower, " ", adjoint);
}

void triangular_solve(KernelContext& c) {
  const Shape &sa = c.input(0).shape(), &sb = c.input(1).shape();
  std::int64_t n = rows_of(sa), k = columns_of(sb);
  bool lower = c.attr("lower").b(), adjoint = c.attr("adjoint").b();
  Tensor a = as_float(c.input(0)), b = as_float(c.input(1)), x = wide_output(c.output(0));
  std::int64_t size = static_cast<std::int64_t>(size_of(a.dtype()));
  if (x.num_elements() > 0) {
    auto offsets_a = batch_offsets(sa, x.shape()), offsets_b = batch_offsets(sb, x.shape());
    for_each_matrix(c, batch_of(x.shape()).num_elements(), work_of(n, k), [&](std::int64_t i) {
      std::size_t at = static_cast<std::size_t>(i);
      is_done(kernels_for(a).triangular_solve(
          a.data<char>() + offsets_a[at] * n * n * size, b.data<char>() + offsets_b[at] * n * k * size,
          static_cast<char*>(x.mutable_raw()) + i * n * k * size, n, k, lower, adjoint, poll_stops));
    });
  }
  round_output(x, c.output(0));
}

void grad_solve(GradContext& c) {
  bool adjoint = c.attr("adjoint").b();
  Operand db = emit1("MatrixSolve", {c.input(0), c.dy(0)}, {{"adjoint", !adjoint}});
  const Operand& x = c.output(0);
  c.to_input(0, -(adjoint ? matrix::product(x, db, false, true) : matrix::product(db, x, false, true)));
  c.to_input(1, db);
}

void grad_triangular_solve(GradContext& c) {
  bool adjoint = c.attr("adjoint").b(), lower = c.attr("lower").b();
  const Operand& x = c.output(0);
  Operand db = emit1("MatrixTriangularSolve", {c.input(0), c.dy(0)}, {{"lower", lower}, {"adjoint", !adjoint}});
  Operand da = -(adjoint ? matrix::product(x, db, false, true) : matrix::product(db, x, false, true));
  da = lower ? matrix::lower(da) : matrix::upper(da);
  c.to_input(0, unbroadcast_batch(da, c.input(0), c.input(1)));
  c.to_input(1, unbroadcast_batch(db, c.input(1), c.input(0)));
}

void grad_inverse(GradContext& c) {
  const Operand& y = c.output(0);
  // For the adjoint's inverse the gradient goes through the adjoint.
  Operand da = -matrix::product(matrix::product(y, c.dy(0), true, false), y, false, true);
  c.to_input(0, c.attr("adjoint").b() ? matrix::adjoint(da) : da);
}

// Not conjugated, as in TensorFlow.
void grad_determinant(GradContext& c) {
  Operand inverse = emit1("MatrixInverse", {c.input(0)}, {{"adjoint", true}});
  Operand factor = c.dy(0) * c.output(0);
  for (int i = 0; i < 2; ++i) factor = emit1("ExpandDims", {factor, build::scalar(DType::kInt32, -1)});
  c.to_input(0, factor * inverse);
}

// With P the lower triangle of L^H dL and its diagonal halved, dA = L^-H P L^-1 made Hermitian.
void grad_cholesky(GradContext& c) {
  const Operand& l = c.output(0);
  Operand middle = matrix::product(l, c.dy(0), true, false);
  middle = matrix::lower(matrix::with_diagonal(middle, build::scale(matrix::diagonal(middle), 0.5)));
  auto divide = [&](const Operand& x) { return emit1("MatrixTriangularSolve", {l, x}, {{"adjoint", true}}); };
  Operand half = matrix::adjoint(divide(matrix::adjoint(divide(middle))));
  c.to_input(0, build::scale(half + matrix::adjoint(half), 0.5));
}

}  // namespace

void register_linalg(Registry& r) {
  constexpr std::string_view types = "T: {double, float, half, complex64, complex128}";
  r.add({.name = "MatrixSolve",
         .python = "linalg.solve(matrix, rhs, adjoint)",
         .inputs = {"matrix: T", "rhs: T"},
         .outputs = {"output: T"},
         .attrs = {"adjoint: bool = false", types},
         .facts = {.serial = true},
         .doc =
             "The solution x of matrix @ x = rhs, for matrices [..., n, n] and right-hand sides [..., n, k].\n\nWith "
             "`adjoint` the adjoint of the matrix is used. Raises InvalidArgumentError if a matrix is singular.",
         .infer = infer_solve<false>,
         .check = check_solve,
         .kernel = solve,
         .grad = grad_solve});
  r.add({.name = "MatrixInverse",
         .python = "linalg.inv(input, adjoint)",
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = {"adjoint: bool = false", types},
         .facts = {.serial = true},
         .doc = "The inverse of each matrix in a tensor [..., n, n]; with `adjoint`, of its adjoint.\n\nRaises "
                "InvalidArgumentError if a matrix is singular.",
         .infer = infer_square,
         .check = check_square,
         .kernel = inverse,
         .grad = grad_inverse});
  r.add({.name = "MatrixDeterminant",
         .python = "linalg.det(input)",
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = {"T: {half, float, double, complex64, complex128}"},
         .facts = {.serial = true},
         .doc = "The determinant of each matrix in a tensor [..., n, n].",
         .infer = infer_determinant,
         .check = check_square,
         .kernel = determinant,
         .grad = grad_determinant});
  r.add({.name = "Cholesky",
         .python = "linalg.cholesky(input)",
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = {types},
         .facts = {.serial = true},
         .doc = "The Cholesky factor of each matrix in a tensor [..., n, n]: the lower triangular L with L @ L^H = "
                "input.\n\nThe matrices must be Hermitian and positive definite. Only the lower triangle is read. The "
                "result is NaN where a matrix is not positive definite.",
         .infer = infer_square,
         .check = check_square,
         .kernel = cholesky,
         .grad = grad_cholesky});
  r.add({.name = "MatrixTriangularSolve",
         .python = "linalg.triangular_solve(matrix, rhs, lower, adjoint)",
         .inputs = {"matrix: T", "rhs: T"},
         .outputs = {"output: T"},
         .attrs = {"lower: bool = true", "adjoint: bool = false",
                   "T: {bfloat16, double, float, half, complex64, complex128}"},
         .facts = {.serial = true},
         .doc = "The solution x of matrix @ x = rhs for lower or upper triangular matrices. The other triangle is not "
                "read.\n\nWith `adjoint` the adjoint of the matrix is used.",
         .infer = infer_solve<true>,
         .check = check_triangular_solve,
         .kernel = triangular_solve,
         .grad = grad_triangular_solve});
}

}  // namespace tracefn
