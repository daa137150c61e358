// Ops that create tensors: constants, placeholders, fills, ranges, and tensors like another one.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/build.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/typed.h"
#include "ops/variant_object.h"

namespace tracefn {
namespace {

void infer_const(InferContext& c) { c.set_output(0, c.attr("value").tensor().shape()); }
void constant(KernelContext& c) { c.set_output(0, c.attr("value").tensor()); }

void infer_placeholder(InferContext& c) { c.set_output(0, c.attr("shape").shape()); }
void placeholder(KernelContext& c) {
  invalid_argument("You must feed a value for placeholder tensor '", c.node_name_, "' with dtype ",
                   runtime_name(c.attr("dtype").type()));
}

void infer_fill(InferContext& c) {
  if (!c.running()) {  // TensorFlow's kernel takes other shapes, too
    c.require_rank(0, 1);
    c.require_rank(1, 0);
    const Tensor* dims = c.value(0);
    for (std::int64_t i = 0; dims && i < dims->num_elements(); ++i)
      if (index_at(*dims, i) == -1) invalid_argument("Fill dimensions must be >= 0");
  }
  c.set_output(0, c.shape_value(0));
}

void fill_with(Tensor& out, const void* value) {
  std::int64_t n = out.num_elements();
  with_element(out.dtype(), [&]<typename T>(std::type_identity<T>) {
    fill_polled(out.mutable_data<T>(), n, *static_cast<const T*>(value));
  });
}

void check_fill(const KernelContext& c) {
  const Tensor& dims = c.input(0);
  const Tensor& value = c.input(1);
  if (dims.rank() > 1) invalid_argument("dims must represent a vector, got shape ", dims.shape().text());
  if (value.num_elements() != 1) invalid_argument("value must represent a scalar, got shape ", value.shape().text());
}

void fill(KernelContext& c) { fill_with(c.output(0), c.input(1).raw()); }

// The number of elements from start to limit, limit excluded. Differences are rounded to the elements' type E, as
// TensorFlow's are: from 0.1 to 1.1 by 0.1 there are ten floats.
template <typename E, typename T = decltype(compute_value(E()))>
std::int64_t range_size(T start, T limit, T delta) {
  if (delta == T(0)) invalid_argument("Requires delta != 0: ", +delta);
  if (delta > T(0) && start > limit) invalid_argument("Requires start <= limit when delta > 0: ", +start, "/", +limit);
  if (delta < T(0) && start < limit) invalid_argument("Requires start >= limit when delta < 0: ", +start, "/", +limit);
  if constexpr (std::is_integral_v<T>) {
    // Unsigned arithmetic: neither the distance nor -delta can overflow.
    bool up = delta > T(0);
    auto wide = [](T v) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(v)); };
    std::uint64_t distance = up ? wide(limit) - wide(start) : wide(start) - wide(limit);
    std::uint64_t step = up ? wide(delta) : std::uint64_t{0} - wide(delta);
    std::uint64_t size = distance / step + (distance % step != 0);
    if (size > INT64_MAX) invalid_argument("Requires ((limit - start) / delta) <= ", INT64_MAX);
    return static_cast<std::int64_t>(size);
  } else {
    const auto rounded = [](T x) { return compute_value(static_cast<E>(x)); };
    const double size = std::ceil(std::abs(static_cast<double>(rounded(rounded(limit - start) / delta))));
    if (!(size <= static_cast<double>(INT64_MAX)))
      invalid_argument("Requires ((limit - start) / delta) <= ", INT64_MAX);
    return static_cast<std::int64_t>(size);
  }
}

void infer_range(InferContext& c) {
  std::int64_t size = kUnknownDim;
  for (std::size_t i = 0; i < 3 && !c.running(); ++i) c.require_rank(i, 0);  // TensorFlow's kernel takes [1], too
  if (c.value(0) && c.value(1) && c.value(2)) {
    with_number(c.dtype(0), [&]<typename T>(std::type_identity<T>) {
      const auto delta = compute_value(c.value(2)->item<T>());
      if (delta == 0 && !c.running()) invalid_argument("Requires delta != 0");
      size = range_size<T>(compute_value(c.value(0)->item<T>()), compute_value(c.value(1)->item<T>()), delta);
    });
  }
  c.set_output(0, Shape({size}));
}

