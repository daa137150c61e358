// Tridiagonal matrices, given by their diagonals: TridiagonalSolve, TridiagonalMatMul.
#include <limits>

#include "base/poll.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/linalg/linalg_families.h"
#include "ops/linalg/matrix_ops.h"
#include "ops/linalg/matrix_shapes.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

template <typename T>
struct RealOf {
  using type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using type = T;
};

void infer_solve(InferContext& c) {
  c.require_rank_at_least(0, 2);
  c.require_rank_at_least(1, 2);
  const Shape &d = c.shape(0), &b = c.shape(1);
  if (!d.has_rank() || !b.has_rank()) return c.set_output(0, Shape::unknown());
  Shape batch = merge_or_explain(batch_of(d), batch_of(b));
  if (rows_of(d) >= 0 && rows_of(d) != 3) invalid_argument("Dimension must be 3 but is ", rows_of(d));
  const std::int64_t n = merge_dims(columns_of(d), rows_of(b));
  c.set_output(0, matrices(std::move(batch), n, columns_of(b)));
}

void check_tridiagonal_solve(const KernelContext& c) {
  require_equal_batches(c, 2);
  const Shape &d = c.input(0).shape(), &b = c.input(1).shape();
  if (c.attr("perturb_singular").b() && !c.attr("partial_pivoting").b())
    invalid_argument("Setting perturb_singular requires also setting partial_pivoting.");
  if (rows_of(d) != 3)
    invalid_argument("Expected diagonals to be provided as a matrix with 3 rows, got ", rows_of(d), " rows.");
  if (columns_of(d) != rows_of(b))
    invalid_argument("Expected the same number of left-hand sides and right-hand sides, got ", columns_of(d), " and ",
                     rows_of(b), ".");
}

// One system of n equations for k right-hand sides, row by row.
template <typename T>
class Tridiagonal {
 public:
  using Real = typename RealOf<T>::type;

  Tridiagonal(const T* diagonals, std::int64_t n, std::int64_t k)
      : above_(diagonals), main_(diagonals + n), below_(diagonals + 2 * n), n_(n), k_(k) {}

  // Gaussian elimination. False if a pivot is zero.
  bool solve(const T* b, T* x) const {
    std::vector<T> above(static_cast<std::size_t>(n_));
    T pivot = main_[0];
    for (std::int64_t i = 0; i < n_; ++i) {
      const T factor = i > 0 ? below_[i] : T(0);
      if (i > 0) pivot = main_[i] - factor * above[static_cast<std::size_t>(i - 1)];
      if (pivot == T(0)) return false;
      above[static_cast<std::size_t>(i)] = i + 1 < n_ ? above_[i] / pivot : T(0);
      for (std::int64_t j = 0; j < k_; ++j)
        x[i * k_ + j] = (b[i * k_ + j] - (i > 0 ? factor * x[(i - 1) * k_ + j] : T(0))) / pivot;
      polled_.step(k_);
    }
    for (std::int64_t i = n_ - 2; i >= 0; --i) subtract(x, i, above[static_cast<std::size_t>(i)], i + 1);
    return true;
  }

  // The same, exchanging rows for the larger pivot. U has two diagonals above its main one. With `perturb` a pivot
  // below the rounding errors becomes as large as they are.
  bool solve_pivoting(const T* b, T* x, bool perturb) const {
    std::vector<std::array<T, 3>> u(static_cast<std::size_t>(n_));
    auto row = [&](std::int64_t i) -> std::array<T, 3>& { return u[static_cast<std::size_t>(i)]; };
    row(0) = {main_[0], n_ > 1 ? above_[0] : T(0), T(0)};
    std::copy_n(b, k_, x);
    Real largest = std::max(std::abs(row(0)[0]), std::abs(row(0)[1]));
    for (std::int64_t i = 0; i < n_; ++i) {
      auto& here = row(i);
      const bool last = i + 1 == n_;
      const T next_below = last ? T(0) : below_[i + 1];
      if (last || std::abs(here[0]) >= std::abs(next_below)) {
        if (perturb)
          enlarge(here[0], std::max(std::numeric_limits<Real>::epsilon() * largest, std::numeric_limits<Real>::min()));
        if (here[0] == T(0)) return false;
        if (last) break;
        const T factor = next_below / here[0];
        row(i + 1) = {main_[i + 1] - factor * here[1], i + 2 < n_ ? above_[i + 1] : T(0), T(0)};
        for (std::int64_t j = 0; j < k_; ++j) x[(i + 1) * k_ + j] = b[(i + 1) * k_ + j] - factor * x[i * k_ + j];
      } else {
        const T factor = here[0] / next_below, next_above = i + 2 < n_ ? above_[i + 1] : T(0);
        row(i + 1) = {here[1] - factor * main_[i + 1], -factor * next_above, T(0)};
        here = {next_below, main_[i + 1], next_above};
        for (std::int64_t j = 0; j < k_; ++j) {
          x[(i + 1) * k_ + j] = x[i * k_ + j] - factor * b[(i + 1) * k_ + j];
          x[i * k_ + j] = b[(i + 1) * k_ + j];
        }
      }
      for (const T& element : row(i + 1)) largest = std::max<Real>(largest, std::abs(element));
      polled_.step(k_);
    }
    for (std::int64_t i = n_ - 1; i >= 0; --i) {
      if (i + 1 < n_) subtract(x, i, row(i)[1], i + 1);
      if (i + 2 < n_) subtract(x, i, row(i)[2], i + 2);
      for (std::int64_t j = 0; j < k_; ++j) x[i * k_ + j] /= row(i)[0];
    }
    return true;
  }

