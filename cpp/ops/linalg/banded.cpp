// BandedTriangularSolve: triangular systems whose matrix is given by its diagonals.
#include "base/poll.h"
#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/linalg/linalg_families.h"
#include "ops/linalg/matrix_batch.h"
#include "ops/linalg/matrix_ops.h"
#include "ops/linalg/matrix_shapes.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

void infer_solve(InferContext& c) {
  c.require_rank_at_least(0, 2);
  c.require_rank_at_least(1, 2);
  const Shape &a = c.shape(0), &b = c.shape(1);
  if (a.has_rank() && !c.running()) {
    const std::int64_t bands = rows_of(a), n = columns_of(a);
    if (bands == 0) invalid_argument("Number of bands must be positive, but is ", bands);
    if (bands > 0 && n >= 0 && bands > n)
      invalid_argument("Number of bands ", bands, " cannot exceed the size of the matrix ", n);
  }
  if (!a.has_rank() || !b.has_rank()) return c.set_output(0, Shape::unknown());
  const std::int64_t n = merge_dims(columns_of(a), rows_of(b));
  c.set_output(0, matrices(broadcast(batch_of(a), batch_of(b)), n, columns_of(b)));
}

void check_banded_solve(const KernelContext& c) {
  const Shape &sa = c.input(0).shape(), &sb = c.input(1).shape();
  for (std::size_t i = 0; i < 2; ++i)
    if (c.input(i).rank() < 2) invalid_argument("In[", i, "] ndims must be >= 2: ", c.input(i).rank());
  try {
    broadcast(batch_of(sa), batch_of(sb));
  } catch (const Error&) {
    invalid_argument("In[0] and In[1] must have compatible batch dimensions: ", sa.text(), " vs. ", sb.text());
  }
  for (std::size_t i = 0; i < 2; ++i)
    if (c.input(i).num_elements() == 0)
      invalid_argument("In[", i, "] must not be an empty tensor: Tensor<type: ", name(c.input(i).dtype()),
                       " shape: ", c.input(i).shape().text(), " values: >");
  if (columns_of(sa) != rows_of(sb))
    invalid_argument("In[0] mismatch In[1] shape: ", columns_of(sa), " vs. ", rows_of(sb), ": ", sa.text(), " ",
                     sb.text(), " ", c.attr("lower").b(), " ", c.attr("adjoint").b());
}

template <typename T>
T conjugated(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return x;
  } else {
    return std::conj(x);
  }
}

// n equations, `bands` of whose diagonals are given: bands[d * n + i] is in row i, d or bands - 1 - d places beside the
// main diagonal.
template <typename T>
struct Banded {
  const T* bands;
  std::int64_t count, n;
  bool lower, adjoint;

  // The element in row i that is `distance` places beside the main diagonal, towards the rows that come before it in
  // the solution.
  T element(std::int64_t i, std::int64_t distance) const {
    const T* band = bands + (lower ? distance : count - 1 - distance) * n;
    if (!adjoint) return band[i];
    return conjugated(band[lower ? i + distance : i - distance]);
  }

  bool is_invertible() const {
    for (std::int64_t i = 0; i < n; ++i)
      if (element(i, 0) == T(0)) return false;
    return true;
  }

  void solve(const T* b, T* x, std::int64_t k) const {
    PolledSteps polled(1 << 14);
    const bool forward = lower != adjoint;
    for (std::int64_t step = 0; step < n; ++step) {
      const std::int64_t i = forward ? step : n - 1 - step;
      T* row = x + i * k;
      std::copy_n(b + i * k, k, row);
      for (std::int64_t d = 1; d <= std::min(count - 1, step); ++d) {
        const T factor = element(i, d);
        const T* known = x + (forward ? i - d : i + d) * k;
        for (std::int64_t j = 0; j < k; ++j) row[j] -= factor * known[j];
        polled.step(k);
      }
      const T pivot = element(i, 0);
      for (std::int64_t j = 0; j < k; ++j) row[j] /= pivot;
      polled.step(k);
    }
  }
};

