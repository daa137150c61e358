// How often numbers occur in rows: SparseBincount and RaggedBincount, and the counts as sparse tensors:
// DenseCountSparseOutput, SparseCountSparseOutput, RaggedCountSparseOutput.
#include <algorithm>
#include <limits>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/ragged/ragged.h"
#include "ops/registry.h"
#include "ops/sparse/sparse.h"
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
      no_kernel();
  }
}

void check_size(const Tensor& size) {
  if (size.rank() != 0) invalid_argument("Shape must be rank 0 but is rank ", size.rank());
  if (size.int_at(0) < 0) invalid_argument("size (", size.int_at(0), ") must be non-negative");
}

void check_weights(const Tensor& weights, const Tensor& values) {
  if (weights.num_elements() > 0 && weights.num_elements() != values.num_elements())
    invalid_argument("`weights` must have as many elements as `values`, or none. Received ", weights.shape().text(),
                     " for ", values.shape().text());
}

void check_splits(const Splits& splits, std::int64_t values) {
  if (splits[0] != 0) invalid_argument("Splits must start with 0, not with ", splits[0]);
  if (splits.back() != values)
    invalid_argument("Splits must end with the number of values, got ", splits.back(), " instead of ", values);
}

// Calls f(row, i) for each value of a ragged tensor. Precondition: check_splits().
template <typename F>
void each_in_row(const Splits& splits, F&& f) {
  std::int64_t row = -1;
  std::size_t end = 0;
  in_slices(splits.back(), 2, [&](std::int64_t begin, std::int64_t last) {
    for (std::int64_t i = begin; i < last; ++i) {
      for (; i >= splits[end]; ++end) row = static_cast<std::int64_t>(end);
      f(row, i);
    }
  });
}

// Adds value i to its row of bins, unless it has none.
struct Bins {
  const Tensor &values, &weights;
  const bool binary;
  Tensor& out;

  template <typename T>
  void add(std::int64_t row, std::int64_t i) const {
    const std::int64_t size = out.dim(out.rank() - 1), value = values.int_at(i);
    if (value < 0 || value >= size) return;
    T& bin = out.mutable_data<T>()[row * size + value];
    if (binary) {
      bin = 1;
    } else {
      bin = add_elements(bin, weights.num_elements() > 0 ? weights.data<T>()[i] : T(1));
    }
  }
};

void check_sparse_bincount(const KernelContext& c) {
  const SparseParts s(c, 0);
  check_size(c.input(3));
  require_sparse(s);
  require_places_inside(s);
  if (s.shape.num_elements() == 0) invalid_argument("dense_shape must have at least one dimension");
  check_weights(c.input(4), s.values);
}

void sparse_bincount(KernelContext& c) {
  const SparseParts s(c, 0);
  Tensor& out = c.output(0);
  out.fill_zeros();
  const Bins bins{s.values, c.input(4), c.attr("binary_output").b(), out};
  const bool rows = out.rank() > 1;
  with_count(out.dtype(), [&]<typename T>(std::type_identity<T>) {
    in_slices(s.size(), 5, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) bins.add<T>(rows ? s.place(i)[0] : 0, i);
    });
  });
}

void infer_sparse_bincount(InferContext& c) {
  c.require_rank(3, 0);
  const std::int64_t size = c.dim_value(3);
  const Tensor* sizes = c.value(2);
  if (!sizes || sizes->num_elements() == 0) return c.set_output(0, Shape::unknown());
  c.set_output(0, sizes->num_elements() == 1 ? Shape({size}) : Shape({sizes->int_at(0), size}));
}

void check_ragged_bincount(const KernelContext& c) {
  check_size(c.input(2));
  if (c.input(0).num_elements() == 0) invalid_argument("Splits must be non-empty");
  check_splits(read_splits(c.input(0)), c.input(1).num_elements());
  for (std::int64_t i = 0; i < c.input(1).num_elements(); ++i)
    if (c.input(1).int_at(i) < 0) invalid_argument("Input must be non-negative");
  check_weights(c.input(3), c.input(1));
}

void ragged_bincount(KernelContext& c) {
  Tensor& out = c.output(0);
  out.fill_zeros();
  const Bins bins{c.input(1), c.input(3), c.attr("binary_output").b(), out};
  with_count(out.dtype(), [&]<typename T>(std::type_identity<T>) {
    each_in_row(read_splits(c.input(0)), [&](std::int64_t row, std::int64_t i) { bins.add<T>(row, i); });
  });
}

void infer_ragged_bincount(InferContext& c) {
  c.require_rank(2, 0);
  const auto splits = c.shape(0).has_rank() ? c.shape(0).maybe_num_elements() : std::nullopt;
  c.set_output(0, Shape({splits ? *splits - 1 : kUnknownDim, c.dim_value(2)}));
}

