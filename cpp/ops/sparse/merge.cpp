// Ops that walk the places of two sparse tensors in step: SparseAdd and its gradient, SparseSparseMaximum and Minimum.
#include <algorithm>
#include <cmath>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/gradient.h"
#include "ops/registry.h"
#include "ops/sparse/sparse.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

// A place of the union: the numbers of its element in both tensors, or kNone.
constexpr std::int64_t kNone = -1;
struct Pair {
  std::int64_t a, b;
};

// The places of both, merged; each is assumed to be in row-major order.
std::vector<Pair> merged(const SparseParts& a, const SparseParts& b) {
  std::vector<Pair> pairs;
  pairs.reserve(static_cast<std::size_t>(std::max(a.size(), b.size())));
  std::int64_t i = 0, j = 0;
  PolledSteps polled(256);
  for (; i < a.size() || j < b.size(); polled.step()) {
    const int order = i == a.size() ? 1 : j == b.size() ? -1 : compare_places(a.place(i), b.place(j), a.rank());
    pairs.push_back({order <= 0 ? i : kNone, order >= 0 ? j : kNone});
    i += order <= 0;
    j += order >= 0;
  }
  return pairs;
}

Tensor places_of(const SparseParts& a, const SparseParts& b, const std::vector<Pair>& pairs) {
  const std::int64_t rank = a.rank();
  Tensor out(DType::kInt64, Shape({static_cast<std::int64_t>(pairs.size()), rank}));
  auto* to = out.mutable_data<std::int64_t>();
  PolledSteps polled(1024);
  for (const Pair& pair : pairs) {
    to = std::copy_n(pair.a != kNone ? a.place(pair.a) : b.place(pair.b), rank, to);
    polled.step();
  }
  return out;
}

void require_same_sizes(const SparseParts& a, const SparseParts& b) {
  for (std::int64_t d = 0; d < a.rank(); ++d) {
    const std::int64_t x = a.sizes()[static_cast<std::size_t>(d)], y = b.sizes()[static_cast<std::size_t>(d)];
    if (x != y) invalid_argument("Operands' shapes do not match: got ", x, " and ", y, " for dimension ", d);
  }
}

void check_add(const KernelContext& c) {
  const SparseParts a(c, 0), b(c, 3);
  auto both = [](const Tensor& x, const Tensor& y) { return concat(x.shape().text(), " and ", y.shape().text()); };
  if (a.indices.rank() != 2 || b.indices.rank() != 2)
    invalid_argument("Input indices should be matrices but received shapes: ", both(a.indices, b.indices));
  if (a.values.rank() != 1 || b.values.rank() != 1)
    invalid_argument("Input values should be vectors but received shapes: ", both(a.values, b.values));
  if (a.values.dim(0) != a.size() || b.values.dim(0) != b.size())
    invalid_argument("Expected ", a.size(), " and ", b.size(), " non-empty input values, got ", a.values.dim(0),
                     " and ", b.values.dim(0));
  if (a.rank() != b.rank())
    invalid_argument("Input indices must have the same dimension, got ", a.rank(), " and ", b.rank());
  if (a.shape.rank() != 1 || b.shape.rank() != 1)
    invalid_argument("Input shapes should be a vector but received shapes ", both(a.shape, b.shape));
  if (a.rank() != a.shape.dim(0))
    invalid_argument("Second dimension of a_indices and length of a_shape must match, got ", a.rank(), " and ",
                     a.shape.dim(0));
  if (a.shape.dim(0) != b.shape.dim(0))
    invalid_argument("Operands do not have the same ranks; got shapes: ", spaced(a.sizes()), " and ",
                     spaced(b.sizes()));
  require_same_sizes(a, b);
  if (c.input(6).rank() != 0)
    invalid_argument("The magnitude threshold must be a scalar: got shape ", c.input(6).shape().text());
}

template <typename T, typename R>
bool reaches(T value, R threshold) {
  if constexpr (std::is_integral_v<T> || std::is_floating_point_v<T>) {
    // As std::abs computes it for integers: the lowest one stays negative.
    if constexpr (std::is_integral_v<T>) return static_cast<T>(value < 0 ? T(0) - value : value) >= threshold;
    return std::abs(value) >= threshold;
  } else {
    return std::abs(value) >= threshold;
  }
}