void banded_solve(KernelContext& c) {
  const Shape &sa = c.input(0).shape(), &sb = c.input(1).shape();
  const std::int64_t count = rows_of(sa), n = rows_of(sb), k = columns_of(sb);
  const Tensor a = as_float(c.input(0)), b = as_float(c.input(1));
  Tensor x = wide_output(c.output(0));
  const auto offsets_a = batch_offsets(sa, x.shape()), offsets_b = batch_offsets(sb, x.shape());
  const double work = 2.0 * static_cast<double>(count * n) * static_cast<double>(k);
  with_any_number(a.dtype(), [&]<typename T>(std::type_identity<T>) {
    if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, std::complex<float>> ||
                  std::is_same_v<T, std::complex<double>>) {
      T* to = x.mutable_data<T>();
      for_each_matrix(c, batch_of(x.shape()).num_elements(), work, [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        const Banded<T> matrix{a.data<T>() + offsets_a[at] * count * n, count, n, c.attr("lower").b(),
                               c.attr("adjoint").b()};
        if (!matrix.is_invertible()) invalid_argument("Input matrix is not invertible.");
        matrix.solve(b.data<T>() + offsets_b[at] * n * k, to + i * n * k, k);
      });
    }
  });
  round_output(x, c.output(0));
}

Operand slice(const Operand& shape, int begin, int end, int begin_mask, int end_mask, int shrink) {
  return emit1("StridedSlice", {shape, build::ints({begin}), build::ints({end}), build::ints({1})},
               {{"begin_mask", begin_mask}, {"end_mask", end_mask}, {"shrink_axis_mask", shrink}});
}

void grad_banded_solve(GradContext& c) {
  const bool adjoint = c.attr("adjoint").b(), lower = c.attr("lower").b();
  const Operand &a = c.input(0), &x = c.output(0);
  const Operand db = emit1("BandedTriangularSolve", {a, c.dy(0)}, {{"lower", lower}, {"adjoint", !adjoint}});
  const Operand da = -(adjoint ? matrix::product(x, db, false, true) : matrix::product(db, x, false, true));
  const Operand shape = build::shape_of(a), bands = slice(shape, -2, -1, 0, 0, 1);
  const Operand none = build::scalar(DType::kInt32, 0), last = bands - build::scalar(DType::kInt32, 1);
  const Operand range = lower ? emit1("Pack", {-last, none}) : emit1("Pack", {none, last});
  const Operand diagonals =
      emit1("MatrixDiagPartV3", {da, range, build::scalar(a.dtype(), 0)}, {{"align", std::string("LEFT_RIGHT")}});
  // A single diagonal comes without the dimension of the bands.
  const Operand wanted =
      emit1("ConcatV2", {slice(build::shape_of(da), 0, -2, 1, 0, 0), slice(shape, -2, 0, 0, 1, 0), none});
  c.to_input(0, unbroadcast_batch(build::reshape(diagonals, wanted), a, c.input(1)));
  c.to_input(1, unbroadcast_batch(db, c.input(1), a));
}

}  // namespace

void register_banded(Registry& r) {
  r.add({.name = "BandedTriangularSolve",
         .python = "linalg.banded_triangular_solve(bands:matrix, rhs, lower, adjoint)",
         .inputs = {"matrix: T", "rhs: T"},
         .outputs = {"output: T"},
         .attrs = {"lower: bool = true", "adjoint: bool = false", "T: {double, float, half, complex64, complex128}"},
         .doc =
             "The solution x [..., n, k] of triangular systems with the right-hand sides rhs [..., n, k], for matrices "
             "that are given by their diagonals [..., bands, n].\n\nThe main diagonal comes first if `lower`, and "
             "last otherwise. Shorter diagonals are aligned as by tf.linalg.set_diag with align='LEFT_RIGHT'. With "
             "`adjoint` the adjoints of the matrices are used. Raises InvalidArgumentError for a zero on a main "
             "diagonal.",
         .infer = infer_solve,
         .check = check_banded_solve,
         .kernel = banded_solve,
         .grad = grad_banded_solve});
}

}  // namespace tracefn
