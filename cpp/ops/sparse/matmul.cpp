// SparseTensorDenseMatMul: the product of a sparse matrix and a dense one.
#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/gradient.h"
#include "ops/registry.h"
#include "ops/sparse/sparse.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

void check_matmul(const KernelContext& c) {
  const Tensor &indices = c.input(0), &values = c.input(1), &sizes = c.input(2), &b = c.input(3);
  if (b.rank() != 2) invalid_argument("Tensor 'b' is not a matrix");
  if (sizes.rank() != 1) invalid_argument("Tensor 'a_shape' is not a vector");
  if (sizes.dim(0) != 2) invalid_argument("Tensor 'a_shape' must have 2 elements");
  if (values.rank() != 1) invalid_argument("Tensor 'a_values' is not a vector");
  if (indices.rank() != 2) invalid_argument("Tensor 'a_indices' is not a matrix");
  if (indices.dim(0) != values.dim(0))
    invalid_argument("Number of rows of a_indices does not match number of entries in a_values");
  if (indices.dim(1) != sizes.dim(0))
    invalid_argument("Number of columns of a_indices does not match number of entries in a_shape");
  require_sizes(sizes.span<std::int64_t>());
  const bool adjoint_a = c.attr("adjoint_a").b(), adjoint_b = c.attr("adjoint_b").b();
  const std::int64_t inner = sizes.int_at(adjoint_a ? 0 : 1), other = b.dim(adjoint_b ? 1 : 0);
  if (inner != other)
    invalid_argument("Cannot multiply A and B because inner dimension does not match: ", inner, " vs. ", other,
                     ".  Did you forget a transpose?  Dimensions of A: [", sizes.int_at(0), ", ", sizes.int_at(1),
                     ").  Dimensions of B: ", b.shape().text());
}

template <typename T>
T conjugate(T x) {
  return x;
}
template <typename T>
std::complex<T> conjugate(std::complex<T> x) {
  return std::conj(x);
}

// Rows and columns of the values; checks them.
struct SparsePlaces {
  std::vector<std::int64_t> row, column;

  SparsePlaces(const Tensor& indices, bool adjoint, std::int64_t rows, std::int64_t columns) {
    const auto n = static_cast<std::size_t>(indices.dim(0));
    row.resize(n);
    column.resize(n);
    in_slices(indices.dim(0), 4, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t m = indices.int_at(2 * i + adjoint), k = indices.int_at(2 * i + !adjoint);
        if (k < 0 || k >= columns)
          invalid_argument("k (", k, ") from index[", i, ",", adjoint ? 0 : 1, "] out of bounds (>=", columns, ")");
        if (m < 0 || m >= rows)
          invalid_argument("m (", m, ") from index[", i, ",", adjoint ? 1 : 0, "] out of bounds (>=", rows, ")");
        row[static_cast<std::size_t>(i)] = m;
        column[static_cast<std::size_t>(i)] = k;
      }
    });
  }
};

// a * b + c, integers wrapping around.
template <typename S>
S multiply_add(S a, S b, S c) {
  if constexpr (std::is_integral_v<S>) {
    using U = std::make_unsigned_t<S>;
    return static_cast<S>(static_cast<U>(a) * static_cast<U>(b) + static_cast<U>(c));
  } else {
    return c + a * b;
  }
}

template <typename T>
void multiply(const KernelContext& c, const SparsePlaces& places, Tensor& out) {
  using S = decltype(compute_value(T()));
  const bool adjoint_a = c.attr("adjoint_a").b(), adjoint_b = c.attr("adjoint_b").b();
  const Tensor &values = c.input(1), &b = c.input(3);
  const std::int64_t n = values.dim(0), columns = out.dim(1), width = b.dim(1);
  const T *x = values.data<T>(), *y = b.data<T>();
  // 16-bit floats are summed as floats.
  constexpr bool direct = std::is_same_v<S, T>;
  Tensor room = direct ? Tensor() : Tensor(DTypeOf<S>::value, out.shape());
  Tensor& sums = direct ? out : room;
  sums.fill_zeros();
  S* to = sums.mutable_data<S>();
  // A thread takes columns, so that the order of additions is that of the values.
  c.parallel_for(columns, 1 + 2 * static_cast<double>(n), [&](std::int64_t first, std::int64_t last) {
    in_slices(n, 4 + 2 * static_cast<double>(last - first), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const std::int64_t k = places.column[at];
        S a = compute_value(x[i]);
        if (adjoint_a) a = conjugate(a);
        S* row = to + places.row[at] * columns;
        if (adjoint_b) {
          for (std::int64_t j = first; j < last; ++j)
            row[j] = multiply_add(a, conjugate(compute_value(y[j * width + k])), row[j]);
        } else {
          for (std::int64_t j = first; j < last; ++j)
            row[j] = multiply_add(a, static_cast<S>(compute_value(y[k * width + j])), row[j]);
        }
      }
    });
  });
  if constexpr (!direct) {
    T* rounded = out.mutable_data<T>();
    in_slices(out.num_elements(), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) rounded[i] = static_cast<T>(to[i]);
    });
  }
}