template <typename T>
void add_as(KernelContext& c) {
  using R = decltype(std::real(T()));
  using Threshold = std::conditional_t<std::is_integral_v<T>, T, R>;
  const SparseParts a(c, 0), b(c, 3);
  const auto threshold = c.input(6).item<Threshold>();
  std::vector<Pair> kept;
  std::vector<T> sums;
  PolledSteps polled(1024);
  for (const Pair& pair : merged(a, b)) {
    polled.step();
    if (pair.a != kNone && pair.b != kNone) {
      const T sum = add_elements(a.values.data<T>()[pair.a], b.values.data<T>()[pair.b]);
      if (!reaches(sum, threshold)) continue;
      sums.push_back(sum);
    } else {
      sums.push_back(pair.a != kNone ? a.values.data<T>()[pair.a] : b.values.data<T>()[pair.b]);
    }
    kept.push_back(pair);
  }
  c.set_output(0, places_of(a, b, kept));
  c.set_output(1, Tensor::vector(std::span<const T>(sums)));
  c.set_output(2, a.shape);
}

// Calls f(T()) for the dtypes that TensorFlow adds.
template <typename F>
void with_sum(KernelContext& c, F&& f) {
  switch (c.attr("T").type()) {
    case DType::kFloat:
      return f(std::type_identity<float>());
    case DType::kDouble:
      return f(std::type_identity<double>());
    case DType::kInt64:
      return f(std::type_identity<std::int64_t>());
    case DType::kInt32:
      return f(std::type_identity<std::int32_t>());
    case DType::kInt16:
      return f(std::type_identity<std::int16_t>());
    case DType::kInt8:
      return f(std::type_identity<std::int8_t>());
    case DType::kComplex64:
      return f(std::type_identity<std::complex<float>>());
    case DType::kComplex128:
      return f(std::type_identity<std::complex<double>>());
    default:
      no_kernel();
  }
}

void sparse_add(KernelContext& c) {
  with_sum(c, [&]<typename T>(std::type_identity<T>) {
    if (c.input(6).dtype() != real_dtype(DTypeOf<T>::value)) no_kernel();
    add_as<T>(c);
  });
}

void grad_add(GradContext& c) {
  const Operand inputs[] = {c.dy(1), c.input(0), c.input(3), c.output(0)};
  const Operands grads = emit_all("SparseAddGrad", inputs);
  c.to_input(1, grads[0]);
  c.to_input(4, grads[1]);
}

void check_add_grad(const KernelContext& c) {
  const Tensor &dy = c.input(0), &a = c.input(1), &b = c.input(2), &sum = c.input(3);
  if (a.rank() != 2 || b.rank() != 2 || sum.rank() != 2)
    invalid_argument("Input indices should be matrices but received shapes: ", a.shape().text(), " and ",
                     b.shape().text(), " and ", sum.shape().text());
  if (dy.rank() != 1)
    invalid_argument("Input backprop_val_grad should be a vector but received shape: ", dy.shape().text());
  if (a.dim(1) != b.dim(1) || b.dim(1) != sum.dim(1))
    invalid_argument("The densified operands should have the same ndims; for A, B, sum got: ", a.dim(1), b.dim(1),
                     sum.dim(1));
  if (dy.dim(0) != sum.dim(0))
    invalid_argument("# elements of backprop_val_grad and # rows of sum_indices should match (#nnz of sum): got ",
                     dy.dim(0), " and ", sum.dim(0));
}

// The gradient of each value whose place is among those of the sum.
void add_grad(KernelContext& c) {
  const Tensor &dy = c.input(0), &sum = c.input(3);
  const std::int64_t rank = sum.dim(1), n = sum.dim(0);
  const auto* total = sum.data<std::int64_t>();
  with_sum(c, [&]<typename T>(std::type_identity<T>) {
    for (std::size_t side : {0, 1}) {
      const Tensor& places = c.input(side + 1);
      const auto* place = places.data<std::int64_t>();
      Tensor& out = c.output(side);
      T* to = out.mutable_data<T>();
      std::int64_t k = 0;
      PolledSteps polled(256);
      for (std::int64_t i = 0; i < places.dim(0); ++i, polled.step()) {
        while (k < n && compare_places(total + k * rank, place + i * rank, rank) < 0) ++k;
        const bool found = k < n && compare_places(total + k * rank, place + i * rank, rank) == 0;
        to[i] = found ? dy.data<T>()[k] : T(0);
      }
    }
  });
}

void check_extreme(const KernelContext& c) {
  const SparseParts a(c, 0), b(c, 3);
  require_sparse(a);
  require_places_inside(a);
  require_sparse(b);
  require_places_inside(b);
  if (a.rank() != b.rank())
    invalid_argument("Operands do not have the same ranks; got shapes: ", spaced(a.sizes()), " and ",
                     spaced(b.sizes()));
  require_same_sizes(a, b);
}