// The occurrences of numbers, to be counted into a sparse tensor.
class Occurrences {
 public:
  // Whether the result has a dimension for rows.
  Occurrences(KernelContext& c, const Tensor& values, const Tensor& weights, std::int64_t rows, bool matrix)
      : c_(c), values_(values), weights_(weights), rows_(rows), matrix_(matrix), most_(c.attr("maxlength").i()) {}

  void add(std::int64_t row, std::int64_t i) {
    const std::int64_t value = values_.int_at(i);
    if (value < 0) invalid_argument("Input values must all be non-negative");
    if (most_ < 0 || value < most_) found_.push_back({row, value, i});
  }

  void put() {
    PolledSteps polled(256);
    std::ranges::stable_sort(found_, [&](const Found& a, const Found& b) {
      polled.step();
      return a.row != b.row ? a.row < b.row : a.value < b.value;
    });
    std::int64_t distinct = 0, largest = 0;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      distinct += starts(i);
      largest = std::max(largest, found_[i].value);
    }
    const std::int64_t size = most_ >= 0 ? most_ : std::max(largest + 1, c_.attr("minlength").i());
    Tensor& places = c_.allocate_output(0, DType::kInt64, Shape({distinct, matrix_ ? 2 : 1}));
    auto* to = places.mutable_data<std::int64_t>();
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if (!starts(i)) continue;
      if (matrix_) *to++ = found_[i].row;
      *to++ = found_[i].value;
    }
    const std::int64_t sizes[] = {rows_, size};
    c_.set_output(2, numbers_tensor(std::span(sizes).subspan(matrix_ ? 0 : 1)));
    with_count(weights_.dtype(), [&]<typename T>(std::type_identity<T>) { put_counts<T>(distinct); });
  }

 private:
  struct Found {
    std::int64_t row, value, i;
  };

  bool starts(std::size_t i) const {
    return i == 0 || found_[i].row != found_[i - 1].row || found_[i].value != found_[i - 1].value;
  }

  template <typename T>
  void put_counts(std::int64_t distinct) {
    T* count = c_.allocate_output(1, weights_.dtype(), Shape({distinct})).mutable_data<T>() - 1;
    const bool binary = c_.attr("binary_output").b(), weighted = weights_.num_elements() > 0;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if (starts(i)) *++count = T(0);
      *count = binary ? T(1) : add_elements(*count, weighted ? weights_.data<T>()[found_[i].i] : T(1));
    }
  }

  KernelContext& c_;
  const Tensor &values_, &weights_;
  const std::int64_t rows_;
  const bool matrix_;
  const std::int64_t most_;
  std::vector<Found> found_;
};

void require_same_shape(const Tensor& weights, const Tensor& values, std::string_view what) {
  if (weights.num_elements() > 0 && !(weights.shape() == values.shape()))
    invalid_argument("Weights and ", what, " must have the same shape. Weight shape: ", weights.shape().text(), "; ",
                     what, " shape: ", values.shape().text());
}

void count_dense(KernelContext& c) {
  const Tensor &values = c.input(0), &weights = c.input(1);
  if (values.rank() != 1 && values.rank() != 2)
    invalid_argument("Input must be a 1 or 2-dimensional tensor. Got: ", values.shape().text());
  require_same_shape(weights, values, "data");
  if (values.rank() == 2 && values.num_elements() == 0)
    invalid_argument("Invalid input: Shapes dimension cannot be 0.");
  const bool matrix = values.rank() == 2;
  const std::int64_t rows = matrix ? values.dim(0) : 1, n = values.dim(values.rank() - 1);
  Occurrences found(c, values, weights, rows, matrix);
  for (std::int64_t row = 0; row < rows; ++row)
    in_slices(n, 5, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) found.add(row, row * n + i);
    });
  found.put();
}

void count_sparse(KernelContext& c) {
  const SparseParts s(c, 0);
  const Tensor& weights = c.input(3);
  if (s.indices.rank() != 2)
    invalid_argument("Input indices must be a 2-dimensional tensor. Got: ", s.indices.shape().text());
  if (s.values.rank() != 1) invalid_argument("Input values must be a vector. Got: ", s.values.shape().text());
  if (s.shape.rank() != 1) invalid_argument("Input shape must be a vector. Got: ", s.shape.shape().text());
  if (s.values.dim(0) != s.size())
    invalid_argument("Number of values must match first dimension of indices.Got ", s.values.dim(0),
                     " values, indices shape: ", s.indices.shape().text());
  if (s.shape.dim(0) != s.rank())
    invalid_argument("Number of dimensions must match second dimension of indices.Got ", s.shape.dim(0),
                     " dimensions, indices shape: ", s.indices.shape().text());
  if (s.shape.dim(0) == 0) invalid_argument("The shape argument requires at least one element.");
  for (std::int64_t i = 0; i < s.size(); ++i)
    for (std::int64_t d = 0; d < s.rank(); ++d)
      if (const std::int64_t k = s.place(i)[d], size = s.sizes()[static_cast<std::size_t>(d)]; k < 0 || k >= size)
        invalid_argument("Invalid index value at ", i, ": dimension ", d, " has value ", k, " which is not in [0, ",
                         size, ") (as given by dense shape Tensor<type: int64 shape: ", s.shape.shape().text(),
                         " values: ", spaced(s.sizes()), ">");
  require_same_shape(weights, s.values, "values");
  const bool matrix = s.rank() > 1;
  const std::int64_t rows = matrix ? s.sizes()[0] : 1;
  if (rows <= 0 || rows > std::numeric_limits<std::int32_t>::max())
    invalid_argument("Cannot allocate ", rows, " batches, is the dense shape too wide?");
  Occurrences found(c, s.values, weights, rows, matrix);
  in_slices(s.size(), 5, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) found.add(matrix ? s.place(i)[0] : 0, i);
  });
  found.put();
}

