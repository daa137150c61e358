// RaggedCross: row by row, every combination of one value of each of several features.
#include <limits>
#include <memory>

#include "base/poll.h"
#include "ops/infer.h"
#include "ops/ragged/ragged.h"
#include "ops/registry.h"
#include "ops/strings/hashes.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

// One feature: the values of each row, which lie at some places of a tensor of strings or 64-bit integers.
struct Feature {
  const Tensor* values = nullptr;
  Splits splits;  // row i has the values [splits[i], splits[i + 1])

  std::int64_t rows() const { return static_cast<std::int64_t>(splits.size()) - 1; }
  std::int64_t count(std::int64_t row) const {
    return splits[static_cast<std::size_t>(row) + 1] - splits[static_cast<std::size_t>(row)];
  }
  std::int64_t place(std::int64_t row, std::int64_t i) const { return splits[static_cast<std::size_t>(row)] + i; }

  std::uint64_t number(std::int64_t row, std::int64_t i) const {
    const std::int64_t at = place(row, i);
    return values->dtype() == DType::kString ? fingerprint64(values->data<std::string>()[at])
                                             : static_cast<std::uint64_t>(values->data<std::int64_t>()[at]);
  }
  void append_text(std::int64_t row, std::int64_t i, std::string& to) const {
    const std::int64_t at = place(row, i);
    if (values->dtype() == DType::kString) {
      to += values->data<std::string>()[at];
    } else {
      to += std::to_string(values->data<std::int64_t>()[at]);
    }
  }
};

// FingerprintCat64 of TensorFlow's platform/fingerprint.h: one hash of two.
std::uint64_t joined_hash(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kFactor = 0xc6a4a7935bd1e995;
  auto mixed = [](std::uint64_t x) { return x ^ (x >> 47); };
  std::uint64_t hash = a ^ kFactor;
  hash ^= mixed(b * kFactor) * kFactor;
  hash *= kFactor;
  hash = mixed(hash) * kFactor;
  return mixed(hash);
}

void require_matrix(bool is_matrix) {
  if (!is_matrix) invalid_argument("tf.ragged.cross only supports inputs with rank=2.");
}

Feature ragged_feature(const Tensor& values, const Tensor& splits) {
  require_matrix(values.rank() == 1);
  return {&values, valid_splits(splits, values.dim(0))};
}

// The elements of a sparse matrix, row by row; as in TensorFlow one that stands behind its row counts in a later one.
Feature sparse_feature(const Tensor& indices, const Tensor& values, const Tensor& shape) {
  require_matrix(indices.rank() == 2 && values.rank() == 1 && shape.rank() == 1 && shape.num_elements() == 2 &&
                 indices.dim(1) == 2);
  if (indices.dim(0) > values.dim(0)) invalid_argument("sparse indices and values must have the same length");
  const std::int64_t rows = shape.int_at(0), n = indices.dim(0);
  if (rows < 0) invalid_argument("A sparse input has a negative size, ", rows, ".");
  Feature feature{&values, {}};
  feature.splits.reserve(static_cast<std::size_t>(std::min<std::int64_t>(rows, 1 << 20)) + 1);
  feature.splits.push_back(0);
  PolledSteps polled(4096);
  std::int64_t at = 0;
  for (std::int64_t row = 0; row < rows; ++row, polled.step()) {
    while (at < n && indices.data<std::int64_t>()[2 * at] <= row) {
      ++at;
      polled.step();
    }
    feature.splits.push_back(at);
  }
  return feature;
}

Feature dense_feature(const Tensor& values) {
  require_matrix(values.rank() == 2);
  Feature feature{&values, {}};
  for (std::int64_t row = 0; row <= values.dim(0); ++row) feature.splits.push_back(row * values.dim(1));
  return feature;
}

struct Inputs {
  std::size_t ragged, splits, sparse, sparse_values, dense;
};

Inputs counts(const AttrList& attrs, const OpSignature& s) {
  auto attr = [&](std::string_view name) -> const Attr& { return attrs[static_cast<std::size_t>(s.attr_index(name))]; };
  return {attr("ragged_values_types").types().size(), attr("ragged_splits_types").types().size(),
          static_cast<std::size_t>(attr("Nsparse").i()), attr("sparse_values_types").types().size(),
          attr("dense_types").types().size()};
}

std::vector<Feature> features(const KernelContext& c) {
  const Inputs n = counts(c.attrs(), c.op().signature);
  if (n.ragged != n.splits) invalid_argument("ragged values and splits must have the same length");
  if (n.sparse != n.sparse_values) invalid_argument("sparse indices and values must have the same length");
  std::vector<Feature> made;
  std::size_t ragged = 0, sparse = 0, dense = 0;
  const std::string& order = c.attr("input_order").s();
  auto require_more = [&](std::size_t used, std::size_t size, std::string_view kind) {
    if (used >= size)
      invalid_argument("input_order \"", order, "\" specifies reading a ", kind, " tensor at index ", used,
                       " from a list of ", size, " tensors.");
  };
  const std::size_t first_sparse = 2 * n.ragged, first_dense = first_sparse + 3 * n.sparse;
  for (char kind : order) {
    if (kind == 'R') {
      require_more(ragged, n.ragged, "ragged");
      made.push_back(ragged_feature(c.input(ragged), c.input(n.ragged + ragged)));
      ++ragged;
    } else if (kind == 'S') {
      require_more(sparse, n.sparse, "sparse");
      const std::size_t at = first_sparse + sparse++;
      made.push_back(sparse_feature(c.input(at), c.input(at + n.sparse), c.input(at + 2 * n.sparse)));
    } else if (kind == 'D') {
      require_more(dense, n.dense, "dense");
      made.push_back(dense_feature(c.input(first_dense + dense++)));
    } else {
      invalid_argument("Unexpected input_order value.");
    }
  }
  if (made.size() != n.ragged + n.sparse + n.dense) invalid_argument("Invalid length for input_order");
  for (const Feature& feature : made)
    if (feature.rows() != made[0].rows()) invalid_argument("inputs must all have the same batch dimension size.");
  return made;
}

