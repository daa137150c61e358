// SparseCross, SparseCrossV2 and SparseCrossHashed: all combinations of the features in a row of several columns.
#include <algorithm>
#include <limits>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/registry.h"
#include "ops/sparse/sparse.h"
#include "ops/strings/hashes.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

// TensorFlow's combination of two fingerprints (its FingerprintCat64, after A. Appleby's MurmurHash64A, 2008).
std::uint64_t combine_fingerprints(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMul = 0xc6a4a7935bd1e995ull;
  auto mixed = [](std::uint64_t v) { return v ^ (v >> 47); };
  const std::uint64_t both = ((a ^ kMul) ^ mixed(b * kMul) * kMul) * kMul;
  return mixed(mixed(both) * kMul);
}

// The features of a column: rows of strings or int64, sparse or dense.
class Column {
 public:
  // Elements [starts[row], starts[row + 1]) of a sparse column are those of a row.
  Column(const Tensor& values, std::vector<std::int64_t> starts) : values_(values), starts_(std::move(starts)) {}
  explicit Column(const Tensor& matrix) : values_(matrix) {}

  std::int64_t count(std::int64_t row) const {
    if (dense()) return values_.dim(1);
    return starts_[static_cast<std::size_t>(row) + 1] - starts_[static_cast<std::size_t>(row)];
  }
  std::string text(std::int64_t row, std::int64_t i) const {
    return strings() ? values_.data<std::string>()[at(row, i)]
                     : std::to_string(values_.data<std::int64_t>()[at(row, i)]);
  }
  // Integers stand for themselves.
  std::uint64_t fingerprint(std::int64_t row, std::int64_t i) const {
    if (strings()) return fingerprint64(values_.data<std::string>()[at(row, i)]);
    return static_cast<std::uint64_t>(values_.data<std::int64_t>()[at(row, i)]);
  }
  // The hash for SparseCrossHashed, with a key or without. As in TensorFlow, only the first four bytes of an integer
  // count, and without a key one in a dense column stands for itself.
  std::uint64_t hash(std::int64_t row, std::int64_t i, const std::uint64_t* key) const {
    if (!key && (strings() || dense())) return fingerprint(row, i);
    constexpr std::size_t kHashedBytes = 4;
    const auto* number = reinterpret_cast<const char*>(values_.raw());
    const std::string_view bytes = strings() ? std::string_view(values_.data<std::string>()[at(row, i)])
                                             : std::string_view(number + 8 * at(row, i), kHashedBytes);
    return key ? siphash(bytes, key[0], key[1]) : fingerprint64(bytes);
  }

 private:
  bool dense() const { return starts_.empty(); }
  bool strings() const { return values_.dtype() == DType::kString; }
  std::int64_t at(std::int64_t row, std::int64_t i) const {
    return dense() ? row * values_.dim(1) + i : starts_[static_cast<std::size_t>(row)] + i;
  }

  const Tensor& values_;
  std::vector<std::int64_t> starts_;
};

// The inputs: places, values and shapes of N sparse columns, then the dense ones.
struct CrossInputs {
  std::vector<SparseParts> sparse;
  std::vector<const Tensor*> dense;

  CrossInputs(const KernelContext& c, std::size_t more) {
    const auto n = static_cast<std::size_t>(c.attr("N").i());
    for (std::size_t i = 0; i < n; ++i) sparse.emplace_back(c.input(i), c.input(n + i), c.input(2 * n + i));
    for (std::size_t i = 3 * n; i + more < c.num_inputs(); ++i) dense.push_back(&c.input(i));
  }

  std::int64_t rows() const { return !sparse.empty() ? sparse[0].sizes()[0] : dense.empty() ? 0 : dense[0]->dim(0); }
};