void matmul(KernelContext& c) {
  const bool adjoint = c.attr("adjoint_a").b();
  const Tensor& sizes = c.input(2);
  const DType dtype = c.input(1).dtype();
  if (!is_floating(dtype) && !is_complex(dtype) && dtype != DType::kInt32) no_kernel();
  const SparsePlaces places(c.input(0), adjoint, sizes.int_at(adjoint ? 1 : 0), sizes.int_at(adjoint ? 0 : 1));
  with_any_number(dtype, [&]<typename T>(std::type_identity<T>) { multiply<T>(c, places, c.output(0)); });
}

void infer_matmul(InferContext& c) {
  const bool adjoint_a = c.attr("adjoint_a").b(), adjoint_b = c.attr("adjoint_b").b();
  c.require_rank(0, 2);
  c.require_rank(1, 1);
  const Shape a = c.shape_value(2), &b = c.shape(3);
  if (a.has_rank() && a.rank() != 2) invalid_argument("Shape must be rank 2 but is rank ", a.rank());
  c.require_rank(3, 2);
  auto dim = [](const Shape& shape, int axis) { return shape.has_rank() ? shape[axis] : kUnknownDim; };
  merge_dims(dim(a, adjoint_a ? 0 : 1), dim(b, adjoint_b ? 1 : 0));
  c.set_output(0, Shape({dim(a, adjoint_a ? 1 : 0), dim(b, adjoint_b ? 0 : 1)}));
}

Operand column_of(const Operand& matrix, int column) {
  return emit1("StridedSlice", {matrix, build::ints({0, column}), build::ints({0, column + 1}), build::ints({1, 1})},
               {{"begin_mask", std::int64_t{1}}, {"end_mask", std::int64_t{1}}, {"shrink_axis_mask", std::int64_t{2}}});
}

Operand transposed(const Operand& matrix, bool conjugate) {
  return emit1(conjugate ? "ConjugateTranspose" : "Transpose", {matrix, build::ints({1, 0})});
}

// The gradient of a value is the product of a row of dy and a row of b (of columns, if they are adjoint).
void grad_matmul(GradContext& c) {
  const bool adjoint_a = c.attr("adjoint_a").b(), adjoint_b = c.attr("adjoint_b").b();
  const Operand &places = c.input(0), &values = c.input(1), &sizes = c.input(2), &b = c.input(3);
  const Operand dy = c.dy(0);
  const bool complex = is_complex(b.dtype());
  if (c.wanted(3)) {
    Operand product = emit1("SparseTensorDenseMatMul", {places, values, sizes, dy}, {{"adjoint_a", !adjoint_a}});
    if (adjoint_b) product = transposed(product, complex);
    c.to_input(3, product);
  }
  if (!c.wanted(1)) return;
  const Operand zero = build::scalar(DType::kInt32, 0);
  const Operand row = column_of(places, 0), column = column_of(places, 1);
  const Operand of_dy = emit1("GatherV2", {dy, adjoint_a ? column : row, zero});
  Operand of_b = emit1("GatherV2", {adjoint_b ? transposed(b, false) : b, adjoint_a ? row : column, zero});
  if (!adjoint_b) of_b = build::conj(of_b);
  const Operand sum = build::sum(of_dy * of_b, build::ints({-1}));
  c.to_input(1, adjoint_a ? build::conj(sum) : sum);
}

}  // namespace

void register_sparse_matmul(Registry& r) {
  r.add({.name = "SparseTensorDenseMatMul",
         .inputs = {"a_indices: Tindices", "a_values: T", "a_shape: int64", "b: T"},
         .outputs = {"product: T"},
         .attrs = {"T: type", "Tindices: {int32, int64} = DT_INT64", "adjoint_a: bool = false",
                   "adjoint_b: bool = false"},
         .doc = "The product of a sparse matrix and a dense one; either may be replaced by its adjoint.",
         .infer = infer_matmul,
         .check = check_matmul,
         .kernel = matmul,
         .grad = grad_matmul});
}

}  // namespace tracefn