void count_ragged(KernelContext& c) {
  const Tensor &values = c.input(1), &weights = c.input(2);
  require_same_shape(weights, values, "values");
  if (c.input(0).num_elements() < 2) invalid_argument("Must provide at least 2 elements for the splits argument");
  const Splits splits = read_splits(c.input(0));
  check_splits(splits, values.num_elements());
  Occurrences found(c, values, weights, static_cast<std::int64_t>(splits.size()) - 1, true);
  each_in_row(splits, [&](std::int64_t row, std::int64_t i) { found.add(row, i); });
  found.put();
}

void infer_dense_count(InferContext& c) {
  const Shape& values = c.shape(0);
  const std::int64_t rank = values.has_rank() ? values.rank() : kUnknownDim;
  set_sparse_outputs(c, 0, kUnknownDim, rank);
}

void infer_sparse_count(InferContext& c) {
  const std::int64_t rank = c.shape(0).has_rank() && c.shape(0).rank() > 1 ? c.shape(0)[1] : kUnknownDim;
  // The outer dimensions are flattened.
  set_sparse_outputs(c, 0, kUnknownDim, rank > 2 ? 2 : rank);
}

OpRecord count_record(std::string_view name, std::vector<std::string_view> inputs, std::string_view doc, InferFn infer,
                      KernelFn kernel) {
  inputs.push_back("weights: output_type");
  return {.name = name,
          .inputs = std::move(inputs),
          .outputs = {"output_indices: int64", "output_values: output_type", "output_dense_shape: int64"},
          .attrs = {"T: {int32, int64}", "minlength: int >= -1 = -1", "maxlength: int >= -1 = -1",
                    "binary_output: bool", "output_type: {int32, int64, float, double}"},
          .doc = doc,
          .infer = infer,
          .kernel = kernel,
          .allocation = Allocation::kByValues,
          .grad = without_gradient};
}

}  // namespace

void register_sparse_counts(Registry& r) {
  constexpr std::string_view bins = "T: {int32, int64, float, double}";
  r.add({.name = "SparseBincount",
         .inputs = {"indices: int64", "values: Tidx", "dense_shape: int64", "size: Tidx", "weights: T"},
         .outputs = {"output: T"},
         .attrs = {"Tidx: {int32, int64}", bins, "binary_output: bool = false"},
         .doc = "How often each of the integers 0, 1, ..., size - 1 occurs in a sparse vector, or in each row of a "
                "sparse tensor; or the sums of the weights of its occurrences, if there are weights.",
         .infer = infer_sparse_bincount,
         .check = check_sparse_bincount,
         .kernel = sparse_bincount,
         .grad = without_gradient});
  r.add({.name = "RaggedBincount",
         .inputs = {"splits: int64", "values: Tidx", "size: Tidx", "weights: T"},
         .outputs = {"output: T"},
         .attrs = {"Tidx: {int32, int64}", bins, "binary_output: bool = false"},
         .doc = "How often each of the integers 0, 1, ..., size - 1 occurs in each row of a ragged tensor; or the sums "
                "of the weights of its occurrences, if there are weights.",
         .infer = infer_ragged_bincount,
         .check = check_ragged_bincount,
         .kernel = ragged_bincount,
         .grad = without_gradient});
  r.add(count_record("DenseCountSparseOutput", {"values: T"},
                     "How often each integer occurs in a vector, or in each row of a matrix, as a sparse tensor.",
                     infer_dense_count, count_dense));
  r.add(count_record("SparseCountSparseOutput", {"indices: int64", "values: T", "dense_shape: int64"},
                     "How often each integer occurs in a sparse vector, or in each row of a sparse tensor, as a sparse "
                     "tensor.",
                     infer_sparse_count, count_sparse));
  r.add(count_record(
      "RaggedCountSparseOutput", {"splits: int64", "values: T"},
      "How often each integer occurs in each row of a ragged tensor, as a sparse tensor.",
      [](InferContext& c) { set_sparse_outputs(c, 0, kUnknownDim, 2); }, count_ragged));
}

}  // namespace tracefn