void check_columns(const CrossInputs& in) {
  for (std::size_t i = 0; i < in.sparse.size(); ++i) {
    const SparseParts& s = in.sparse[i];
    const auto at = static_cast<std::int64_t>(i);
    if (s.indices.rank() != 2 || s.indices.dim(1) != 2)
      invalid_argument("Input indices should be a matrix but received shape ", s.indices.shape().text(),
                       " at position ", at);
    if (s.values.rank() != 1)
      invalid_argument("Input values should be a vector but received shape ", s.values.shape().text(), " at position ",
                       at);
    if (s.values.dim(0) != s.indices.dim(0))
      invalid_argument("Expected size of values to be ", s.indices.dim(0), " got ", s.values.dim(0), " at position ",
                       at);
    if (s.shape.rank() != 1 || s.shape.dim(0) != 2)
      invalid_argument("Input shapes should be a vector but received shape ", s.shape.shape().text(), " at position ",
                       at);
  }
  for (std::size_t i = 0; i < in.sparse.size(); ++i)
    if (in.sparse[i].sizes()[0] != in.rows())
      invalid_argument("Expected batch size ", in.rows(), " got ", in.sparse[i].sizes()[0], " at position ",
                       static_cast<std::int64_t>(i));
  for (std::size_t i = 0; i < in.dense.size(); ++i) {
    const Tensor& t = *in.dense[i];
    if (t.rank() != 2)
      invalid_argument("Dense inputs should be a matrix but received shape ", t.shape().text(), " at position ",
                       static_cast<std::int64_t>(i));
    if (t.dim(0) != in.rows())
      invalid_argument("Expected batch size ", in.rows(), " got ", t.dim(0), " at dense tensor ",
                       static_cast<std::int64_t>(i));
  }
  if (in.rows() < 0) invalid_argument("Expected shape dimensions to be non-negative, got ", in.rows());
  for (std::size_t i = 0; i < in.sparse.size(); ++i)
    for (std::int64_t k = 0, before = 0; k < in.sparse[i].size(); ++k) {
      const std::int64_t row = in.sparse[i].place(k)[0];
      if (row < before || row >= in.rows())
        invalid_argument("Got invalid feature index (", row, ") at position ", k, " of input ",
                         static_cast<std::int64_t>(i), ": rows must be in order and in [0, ", in.rows(), ")");
      before = row;
    }
}

std::vector<Column> columns_of(const CrossInputs& in) {
  std::vector<Column> columns;
  for (const SparseParts& s : in.sparse) {
    std::vector<std::int64_t> starts(static_cast<std::size_t>(in.rows()) + 1, 0);
    for (std::int64_t k = 0; k < s.size(); ++k) ++starts[static_cast<std::size_t>(s.place(k)[0]) + 1];
    for (std::size_t row = 1; row < starts.size(); ++row) starts[row] += starts[row - 1];
    columns.emplace_back(s.values, std::move(starts));
  }
  for (const Tensor* t : in.dense) columns.emplace_back(*t);
  return columns;
}

// The number of combinations in a row.
std::int64_t combinations(const std::vector<Column>& columns, std::int64_t row) {
  std::int64_t all = columns.empty() ? 0 : 1;
  for (const Column& column : columns)
    if (__builtin_mul_overflow(all, column.count(row), &all))
      invalid_argument("The cross of row ", row, " would have more than 2**63 - 1 features");
  return all;
}

// Writes make(row, which) for each combination, the last column's feature changing fastest.
template <typename T, typename Make>
void cross(KernelContext& c, const CrossInputs& in, const Make& make) {
  const std::vector<Column> columns = columns_of(in);
  std::int64_t total = 0, most = 0;
  for (std::int64_t row = 0; row < in.rows(); ++row) {
    const std::int64_t n = combinations(columns, row);
    most = std::max(most, n);
    if (__builtin_add_overflow(total, n, &total)) invalid_argument("The cross would have more than 2**63 - 1 features");
  }
  auto* place = c.allocate_output(0, DType::kInt64, Shape({total, 2})).mutable_data<std::int64_t>();
  T* value = c.allocate_output(1, DTypeOf<T>::value, Shape({total})).template mutable_data<T>();
  const std::int64_t sizes[] = {in.rows(), most};
  c.set_output(2, numbers_tensor(sizes));
  std::vector<std::int64_t> which(columns.size());
  PolledSteps polled(64);
  for (std::int64_t row = 0; row < in.rows(); ++row) {
    std::ranges::fill(which, 0);
    const std::int64_t n = combinations(columns, row);
    for (std::int64_t k = 0; k < n; ++k, polled.step()) {
      *place++ = row;
      *place++ = k;
      *value++ = make(columns, row, which);
      for (std::size_t d = which.size(); d-- > 0;) {
        if (++which[d] < columns[d].count(row)) break;
        which[d] = 0;
      }
    }
  }
}

using Which = std::vector<std::int64_t>;

void cross_texts(KernelContext& c, const CrossInputs& in, const std::string& separator) {
  cross<std::string>(c, in, [&](const std::vector<Column>& columns, std::int64_t row, const Which& which) {
    std::string text;
    for (std::size_t d = 0; d < columns.size(); ++d) text += (d == 0 ? "" : separator) + columns[d].text(row, which[d]);
    return text;
  });
}