  // y = the matrix times x.
  void multiply(const T* x, T* y) const {
    for (std::int64_t i = 0; i < n_; ++i) {
      for (std::int64_t j = 0; j < k_; ++j) y[i * k_ + j] = main_[i] * x[i * k_ + j];
      if (i > 0) subtract_from(y, i, -below_[i], x, i - 1);
      if (i + 1 < n_) subtract_from(y, i, -above_[i], x, i + 1);
    }
  }

  Tridiagonal(const T* above, const T* main, const T* below, std::int64_t n, std::int64_t k)
      : above_(above), main_(main), below_(below), n_(n), k_(k) {}

 private:
  static void enlarge(T& pivot, Real least) {
    const Real size = std::abs(pivot);
    if (size >= least) return;
    pivot = size == Real(0) ? T(least) : pivot / size * least;
  }
  void subtract_from(T* y, std::int64_t to, T factor, const T* x, std::int64_t from) const {
    for (std::int64_t j = 0; j < k_; ++j) y[to * k_ + j] -= factor * x[from * k_ + j];
    polled_.step(k_);
  }
  void subtract(T* x, std::int64_t to, T factor, std::int64_t from) const { subtract_from(x, to, factor, x, from); }

  const T *above_, *main_, *below_;
  const std::int64_t n_, k_;
  mutable PolledSteps polled_{1 << 14};
};

// The types that tridiagonal ops take.
template <typename F>
void with_precise(DType dtype, const F& f) {
  switch (dtype) {
    case DType::kFloat:
      return f(std::type_identity<float>());
    case DType::kDouble:
      return f(std::type_identity<double>());
    case DType::kComplex64:
      return f(std::type_identity<std::complex<float>>());
    case DType::kComplex128:
      return f(std::type_identity<std::complex<double>>());
    default:
      no_kernel();
  }
}

double work_of(std::int64_t n, std::int64_t k) { return 20.0 * static_cast<double>(n) * static_cast<double>(k + 2); }

// A singular matrix gives NaN, as in TensorFlow.
void tridiagonal_solve(KernelContext& c) {
  const Tensor &d = c.input(0), &b = c.input(1);
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  const std::int64_t n = rows_of(b.shape()), k = columns_of(b.shape());
  const bool pivot = c.attr("partial_pivoting").b(), perturb = c.attr("perturb_singular").b();
  with_precise(d.dtype(), [&]<typename T>(std::type_identity<T>) {
    T* x = out.mutable_data<T>();
    for_each_matrix(c, out.num_elements() / (n * k), work_of(n, k), [&](std::int64_t i) {
      const Tridiagonal<T> system(d.data<T>() + i * 3 * n, n, k);
      const T* right = b.data<T>() + i * n * k;
      const bool solved =
          pivot ? system.solve_pivoting(right, x + i * n * k, perturb) : system.solve(right, x + i * n * k);
      if (!solved) std::fill_n(x + i * n * k, n * k, T(std::numeric_limits<typename RealOf<T>::type>::quiet_NaN()));
    });
  });
}

// Along the last dimension but one (of k columns): the next row and the row before, zeros at the end.
Operand next_rows(const Operand& x) { return matrix::padded_rows(matrix::rows(x, 1, 0), 0, 1); }
Operand rows_before(const Operand& x) { return matrix::padded_rows(matrix::rows(x, 0, -1), 1, 0); }
Operand last_sum(const Operand& x) { return build::sum(x, build::scalar(DType::kInt32, -1)); }

// The diagonals of the transposed matrix. They are rows here, so that they are moved as columns of their transpose.
Operand transposed(const Operand& diagonals) {
  Operand columns = matrix::transpose(diagonals);
  auto column = [&](std::int32_t i) { return matrix::columns(columns, i, i + 1); };
  Operand last = matrix::columns(columns, 2, 0);
  Operand all =
      emit1("ConcatV2", {next_rows(last), column(1), rows_before(column(0)), build::scalar(DType::kInt32, -1)});
  return matrix::transpose(all);
}