template <bool largest>
void extreme(KernelContext& c) {
  const SparseParts a(c, 0), b(c, 3);
  const std::vector<Pair> pairs = merged(a, b);
  c.set_output(0, places_of(a, b, pairs));
  Tensor out(a.values.dtype(), Shape({static_cast<std::int64_t>(pairs.size())}));
  if (is_complex(out.dtype())) no_kernel();
  with_number(out.dtype(), [&]<typename T>(std::type_identity<T>) {
    T* to = out.mutable_data<T>();
    const T zero{};
    PolledSteps polled(1024);
    for (const Pair& pair : pairs) {
      const T x = pair.a == kNone ? zero : a.values.data<T>()[pair.a];
      const T y = pair.b == kNone ? zero : b.values.data<T>()[pair.b];
      const bool swap = largest ? compute_value(x) < compute_value(y) : compute_value(y) < compute_value(x);
      *to++ = swap ? y : x;
      polled.step();
    }
  });
  c.set_output(1, std::move(out));
}

[[noreturn]] void grad_missing(GradContext& c) {
  fail(ErrorKind::kNotImplemented, "Gradient for ", c.op().name(), " is not implemented.");
}

OpRecord extreme_record(std::string_view name, std::string_view types, std::string_view doc, KernelFn kernel) {
  return {.name = name,
          .inputs = {"a_indices: int64", "a_values: T", "a_shape: int64", "b_indices: int64", "b_values: T",
                     "b_shape: int64"},
          .outputs = {"output_indices: int64", "output_values: T"},
          .attrs = {types},
          .doc = doc,
          .infer =
              [](InferContext& c) {
                require_sparse_ranks(c, 0);
                require_sparse_ranks(c, 3);
                c.set_output(0, Shape({kUnknownDim, kUnknownDim}));
                c.set_output(1, Shape({kUnknownDim}));
              },
          .kernel = kernel,
          .allocation = Allocation::kByValues,
          .grad = grad_missing};
}

}  // namespace

void register_sparse_merge(Registry& r) {
  r.add({.name = "SparseAdd",
         .inputs = {"a_indices: int64", "a_values: T", "a_shape: int64", "b_indices: int64", "b_values: T",
                    "b_shape: int64", "thresh: Treal"},
         .outputs = {"sum_indices: int64", "sum_values: T", "sum_shape: int64"},
         .attrs = {"T: " TRACEFN_NUMBERS, "Treal: " TRACEFN_REAL_NUMBERS},
         .doc = "The sum of two sparse tensors of the same shape. Where both have a value, the sum is left out if its "
                "magnitude is below `thresh`. Both must be in row-major order.",
         .infer =
             [](InferContext& c) {
               c.require_rank(2, 1);
               set_sparse_outputs(c, 0, kUnknownDim, dim_of(c.shape(2), 0));
             },
         .kernel = checked<check_add, sparse_add>,
         .allocation = Allocation::kByValues,
         .grad = grad_add});
  r.add({.name = "SparseAddGrad",
         .inputs = {"backprop_val_grad: T", "a_indices: int64", "b_indices: int64", "sum_indices: int64"},
         .outputs = {"a_val_grad: T", "b_val_grad: T"},
         .attrs = {"T: " TRACEFN_NUMBERS},
         .doc = "The gradient of SparseAdd: for the values of both operands, given that for the values of the sum.",
         .infer =
             [](InferContext& c) {
               c.require_rank(1, 2);
               c.require_rank(2, 2);
               c.set_output(0, Shape({dim_of(c.shape(1), 0)}));
               c.set_output(1, Shape({dim_of(c.shape(2), 0)}));
             },
         .check = check_add_grad,
         .kernel = add_grad,
         .grad = not_differentiable});
  r.add(extreme_record("SparseSparseMaximum", "T: " TRACEFN_REAL_NUMBERS,
                       "The elementwise maximum of two sparse tensors of the same shape, missing values being zeros. "
                       "Both must be in row-major order.",
                       checked<check_extreme, extreme<true>>));
  r.add(extreme_record("SparseSparseMinimum", "T: " TRACEFN_NUMBERS,
                       "The elementwise minimum of two sparse tensors of the same shape, missing values being zeros. "
                       "Both must be in row-major order.",
                       checked<check_extreme, extreme<false>>));
}

}  // namespace tracefn