// Calls each(chosen) for all combinations of a row, the last feature's value changing fastest.
template <typename F>
void combinations(const std::vector<Feature>& all, std::int64_t row, std::vector<std::int64_t>& chosen, const F& each) {
  chosen.assign(all.size(), 0);
  for (;;) {
    each();
    std::size_t i = all.size();
    while (i > 0 && ++chosen[i - 1] == all[i - 1].count(row)) chosen[--i] = 0;
    if (i == 0) return;
  }
}

void cross(KernelContext& c) {
  const std::vector<Feature> all = features(c);
  const std::int64_t rows = all.empty() ? 0 : all[0].rows();
  const DType splits_type = c.attr("out_row_splits_type").type();
  const std::int64_t most = splits_type == DType::kInt32 ? std::numeric_limits<std::int32_t>::max()
                                                         : std::numeric_limits<std::int64_t>::max();
  Splits splits{0};
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t count = 1;
    for (const Feature& feature : all)
      if (__builtin_mul_overflow(count, feature.count(row), &count))
        invalid_argument("Too many combinations in a row.");
    if (count > most - splits.back()) invalid_argument("The row splits of the combinations overflow.");
    splits.push_back(splits.back() + count);
  }
  const bool texts = c.attr("out_values_type").type() == DType::kString;
  const auto buckets = static_cast<std::uint64_t>(c.attr("num_buckets").i());
  const auto key = static_cast<std::uint64_t>(c.attr("hash_key").i());
  const std::uint64_t limit =
      buckets > 0 ? buckets : static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  Tensor& out = c.allocate_output(0, c.attr("out_values_type").type(), Shape({splits.back()}));
  std::int64_t at = 0;
  std::vector<std::int64_t> chosen;
  PolledSteps polled(256);
  for (std::int64_t row = 0; row < rows; ++row, polled.step()) {
    if (splits[static_cast<std::size_t>(row) + 1] == splits[static_cast<std::size_t>(row)]) continue;
    combinations(all, row, chosen, [&] {
      polled.step();
      if (texts) {
        std::string& text = out.mutable_data<std::string>()[at++];
        for (std::size_t i = 0; i < all.size(); ++i) {
          if (i > 0) text += "_X_";
          all[i].append_text(row, chosen[i], text);
        }
        return;
      }
      std::uint64_t hash = key;
      for (std::size_t i = 0; i < all.size(); ++i) hash = joined_hash(hash, all[i].number(row, chosen[i]));
      out.mutable_data<std::int64_t>()[at++] = static_cast<std::int64_t>(hash % limit);
    });
  }
  write_numbers(splits, c.allocate_output(1, splits_type, Shape({static_cast<std::int64_t>(splits.size())})));
}

void infer_cross(InferContext& c) {
  const Inputs n = counts(c.attrs(), c.op());
  std::int64_t rows = kUnknownDim;
  auto merge_rows = [&](std::int64_t size) {
    if (size >= 0 && rows == kUnknownDim) rows = size;
  };
  for (std::size_t i = 0; i < n.splits; ++i) {
    const std::int64_t size = dim_of(c.shape(n.ragged + i), 0);
    if (size > 0) merge_rows(size - 1);
  }
  const std::size_t first_dense = n.ragged + n.splits + 2 * n.sparse + n.sparse_values;
  for (std::size_t i = 0; i < n.dense; ++i)
    if (c.shape(first_dense + i).has_rank() && c.shape(first_dense + i).rank() > 0)
      merge_rows(c.shape(first_dense + i)[0]);
  c.set_output(0, Shape({kUnknownDim}));
  c.set_output(1, Shape({rows == kUnknownDim ? kUnknownDim : rows + 1}));
}

}  // namespace

void register_ragged_cross(Registry& r) {
  r.add({.name = "RaggedCross",
         .inputs = {"ragged_values: ragged_values_types", "ragged_row_splits: ragged_splits_types",
                    "sparse_indices: Nsparse * int64", "sparse_values: sparse_values_types",
                    "sparse_shape: Nsparse * int64", "dense_inputs: dense_types"},
         .outputs = {"output_values: out_values_type", "output_row_splits: out_row_splits_type"},
         .attrs = {"Nsparse: int >= 0", "input_order: string", "hashed_output: bool", "num_buckets: int >= 0",
                   "hash_key: int", "ragged_values_types: list({int64, string}) >= 0",
                   "ragged_splits_types: list({int32, int64}) >= 0", "sparse_values_types: list({int64, string}) >= 0",
                   "dense_types: list({int64, string}) >= 0", "out_values_type: {int64, string}",
                   "out_row_splits_type: {int32, int64}"},
         .doc = "Row by row, every combination of one value of each feature, as a ragged matrix.\n\nThe letters of "
                "`input_order`, R, S and D, tell the order of ragged, sparse and dense features. A combination is the "
                "values joined by _X_, or their hash. Raises InvalidArgumentError if the features do not have the same "
                "number of rows.",
         .infer = infer_cross,
         .kernel = cross,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
}

}  // namespace tracefn
