// SparseReduceSum and Max: values of a sparse tensor reduced over dimensions, to a dense or a sparse tensor.
#include <algorithm>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/gradient.h"
#include "ops/registry.h"
#include "ops/sparse/sparse.h"
#include "ops/state/effect_records.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

void check_reduce(const KernelContext& c) {
  const SparseParts s(c, 0);
  const Tensor& axes = c.input(3);
  if (s.shape.rank() != 1) invalid_argument("Expected input_shape to be a vector; got shape: ", s.shape.shape().text());
  if (axes.rank() > 1)
    invalid_argument("Expected reduction_axes to be a scalar or a vector; got shape: ", axes.shape().text());
  require_sizes(s.sizes());
  const std::int64_t rank = s.shape.dim(0);
  for (std::int32_t axis : axes.span<std::int32_t>())
    if (axis < -rank || axis >= rank)
      invalid_argument("Invalid reduction dimension ", axis, ", for input with ", rank, " dimensions.");
  require_sparse_object(s);
}

// Which dimensions go.
std::vector<bool> reduced_dims(std::span<const std::int32_t> axes, std::size_t rank) {
  std::vector<bool> goes(rank, false);
  for (std::int64_t axis : axes)
    goes[static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis)] = true;
  return goes;
}

std::vector<std::int64_t> reduced_sizes(std::span<const std::int64_t> sizes, const std::vector<bool>& goes, bool keep) {
  std::vector<std::int64_t> left;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (!goes[d] || keep) left.push_back(goes[d] ? 1 : sizes[d]);
  return left;
}

// The reduced values with their places among the dimensions that are kept, which count 0 for each that goes, in
// row-major order.
template <typename T>
struct Groups {
  std::vector<std::int64_t> places;
  std::vector<T> values;
};

template <bool sum, typename T>
Groups<T> reduce_groups(const SparseParts& s, const std::vector<bool>& goes) {
  const std::int64_t rank = s.rank();
  std::vector<std::int64_t> dims;  // the kept ones first
  for (bool going : {false, true})
    for (std::size_t d = 0; d < goes.size(); ++d)
      if (goes[d] == going) dims.push_back(static_cast<std::int64_t>(d));
  const auto kept = std::ranges::count(goes, false);
  Tensor keys(DType::kInt64, s.indices.shape());
  auto* key = keys.mutable_data<std::int64_t>();
  in_slices(s.size(), static_cast<double>(rank), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      for (std::int64_t d = 0; d < rank; ++d) key[i * rank + d] = s.place(i)[dims[static_cast<std::size_t>(d)]];
  });
  const std::vector<std::int64_t> order = row_major_order(keys);
  Groups<T> groups;
  using C = decltype(compute_value(T()));
  C total{};
  PolledSteps polled(256);
  const T* values = s.values.data<T>();
  for (std::size_t i = 0; i < order.size(); ++i, polled.step()) {
    const std::int64_t* at = key + order[i] * rank;
    const C value = compute_value(values[order[i]]);
    const bool starts = i == 0 || compare_places(key + order[i - 1] * rank, at, kept) != 0;
    if (starts) {
      groups.places.insert(groups.places.end(), at, at + kept);
      total = value;
    } else if constexpr (sum) {
      total = add_elements(total, value);
    } else if (total < value) {
      total = value;
    }
    if (starts) {
      groups.values.push_back(static_cast<T>(total));
    } else {
      groups.values.back() = static_cast<T>(total);
    }
  }
  return groups;
}

// Calls f(T()) with the dtype of the values.
template <bool sum, typename F>
void with_value(KernelContext& c, F&& f) {
  const DType dtype = c.input(1).dtype();
  if constexpr (sum) {
    with_any_number(dtype, f);
  } else {
    with_number(dtype, f);
  }
}

template <bool sum>
void to_dense(KernelContext& c) {
  const SparseParts s(c, 0);
  const std::vector<bool> goes = reduced_dims(c.input(3).span<std::int32_t>(), s.sizes().size());
  const std::vector<std::int64_t> sizes = reduced_sizes(s.sizes(), goes, false);
  with_value<sum>(c, [&]<typename T>(std::type_identity<T>) {
    Tensor& out = c.output(0);
    out.fill_zeros();
    T* to = out.mutable_data<T>();
    const Groups<T> groups = reduce_groups<sum, T>(s, goes);
    const std::int64_t* place = groups.places.data();
    for (std::size_t i = 0; i < groups.values.size(); ++i) {
      std::int64_t at = 0;
      for (std::int64_t size : sizes) {
        const std::int64_t k = *place++;
        if (k < 0 || k >= size)
          invalid_argument("Index ", k, " is out of bounds of the output's dimension of size ", size);
        at = at * size + k;
      }
      to[at] = groups.values[i];
    }
  });
}

