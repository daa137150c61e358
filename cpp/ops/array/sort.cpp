// Ops that find extremes and their indices: ArgMax, ArgMin, TopKV2.
#include <algorithm>
#include <numeric>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// Nanoseconds per element, for the choice of shards and slices.
constexpr double kScanCost = 0.7;

// A scalar input of any index type, if its value is known.
std::optional<std::int64_t> known_index(const InferContext& c, std::size_t i) {
  const Tensor* value = c.value(i);
  if (!value || value->num_elements() != 1) return std::nullopt;
  return index_at(*value, 0);
}

void infer_arg(InferContext& c) {
  c.require_rank(1, 0);
  const Shape& in = c.shape(0);
  if (!in.has_rank()) return c.set_output(0, Shape::unknown());
  std::optional<std::int64_t> axis = known_index(c, 1);
  if (in.rank() <= 1 && !axis) return c.set_output(0, Shape());
  if (!axis) return c.set_output(0, Shape::of_rank(in.rank() - 1));
  if (*axis < -in.rank() || *axis >= in.rank())
    invalid_argument("Dimension (", *axis, ") must be in the range [", -in.rank(), ", ", in.rank(), "), where ",
                     in.rank(), " is the number of dimensions in the input.");
  Dims dims = in.dims();
  dims.erase(dims.begin() + (*axis < 0 ? *axis + in.rank() : *axis));
  c.set_output(0, Shape(std::move(dims)));
}

// The output for indices along an axis, as integers of 2, 4 or 8 bytes: the same bits, signed or not.
class Places {
 public:
  explicit Places(Tensor& tensor) : data_(static_cast<char*>(tensor.mutable_raw())), size_(size_of(tensor.dtype())) {}

  void set(std::int64_t i, std::int64_t place) const {
    switch (size_) {
      case 2:
        return put<std::int16_t>(i, place);
      case 4:
        return put<std::int32_t>(i, place);
      default:
        return put<std::int64_t>(i, place);
    }
  }

 private:
  template <typename T>
  void put(std::int64_t i, std::int64_t place) const {
    reinterpret_cast<T*>(data_)[i] = static_cast<T>(place);
  }

  char* data_;
  std::size_t size_;
};

// The first of the largest (or smallest) elements along the axis; NaN is chosen only if there is nothing else.
// The index of column k goes to first + k.
template <bool largest, typename T>
void scan(const T* x, const Places& y, std::int64_t first, std::int64_t n, std::int64_t inner) {
  for (std::int64_t k = 0; k < inner; ++k) {
    auto best = compute_value(x[k]);
    std::int64_t at = 0;
    in_slices(1, n, kScanCost, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        auto v = compute_value(x[i * inner + k]);
        if (largest ? v > best : v < best) {
          best = v;
          at = i;
        } else if constexpr (!std::is_integral_v<T>) {
          if (best != best && v == v) {
            best = v;
            at = i;
          }
        }
      }
    });
    y.set(first + k, at);
  }
}

void check_arg(const KernelContext& c) {
  const Tensor& x = c.input(0);
  if (c.input(1).rank() != 0)
    invalid_argument("dim must be a scalar, but received tensor of shape: ", c.input(1).shape().text());
  std::int64_t axis = index_at(c.input(1), 0), rank = x.rank();
  if (axis < -rank || axis >= rank)
    invalid_argument("Expected dimension in the range [", -rank, ", ", rank, "), but got ", axis);
  if (axis < 0) axis += rank;
  if (x.dim(static_cast<int>(axis)) == 0)
    invalid_argument("Reduction axis ", axis, " is empty in shape ", x.shape().text());
}

template <bool largest>
void arg(KernelContext& c) {
  const Tensor& x = c.input(0);
  std::int64_t axis = index_at(c.input(1), 0);
  if (axis < 0) axis += x.rank();
  std::int64_t n = x.dim(static_cast<int>(axis)), outer = 1, inner = 1;
  for (int i = 0; i < x.rank(); ++i)
    if (i != axis) (i < axis ? outer : inner) *= x.dim(i);
  const Places places(c.output(0));
  auto run = [&]<typename T>(std::type_identity<T>) {
    c.parallel_for(outer, kScanCost * static_cast<double>(n * inner), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t o = begin; o < end; ++o)
        scan<largest>(x.data<T>() + o * n * inner, places, o * inner, n, inner);
    });
  };
  if (x.dtype() == DType::kBool) return run(std::type_identity<std::uint8_t>());
  with_number(x.dtype(), run);
}

void infer_top_k(InferContext& c) {
  c.require_rank_at_least(0, 1);
  c.require_rank(1, 0);
  std::optional<std::int64_t> k = known_index(c, 1);
  if (k && *k < 0) invalid_argument("Dimension size, given by scalar input 1, must be non-negative but is ", *k);
  Shape out = c.shape(0);
  if (out.has_rank()) {
    std::int64_t last = out[out.rank() - 1];
    if (k && last >= 0 && last < *k) invalid_argument("input must have last dimension >= k = ", *k, " but is ", last);
    out[out.rank() - 1] = k.value_or(kUnknownDim);
  }
  c.set_output(0, out);
  c.set_output(1, std::move(out));
}