void check_range(const KernelContext& c) {
  static constexpr const char* names[] = {"start", "limit", "delta"};
  for (std::size_t i = 0; i < 3; ++i)
    if (c.input(i).num_elements() != 1 || c.input(i).rank() > 1)
      invalid_argument(names[i], " must be a scalar, not shape ", c.input(i).shape().text());
}

template <typename T>
constexpr double kWriteCost = 0.05 * sizeof(T);  // nanoseconds

// out[i] = f(i) for i in [begin, end). The compiler makes vector code of loops of a constant length, and of
// conversions from indices of 32 bits.
template <typename T, typename F>
void write_each(T* out, std::int64_t begin, std::int64_t end, const F& f) {
  constexpr int kAtOnce = 16;
  const std::int64_t narrow = std::min<std::int64_t>(end, std::numeric_limits<std::int32_t>::max() - kAtOnce);
  std::int64_t i = begin;
  for (; i + kAtOnce <= narrow; i += kAtOnce) {
    const auto first = static_cast<std::int32_t>(i);
    for (std::int32_t k = 0; k < kAtOnce; ++k) out[i + k] = f(first + k);
  }
  for (; i < end; ++i) out[i] = f(i);
}

void range(KernelContext& c) {
  with_number(c.input(0).dtype(), [&]<typename T>(std::type_identity<T>) {
    const auto start = compute_value(c.input(0).item<T>());
    const auto delta = compute_value(c.input(2).item<T>());
    T* out = c.output(0).mutable_data<T>();
    c.parallel_for(c.output(0).num_elements(), kWriteCost<T>, [&](std::int64_t begin, std::int64_t end) {
      write_each(out, begin, end, [start, delta](auto i) {
        if constexpr (std::is_integral_v<T>) {
          using U = std::make_unsigned_t<T>;
          return static_cast<T>(static_cast<U>(static_cast<U>(start) + 1u * static_cast<U>(i) * static_cast<U>(delta)));
        } else {
          // Rounded at each step, as TensorFlow computes halves.
          const auto number = compute_value(static_cast<T>(static_cast<decltype(start)>(i)));
          return static_cast<T>(start + compute_value(static_cast<T>(number * delta)));
        }
      });
    });
  });
}

void infer_linspace(InferContext& c) {
  for (std::size_t i = 0; i < 3; ++i) c.require_rank(i, 0);
  std::optional<std::int64_t> num = c.int_value(2);
  if (num && *num <= 0) invalid_argument("Requires num > 0: ", *num);
  c.set_output(0, Shape({num.value_or(kUnknownDim)}));
}

void linspace(KernelContext& c) {
  with_float(c.input(0).dtype(), [&]<typename T>(std::type_identity<T>) {
    auto start = compute_value(c.input(0).item<T>());
    auto stop = compute_value(c.input(1).item<T>());
    using C = decltype(start);
    T* out = c.output(0).mutable_data<T>();
    std::int64_t n = c.output(0).num_elements();
    C step = n > 1 ? (stop - start) / static_cast<C>(n - 1) : C(0);
    c.parallel_for(n, kWriteCost<T>, [&](std::int64_t begin, std::int64_t end) {
      write_each(out, begin, end, [start, step](auto i) { return static_cast<T>(start + step * static_cast<C>(i)); });
    });
    out[0] = static_cast<T>(start);
    if (n > 1) out[n - 1] = static_cast<T>(stop);
  });
}

void zeros_like(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.dtype() == DType::kVariant) return c.set_output(0, variant_zeros_like(x));
  if (x.dtype() == DType::kResource)
    fail(ErrorKind::kUnimplemented, "ZerosLike is not supported for tensors of type ", name(x.dtype()), ".");
  c.output(0).fill_zeros();
}

void ones_like(KernelContext& c) {
  Tensor& out = c.output(0);
  Tensor one = build::scalar_tensor(out.dtype(), 1);
  fill_with(out, one.raw());
}

void infer_one_hot(InferContext& c) {
  c.require_rank(1, 0);
  c.require_rank(2, 0);
  c.require_rank(3, 0);
  const std::int64_t depth = c.dim_value(1);
  std::int64_t axis = c.attr("axis").i();
  if (axis < -1) invalid_argument("axis must be >= -1");
  if (!c.shape(0).has_rank()) return c.set_output(0, Shape::unknown());
  const std::int64_t rank = c.shape(0).rank() + 1;
  if (axis >= rank) return c.set_output(0, Shape::unknown());  // an error when it runs
  if (axis == -1) axis = rank - 1;
  Dims dims = c.shape(0).dims();
  dims.insert(dims.begin() + axis, depth);
  c.set_output(0, Shape(std::move(dims)));
}