template <bool sum>
void to_sparse(KernelContext& c) {
  const SparseParts s(c, 0);
  const std::vector<bool> goes = reduced_dims(c.input(3).span<std::int32_t>(), s.sizes().size());
  const bool keep = c.attr("keep_dims").b();
  const std::vector<std::int64_t> sizes = reduced_sizes(s.sizes(), goes, keep);
  with_value<sum>(c, [&]<typename T>(std::type_identity<T>) {
    const Groups<T> groups = reduce_groups<sum, T>(s, goes);
    const auto n = static_cast<std::int64_t>(groups.values.size());
    Tensor& places = c.allocate_output(0, DType::kInt64, Shape({n, static_cast<std::int64_t>(sizes.size())}));
    auto* to = places.mutable_data<std::int64_t>();
    const std::int64_t* from = groups.places.data();
    for (std::int64_t i = 0; i < n; ++i)
      for (bool going : goes)
        if (!going || keep) *to++ = going ? 0 : *from++;
    c.set_output(1, Tensor::vector(std::span<const T>(groups.values)));
    c.set_output(2, numbers_tensor(sizes));
  });
}

void infer_to_dense(InferContext& c) {
  const Tensor *sizes = c.value(2), *axes = c.value(3);
  if (!sizes || !axes) return c.set_output(0, Shape::unknown());
  const std::int64_t rank = sizes->num_elements();
  if (rank == 0 && !c.running()) invalid_argument("Number of dims in shape tensor must not be 0");
  for (std::int64_t axis : axes->span<std::int32_t>())
    if (axis < -rank || axis >= rank)
      invalid_argument("Invalid reduction dimension ", axis, ", for input with ", rank, " dimensions.");
  const std::vector<bool> goes = reduced_dims(axes->span<std::int32_t>(), static_cast<std::size_t>(rank));
  c.set_output(0, Shape(reduced_sizes(sizes->span<std::int64_t>(), goes, c.attr("keep_dims").b())));
}

// Each value gets the gradient of its sum.
void grad_sparse_sum(GradContext& c) {
  const Operand &places = c.input(0), &sizes = c.input(2);
  const Operand shape = build::cast(sizes, DType::kInt32), rank = emit1("Size", {shape});
  const Operand axes = emit1("FloorMod", {build::add(c.input(3), rank), rank});
  const Operand all = emit1("Range", {build::scalar(DType::kInt32, 0), rank, build::scalar(DType::kInt32, 1)});
  const Operand parts[] = {
      all, build::reshape(axes, build::ints({-1})), shape,
      emit1("Fill", {build::reshape(emit1("Size", {axes}), build::ints({1})), build::scalar(DType::kInt32, 1)})};
  const Operand kept = emit_all("DynamicStitch", parts)[0];
  const Operand ratio = emit1("FloorDiv", {sizes, build::cast(kept, DType::kInt64)});
  c.to_input(1, emit1("GatherNd", {build::reshape(c.dy(0), kept), emit1("FloorDiv", {places, ratio})}));
}

OpRecord reduce_record(std::string_view name, std::string_view types, std::string_view doc, KernelFn kernel,
                       GradFn grad) {
  return {.name = name,
          .inputs = {"input_indices: int64", "input_values: T", "input_shape: int64", "reduction_axes: int32"},
          .outputs = {"output: T"},
          .attrs = {"keep_dims: bool = false", types},
          .doc = doc,
          .infer = infer_to_dense,
          .check = check_reduce,
          .kernel = kernel,
          .grad = grad};
}

OpRecord sparse_record(std::string_view name, std::string_view types, std::string_view doc, KernelFn kernel) {
  return {.name = name,
          .inputs = {"input_indices: int64", "input_values: T", "input_shape: int64", "reduction_axes: int32"},
          .outputs = {"output_indices: int64", "output_values: T", "output_shape: int64"},
          .attrs = {"keep_dims: bool = false", types},
          .doc = doc,
          .infer = infer::unknown,
          .kernel = kernel,
          .allocation = Allocation::kByValues,
          .grad = without_gradient};
}

}  // namespace

void register_sparse_reduce(Registry& r) {
  constexpr std::string_view numbers = "T: " TRACEFN_NUMBERS, reals = "T: " TRACEFN_REAL_NUMBERS;
  r.add(reduce_record("SparseReduceSum", numbers,
                      "The sums of a sparse tensor's values over the dimensions in `reduction_axes`.", to_dense<true>,
                      grad_sparse_sum));
  r.add(reduce_record("SparseReduceMax", reals,
                      "The largest of a sparse tensor's given values over the dimensions in `reduction_axes`; zero "
                      "where no value is given.",
                      to_dense<false>, without_gradient));
  r.add(sparse_record("SparseReduceSumSparse", numbers,
                      "The sums of a sparse tensor's values over the dimensions in `reduction_axes`, as a sparse "
                      "tensor.",
                      checked<check_reduce, to_sparse<true>>));
  r.add(sparse_record("SparseReduceMaxSparse", reals,
                      "The largest of a sparse tensor's given values over the dimensions in `reduction_axes`, as a "
                      "sparse tensor.",
                      checked<check_reduce, to_sparse<false>>));
}

}  // namespace tracefn