// Larger elements first; equal ones by index; NaN last. The indices are written from first on.
template <typename T>
void top_k_row(const T* x, std::int64_t n, std::int64_t k, T* values, const Places& indices, std::int64_t first) {
  Tensor places(DType::kInt64, Shape({n}));
  std::int64_t* order = places.mutable_data<std::int64_t>();
  in_slices(n, 1, [&](std::int64_t begin, std::int64_t end) { std::iota(order + begin, order + end, begin); });
  PolledSteps polled(4096);
  auto before = [x, &polled](std::int64_t a, std::int64_t b) {
    polled.step();
    auto va = compute_value(x[a]), vb = compute_value(x[b]);
    if (va > vb) return true;
    if (vb > va) return false;
    bool nan_a = va != va, nan_b = vb != vb;
    return nan_a != nan_b ? nan_b : a < b;
  };
  if (k == n) {
    std::sort(order, order + n, before);
  } else {
    std::partial_sort(order, order + k, order + n, before);
  }
  in_slices(k, 5, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      values[i] = x[order[i]];
      indices.set(first + i, order[i]);
    }
  });
}

void check_top_k(const KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& count = c.input(1);
  if (count.rank() != 0) invalid_argument("k must be scalar, got shape ", count.shape().text());
  std::int64_t k = index_at(count, 0);
  if (k < 0) invalid_argument("Need k >= 0, got ", k);
  if (x.rank() < 1) invalid_argument("input must be >= 1-D, got shape ", x.shape().text());
  std::int64_t n = x.dim(x.rank() - 1);
  if (n < k) invalid_argument("input must have at least k columns. Had ", n, ", needed ", k);
}

void top_k(KernelContext& c) {
  const Tensor& x = c.input(0);
  Tensor& values = c.output(0);
  std::int64_t n = x.dim(x.rank() - 1), k = values.dim(x.rank() - 1);
  std::int64_t rows = n == 0 ? 0 : x.num_elements() / n;
  const Places places(c.output(1));
  with_number(x.dtype(), [&]<typename T>(std::type_identity<T>) {
    c.parallel_for(rows, 20 * static_cast<double>(n), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r)
        top_k_row(x.data<T>() + r * n, n, k, values.mutable_data<T>() + r * k, places, r * k);
    });
  });
}

// Each value's gradient goes to its source position, counted over all elements.
void grad_top_k(GradContext& c) {
  const Operand& x = c.input(0);
  Operand shape = build::shape_of(x);
  const Operand zero = build::scalar(DType::kInt32, 0), one = build::scalar(DType::kInt32, 1);
  const Operand minus_one = build::ints({-1});
  auto last_of = [](const Operand& dims) {
    return emit1("StridedSlice", {dims, build::ints({-1}), build::ints({0}), build::ints({1})},
                 {{"end_mask", 1}, {"shrink_axis_mask", 1}});
  };
  // Flat index i is in row i / k. With k or the last dimension 0 there are none.
  Operand indices = build::reshape(build::cast(c.output(1), DType::kInt32), minus_one);
  Operand k = emit1("Maximum", {last_of(build::shape_of(c.output(1))), one});
  Operand row = emit1("FloorDiv", {emit1("Range", {zero, emit1("Size", {indices}), one}), k});
  Operand flat = build::reshape(indices + row * last_of(shape), build::ints({-1, 1}));
  Operand dy = build::reshape(c.dy(0), minus_one);
  Operand size = build::reshape(emit1("Size", {x}), build::ints({1}));
  c.to_input(0, build::reshape(emit1("ScatterNd", {flat, dy, size}), shape));
}

}  // namespace

void register_sort(Registry& r) {
  constexpr std::string_view types =
      "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, bool}";
  r.add({.name = "ArgMax",
         .inputs = {"input: T", "dimension: Tidx"},
         .outputs = {"output: output_type"},
         .attrs = {types, "Tidx: {int16, int32, int64} = DT_INT32",
                   "output_type: {int16, uint16, int32, int64} = DT_INT64"},
         .doc = "The index of the largest element along an axis; the first one if there are several.",
         .infer = infer_arg,
         .check = check_arg,
         .kernel = arg<true>,
         .grad = not_differentiable});
  r.add({.name = "ArgMin",
         .inputs = {"input: T", "dimension: Tidx"},
         .outputs = {"output: output_type"},
         .attrs = {types, "Tidx: {int32, int64} = DT_INT32", "output_type: {int32, int64} = DT_INT64"},
         .doc = "The index of the smallest element along an axis; the first one if there are several.",
         .infer = infer_arg,
         .check = check_arg,
         .kernel = arg<false>,
         .grad = not_differentiable});
  r.add({.name = "TopKV2",
         .inputs = {"input: T", "k: Tk"},
         .outputs = {"values: T", "indices: index_type"},
         .attrs = {"sorted: bool = true", "T: " TRACEFN_REAL_NUMBERS, "Tk: {int16, int32, int64} = DT_INT32",
                   "index_type: {int16, int32, int64} = DT_INT32"},
         .doc = "The k largest elements along the last axis, in descending order, and their indices.\n\nEqual elements "
                "are ordered by index. NaN comes last.",
         .infer = infer_top_k,
         .check = check_top_k,
         .kernel = top_k,
         .grad = grad_top_k});
}

}  // namespace tracefn