void check_one_hot(const KernelContext& c) {
  const Tensor& depth_tensor = c.input(1);
  std::int64_t axis = c.attr("axis").i();
  std::int64_t rank = c.input(0).rank() + 1;
  if (axis < -1 || axis >= rank)
    invalid_argument("Expected axis to be -1 or between [0, ", rank, ").  But received: ", axis);
  if (depth_tensor.rank() != 0) invalid_argument("depth must be a scalar, but got: ", depth_tensor.shape().text());
  for (std::size_t i = 2; i < 4; ++i)
    if (c.input(i).rank() != 0)
      invalid_argument(i == 2 ? "on_value" : "off_value", " must be a scalar, but got: ", c.input(i).shape().text());
  if (depth_tensor.int_at(0) < 0) invalid_argument("depth must be non-negative, got: ", depth_tensor.int_at(0));
}

void one_hot(KernelContext& c) {
  const Tensor& indices = c.input(0);
  Tensor& out = c.output(0);
  std::int64_t axis = c.attr("axis").i();
  if (axis == -1) axis = out.rank() - 1;
  std::int64_t depth = out.dim(static_cast<int>(axis)), suffix = 1;
  for (int i = static_cast<int>(axis); i < indices.rank(); ++i) suffix *= indices.dim(i);
  // Blocks of depth rows of `suffix` elements, one for each index of the dimensions before.
  const std::int64_t block = depth * suffix;
  if (block == 0) return;
  constexpr std::int64_t kInCache = 4096;
  const std::int64_t some = std::max<std::int64_t>(1, kInCache / block);
  with_element(out.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T& on = *c.input(2).data<T>();
    const T& off = *c.input(3).data<T>();
    T* y = out.mutable_data<T>();
    with_index(indices.dtype(), [&]<typename I>(std::type_identity<I>) {
      const I* index = indices.data<I>();
      c.parallel_for(out.num_elements() / block,
                     copy_cost<T> * static_cast<double>(block) + static_cast<double>(suffix),
                     [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t p = begin; p < end;) {
                         // Some blocks at a time, which stay in the cache.
                         const std::int64_t last = std::min(end, p + some);
                         fill_polled(y + p * block, (last - p) * block, off);
                         for (; p < last; ++p) {
                           T* to = y + p * block;
                           for (std::int64_t i = 0; i < suffix; ++i) {
                             const auto k = static_cast<std::int64_t>(index[p * suffix + i]);
                             if (k >= 0 && k < depth) to[k * suffix + i] = on;
                           }
                         }
                       }
                     });
    });
  });
}

// Few elements, which are compared and selected where they are used. Of many, the kernel writes only those that are on.
bool has_small_result(const Node& node, std::span<const OutputInfo* const> inputs) {
  constexpr std::int64_t kMost = 4096;
  const OutputInfo& out = node.outputs[0];
  // Narrow indices might not count up to the depth.
  if (inputs[0]->dtype != DType::kInt32 && inputs[0]->dtype != DType::kInt64) return false;
  if (!is_numeric(out.dtype) || !out.shape.is_fully_known() || !inputs[0]->shape.is_fully_known()) return false;
  for (const std::size_t value : {2, 3})
    if (!inputs[value]->shape.has_rank() || inputs[value]->shape.rank() != 0) return false;
  return out.shape.num_elements() > 0 && out.shape.num_elements() <= kMost;
}

constexpr Expansion kExpandedOneHot{
    has_small_result, [](const Node& node, std::span<const Operand> inputs) {
      const Shape& shape = node.outputs[0].shape;
      std::int64_t axis = node.attr("axis").i();
      if (axis == -1) axis = shape.rank() - 1;
      std::vector<std::int32_t> with_axis, along_axis;
      for (int i = 0; i < shape.rank(); ++i) {
        const auto dim = static_cast<std::int32_t>(shape[i]);
        with_axis.push_back(i == axis ? 1 : dim);
        if (i >= axis) along_axis.push_back(i == axis ? dim : 1);
      }
      Tensor numbers(inputs[0].dtype(), Shape(Dims(along_axis.begin(), along_axis.end())));
      with_index(numbers.dtype(), [&]<typename I>(std::type_identity<I>) {
        std::iota(numbers.mutable_data<I>(), numbers.mutable_data<I>() + numbers.num_elements(), I{0});
      });
      const Operand indices = build::reshape(inputs[0], build::ints(with_axis));
      return build::select(emit1("Equal", {indices, build::constant(std::move(numbers))}), inputs[2], inputs[3]);
    }};

}  // namespace