void grad_tridiagonal_solve(GradContext& c) {
  const Operand db =
      emit1("TridiagonalSolve", {transposed(c.input(0)), c.dy(0)},
            {{"partial_pivoting", c.attr("partial_pivoting")}, {"perturb_singular", c.attr("perturb_singular")}});
  const Operand& x = c.output(0);
  auto diagonal = [&](const Operand& rows) { return matrix::expanded(last_sum(db * rows), -2); };
  Operand all = emit1(
      "ConcatV2", {diagonal(next_rows(x)), diagonal(x), diagonal(rows_before(x)), build::scalar(DType::kInt32, -2)});
  c.to_input(0, -all);
  c.to_input(1, db);
}

void infer_multiply(InferContext& c) {
  for (std::size_t i = 0; i < 4; ++i) c.require_rank_at_least(i, 2);
  const Shape& b = c.shape(3);
  if (!b.has_rank()) return c.set_output(0, Shape::unknown());
  Shape batch = batch_of(b);
  std::int64_t n = rows_of(b);
  for (std::size_t i = 0; i < 3; ++i) {
    const Shape& d = c.shape(i);
    if (!d.has_rank()) continue;
    batch = merge_or_explain(batch_of(d), batch);
    if (i > 0 && c.shape(0).has_rank()) merge_or_explain(c.shape(0), d);
    if (rows_of(d) >= 0 && rows_of(d) != 1) invalid_argument("Dimension must be 1 but is ", rows_of(d));
    n = merge_dims(columns_of(d), n);
  }
  c.set_output(0, matrices(std::move(batch), n, columns_of(b)));
}

void check_multiply(const KernelContext& c) {
  require_equal_batches(c, 4);
  constexpr std::string_view names[] = {"superdiagonal", "maindiagonal", "subdiagonal"};
  for (std::size_t i = 0; i < 3; ++i)
    if (rows_of(c.input(i).shape()) != 1 || columns_of(c.input(i).shape()) != rows_of(c.input(3).shape()))
      invalid_argument("Invalid ", names[i], " shape.");
}

void multiply(KernelContext& c) {
  const Tensor& b = c.input(3);
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  const std::int64_t n = rows_of(b.shape()), k = columns_of(b.shape());
  with_precise(b.dtype(), [&]<typename T>(std::type_identity<T>) {
    T* y = out.mutable_data<T>();
    for_each_matrix(c, out.num_elements() / (n * k), work_of(n, k) / 4, [&](std::int64_t i) {
      auto diagonal = [&](std::size_t j) { return c.input(j).data<T>() + i * n; };
      Tridiagonal<T>(diagonal(0), diagonal(1), diagonal(2), n, k).multiply(b.data<T>() + i * n * k, y + i * n * k);
    });
  });
}

void grad_multiply(GradContext& c) {
  const Operand dy = c.dy(0), b = build::conj(c.input(3));
  auto column = [&](std::size_t i) { return matrix::adjoint(c.input(i)); };
  auto to_diagonal = [&](std::size_t i, const Operand& rows) {
    c.to_input(i, matrix::expanded(last_sum(rows * dy), -2));
  };
  to_diagonal(0, next_rows(b));
  to_diagonal(1, b);
  to_diagonal(2, rows_before(b));
  c.to_input(3, rows_before(column(0) * dy) + column(1) * dy + next_rows(column(2) * dy));
}

}  // namespace

void register_tridiagonal(Registry& r) {
  constexpr std::string_view types = "T: {double, float, complex64, complex128}";
  r.add({.name = "TridiagonalSolve",
         .inputs = {"diagonals: T", "rhs: T"},
         .outputs = {"output: T"},
         .attrs = {"partial_pivoting: bool = true", "perturb_singular: bool = false", types},
         .doc = "The solution x [..., n, k] of tridiagonal systems with the right-hand sides rhs [..., n, k].\n\n"
                "`diagonals` [..., 3, n] holds the diagonal above the main one (its last element is ignored), the main "
                "diagonal, and the one below (its first element is ignored). The solution of a singular system is NaN; "
                "with `perturb_singular`, that of a system close to it.",
         .infer = infer_solve,
         .check = check_tridiagonal_solve,
         .kernel = tridiagonal_solve,
         .grad = grad_tridiagonal_solve});
  r.add({.name = "TridiagonalMatMul",
         .inputs = {"superdiag: T", "maindiag: T", "subdiag: T", "rhs: T"},
         .outputs = {"output: T"},
         .attrs = {types},
         .doc =
             "The product of tridiagonal matrices, given by three diagonals [..., 1, n], and rhs [..., n, k].\n\nThe "
             "last element of `superdiag` and the first one of `subdiag` are ignored.",
         .infer = infer_multiply,
         .check = check_multiply,
         .kernel = multiply,
         .grad = grad_multiply});
}

}  // namespace tracefn
