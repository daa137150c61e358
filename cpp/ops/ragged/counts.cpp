// RaggedBincount, RaggedCountSparseOutput: how often numbers occur in each row.
#include <algorithm>
#include <map>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/infer.h"
#include "ops/ragged/ragged.h"
#include "ops/registry.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

template <typename F>
void with_count(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kInt32:
      return f(std::type_identity<std::int32_t>());
    case DType::kInt64:
      return f(std::type_identity<std::int64_t>());
    case DType::kFloat:
      return f(std::type_identity<float>());
    case DType::kDouble:
      return f(std::type_identity<double>());
    default:
      unsupported_dtype(dtype);
  }
}

Splits checked_splits(const Tensor& splits, std::int64_t values) {
  Splits read = read_splits(splits);
  if (read[0] != 0) invalid_argument("Splits must start with 0, not with ", read[0]);
  if (read.back() != values)
    invalid_argument("Splits must end with the number of values, got ", read.back(), " instead of ", values);
  return read;
}

// Calls each(row, i) for every value i. A row of falling splits is empty; a value belongs to the first row that ends
// behind it.
template <typename F>
void for_each_value(const Splits& splits, std::int64_t values, const F& each) {
  std::size_t row = 0;
  PolledSteps polled(1024);
  for (std::int64_t i = 0; i < values; ++i, polled.step()) {
    while (i >= splits[row + 1]) ++row;
    each(static_cast<std::int64_t>(row), i);
  }
}

void check_bincount(const KernelContext& c) {
  const Tensor& splits = c.input(0);
  const Tensor& size = c.input(2);
  if (size.rank() != 0) return;  // the shape rule's error
  if (size.int_at(0) < 0) invalid_argument("size (", size.int_at(0), ") must be non-negative");
  if (splits.num_elements() == 0) invalid_argument("Splits must be non-empty");
}

void infer_bincount(InferContext& c) {
  c.require_rank(2, 0);
  const Shape& splits = c.shape(0);
  std::int64_t rows = kUnknownDim;
  if (splits.has_rank()) {
    rows = 1;
    for (std::int64_t d : splits.dims()) rows = d < 0 || rows < 0 ? kUnknownDim : rows * d;
    if (rows == 0) invalid_argument("Splits must be non-empty");
    if (rows > 0) --rows;
  }
  c.set_output(0, Shape({rows, c.dim_value(2)}));
}

void bincount(KernelContext& c) {
  const Tensor& values = c.input(1);
  const Tensor& weights = c.input(3);
  const std::int64_t n = values.num_elements(), size = c.output(0).dim(1);
  const Splits splits = checked_splits(c.input(0), n);
  const bool binary = c.attr("binary_output").b(), weighted = weights.num_elements() > 0;
  if (weighted && weights.num_elements() != n)
    invalid_argument(
        "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all "
        "weights equal to 1. Received ",
        weights.shape().text());
  with_count(weights.dtype(), [&]<typename T>(std::type_identity<T>) {
    T* counts = c.output(0).mutable_data<T>();
    fill_polled(counts, c.output(0).num_elements(), T(0));
    for_each_value(splits, n, [&](std::int64_t row, std::int64_t i) {
      const std::int64_t at = values.int_at(i);
      if (at < 0) invalid_argument("Input must be non-negative");
      if (at >= size) return;
      T& count = counts[row * size + at];
      count = binary ? T(1) : add_elements(count, weighted ? weights.data<T>()[i] : T(1));
    });
  });
}

void infer_sparse(InferContext& c) {
  c.set_output(0, Shape({kUnknownDim, 2}));
  c.set_output(1, Shape({kUnknownDim}));
  c.set_output(2, Shape({2}));
}

void count_sparse(KernelContext& c) {
  const Tensor& values = c.input(1);
  const Tensor& weights = c.input(2);
  const std::int64_t n = values.num_elements();
  const bool binary = c.attr("binary_output").b(), weighted = weights.num_elements() > 0;
  const std::int64_t least = c.attr("minlength").i(), most = c.attr("maxlength").i();
  if (weighted && !(weights.shape() == values.shape()))
    invalid_argument("Weights and values must have the same shape. Weight shape: ", weights.shape().text(),
                     "; values shape: ", values.shape().text());
  if (c.input(0).num_elements() < 2) invalid_argument("Must provide at least 2 elements for the splits argument");
  const Splits splits = checked_splits(c.input(0), n);
  std::int64_t largest = 0;
  with_count(weights.dtype(), [&]<typename T>(std::type_identity<T>) {
    std::map<std::pair<std::int64_t, std::int64_t>, T> counts;
    for_each_value(splits, n, [&](std::int64_t row, std::int64_t i) {
      const std::int64_t value = values.int_at(i);
      if (value < 0) invalid_argument("Input values must all be non-negative");
      if (most >= 0 && value >= most) return;
      T& count = counts[{row, value}];
      count = binary ? T(1) : add_elements(count, weighted ? weights.data<T>()[i] : T(1));
      largest = std::max(largest, value);
    });
    const auto found = static_cast<std::int64_t>(counts.size());
    auto* places = c.allocate_output(0, DType::kInt64, Shape({found, 2})).mutable_data<std::int64_t>();
    auto* numbers = c.allocate_output(1, weights.dtype(), Shape({found})).mutable_data<T>();
    for (const auto& [place, count] : counts) {
      *places++ = place.first;
      *places++ = place.second;
      *numbers++ = count;
    }
  });
  auto* shape = c.allocate_output(2, DType::kInt64, Shape({2})).mutable_data<std::int64_t>();
  shape[0] = static_cast<std::int64_t>(splits.size()) - 1;
  shape[1] = most >= 0 ? most : std::max(largest + 1, least);
}

}  // namespace

void register_ragged_counts(Registry& r) {
  r.add({.name = "RaggedBincount",
         .inputs = {"splits: int64", "values: Tidx", "size: Tidx", "weights: T"},
         .outputs = {"output: T"},
         .attrs = {"Tidx: {int32, int64}", "T: {int32, int64, float, double}", "binary_output: bool = false"},
         .doc =
             "How often each of the integers 0, 1, ..., size - 1 occurs in each ragged row; or the sums of the weights "
             "of its occurrences, if there are weights. With binary_output just 1 for those that occur.\n\nRaises "
             "InvalidArgumentError if a value is negative or the splits do not fit.",
         .infer = infer_bincount,
         .check = check_bincount,
         .kernel = bincount,
         .grad = without_gradient});
  r.add({.name = "RaggedCountSparseOutput",
         .inputs = {"splits: int64", "values: T", "weights: output_type"},
         .outputs = {"output_indices: int64", "output_values: output_type", "output_dense_shape: int64"},
         .attrs = {"T: {int32, int64}", "minlength: int >= -1 = -1", "maxlength: int >= -1 = -1", "binary_output: bool",
                   "output_type: {int32, int64, float, double}"},
         .doc =
             "How often each integer occurs in each ragged row, or the sums of its weights, as a sparse matrix of the "
             "integers that occur.\n\nIts width is `maxlength`, if that is not negative, and integers from there on do "
             "not count; otherwise the largest integer + 1, but at least `minlength`. Raises InvalidArgumentError if "
             "a value is negative or the splits do not fit.",
         .infer = infer_sparse,
         .kernel = count_sparse,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
}

}  // namespace tracefn