// Without buckets the result is not negative all the same.
std::int64_t bucket_of(std::uint64_t hash, std::int64_t buckets) {
  const auto limit = static_cast<std::uint64_t>(buckets > 0 ? buckets : std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(hash % limit);
}

void cross_v1(KernelContext& c) {
  const CrossInputs in(c, 0);
  check_columns(in);
  if (!c.attr("hashed_output").b() || c.attr("out_type").type() == DType::kString) return cross_texts(c, in, "_X_");
  const std::int64_t buckets = c.attr("num_buckets").i();
  const auto key = static_cast<std::uint64_t>(c.attr("hash_key").i());
  cross<std::int64_t>(c, in, [&](const std::vector<Column>& columns, std::int64_t row, const Which& which) {
    std::uint64_t hash = key;
    for (std::size_t d = 0; d < columns.size(); ++d)
      hash = combine_fingerprints(hash, columns[d].fingerprint(row, which[d]));
    return bucket_of(hash, buckets);
  });
}

void cross_v2(KernelContext& c) {
  const CrossInputs in(c, 1);
  const Tensor& separator = c.input(c.num_inputs() - 1);
  check_columns(in);
  if (separator.rank() != 0)
    invalid_argument("Input separator should be a scalar. Received: ", separator.shape().text());
  cross_texts(c, in, separator.item<std::string>());
}

void cross_hashed(KernelContext& c) {
  const CrossInputs in(c, 3);
  const Tensor &buckets = c.input(c.num_inputs() - 3), &strong = c.input(c.num_inputs() - 2),
               &salt = c.input(c.num_inputs() - 1);
  check_columns(in);
  if (buckets.rank() != 0) invalid_argument("num_buckets should be a scalar. Received: ", buckets.shape().text());
  if (strong.rank() != 0) invalid_argument("strong_hash should be a scalar. Received: ", strong.shape().text());
  if (salt.rank() != 1 || salt.dim(0) != 2)
    invalid_argument("salt should be a vector of two numbers. Received: ", salt.shape().text());
  const std::uint64_t key[] = {static_cast<std::uint64_t>(salt.int_at(0)), static_cast<std::uint64_t>(salt.int_at(1))};
  const bool keyed = strong.item<bool>();
  cross<std::int64_t>(c, in, [&](const std::vector<Column>& columns, std::int64_t row, const Which& which) {
    std::uint64_t hash = 0;
    for (std::size_t d = 0; d < columns.size(); ++d) {
      const std::uint64_t own = columns[d].hash(row, which[d], keyed ? key : nullptr);
      hash = d == 0 ? own : combine_fingerprints(hash, own);
    }
    return bucket_of(hash, buckets.item<std::int64_t>());
  });
}

void infer_cross(InferContext& c) {
  c.set_output(0, Shape({kUnknownDim, 2}));
  c.set_output(1, Shape({kUnknownDim}));
  c.set_output(2, Shape({2}));
}

}  // namespace

void register_sparse_cross(Registry& r) {
  constexpr std::string_view sparse = "sparse_types: list({int64, string}) >= 0",
                             dense = "dense_types: list({int64, string}) >= 0";
  r.add({.name = "SparseCross",
         .inputs = {"indices: N * int64", "values: sparse_types", "shapes: N * int64", "dense_inputs: dense_types"},
         .outputs = {"output_indices: int64", "output_values: out_type", "output_shape: int64"},
         .attrs = {"N: int >= 0", "hashed_output: bool", "num_buckets: int >= 0", "hash_key: int", sparse, dense,
                   "out_type: {int64, string}", "internal_type: {int64, string}"},
         .doc = "All combinations of the features in a row of several columns: texts joined by '_X_', or hashes.",
         .infer = infer_cross,
         .kernel = cross_v1,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
  r.add({.name = "SparseCrossV2",
         .inputs = {"indices: N * int64", "values: sparse_types", "shapes: N * int64", "dense_inputs: dense_types",
                    "sep: string"},
         .outputs = {"output_indices: int64", "output_values: string", "output_shape: int64"},
         .attrs = {"N: int >= 0", sparse, dense},
         .doc = "All combinations of the features in a row of several columns, as texts joined by `sep`.",
         .infer = infer_cross,
         .kernel = cross_v2,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
  r.add({.name = "SparseCrossHashed",
         .inputs = {"indices: N * int64", "values: sparse_types", "shapes: N * int64", "dense_inputs: dense_types",
                    "num_buckets: int64", "strong_hash: bool", "salt: int64"},
         .outputs = {"output_indices: int64", "output_values: int64", "output_shape: int64"},
         .attrs = {"N: int >= 0", sparse, dense},
         .doc = "Hashes of all combinations of the features in a row of several columns.",
         .infer = infer_cross,
         .kernel = cross_hashed,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
}

}  // namespace tracefn