void register_creation(Registry& r) {
  r.add({.name = "Const",
         .inputs = {},
         .outputs = {"output: dtype"},
         .attrs = {"value: tensor", "dtype: type"},
         .kind = OpKind::kConst,
         .doc = "The constant tensor `value`.",
         .infer = infer_const,
         .kernel = constant,
         .allocation = Allocation::kShared,
         .grad = not_differentiable});
  r.add({.name = "Placeholder",
         .inputs = {},
         .outputs = {"output: dtype"},
         .attrs = {"dtype: type", "shape: shape = unknown"},
         .kind = OpKind::kPlaceholder,
         .doc = "An input of the graph, whose value each call supplies. Running the op is an error.",
         .infer = infer_placeholder,
         .kernel = placeholder,
         .allocation = Allocation::kObjects,
         .grad = not_differentiable});
  r.add({.name = "Fill",
         .inputs = {"dims: index_type", "value: T"},
         .outputs = {"output: T"},
         .attrs = {"T: type", "index_type: {int32, int64} = DT_INT32"},
         .facts = {.moves = "T"},
         .doc = "A tensor of shape `dims` filled with the scalar `value`.",
         .infer = infer_fill,
         .check = check_fill,
         .kernel = fill,
         .grad = [](GradContext& c) {
           Operand dy = c.dy(0);
           c.to_input(1, build::sum(dy, emit1("Range", {build::scalar(DType::kInt32, 0), emit1("Rank", {dy}),
                                                        build::scalar(DType::kInt32, 1)})));
         }});
  r.add({.name = "Range",
         .inputs = {"start: Tidx", "limit: Tidx", "delta: Tidx"},
         .outputs = {"output: Tidx"},
         .attrs = {"Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32, uint64} = "
                   "DT_INT32"},
         .facts = {.sequence = SequenceRule::kRange},
         .doc = "The numbers start, start + delta, ..., up to but not including limit.",
         .infer = infer_range,
         .check = check_range,
         .kernel = range,
         .grad = not_differentiable});
  r.add({.name = "LinSpace",
         .inputs = {"start: T", "stop: T", "num: Tidx"},
         .outputs = {"output: T"},
         .attrs = {"T: {bfloat16, half, float, double}", "Tidx: {int32, int64} = DT_INT32"},
         .doc = "`num` evenly spaced numbers from start to stop, inclusive.",
         .infer = infer_linspace,
         .kernel = linspace,
         .grad = not_differentiable});
  r.add({.name = "ZerosLike",
         .inputs = {"x: T"},
         .outputs = {"y: T"},
         .attrs = {"T: type"},
         .facts = {.fill = 0.0},
         .doc = "Zeros with the shape and dtype of x.",
         .infer = infer::same_as_first,
         .kernel = zeros_like,
         .grad = not_differentiable});
  r.add({.name = "OnesLike",
         .inputs = {"x: T"},
         .outputs = {"y: T"},
         .attrs = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64, "
                   "complex64, complex128, bool}"},
         .facts = {.fill = 1.0},
         .doc = "Ones with the shape and dtype of x.",
         .infer = infer::same_as_first,
         .kernel = ones_like,
         .grad = not_differentiable});
  r.add({.name = "OneHot",
         .inputs = {"indices: TI", "depth: int32", "on_value: T", "off_value: T"},
         .outputs = {"output: T"},
         .attrs = {"axis: int = -1", "T: type", "TI: {uint8, int8, int32, int64} = DT_INT64"},
         .facts = {.expansion = &kExpandedOneHot, .moves = "T"},
         .doc = "A one-hot encoding of `indices` along a new axis of size `depth`: on_value at each index, off_value "
                "elsewhere.\n\nAn index outside [0, depth) gives off_value everywhere.",
         .infer = infer_one_hot,
         .check = check_one_hot,
         .kernel = one_hot,
         .grad = not_differentiable});
}

}  // namespace tracefn
