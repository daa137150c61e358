// ParseExampleV2 and ParseSingleExample: the features of tf.train.Example messages as tensors.
#include <algorithm>

#include "base/poll.h"
#include "ops/files/files.h"
#include "ops/files/parsed_features.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

// What is asked for, in the order of the outputs.
struct Request {
  std::vector<WantedFeature> wanted;  // sparse, dense, ragged
  std::vector<DenseShape> dense;
  std::span<const TensorRef> defaults;
  std::vector<DType> split_types;
  std::size_t sparse_count = 0;

  std::size_t dense_count() const { return dense.size(); }
  std::size_t ragged_count() const { return split_types.size(); }
  const Tensor& default_of(std::size_t d) const { return *defaults[d].tensor; }
};

// One example or a batch of them.
class Examples {
 public:
  Examples(const Request& request, std::span<const std::string> serialized, std::span<const std::string> names,
           bool batch)
      : request_(request),
        serialized_(serialized),
        names_(names),
        batch_(batch),
        found_(request.wanted.size(), serialized.size(), batch) {}

  void read() {
    const FeatureIndex index = index_features(request_.wanted);
    std::vector<MapEntry> entries;
    for (std::size_t e = 0; e < serialized_.size(); ++e, poll()) {
      entries.clear();
      try {
        read_example(serialized_[e], entries);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::kValue) throw;
        invalid_argument("Could not parse example input, value: '", shown_bytes(serialized_[e]), "'");
      }
      // Of entries with one key the last one counts.
      for (std::size_t i = entries.size(); i-- > 0;) {
        const auto at = index.find(entries[i].key);
        if (at != index.end()) take(e, at->second, entries[i].value);
      }
    }
  }

  void write(KernelContext& c) const {
    std::size_t at = found_.write_sparse(c, 0, 0, request_.sparse_count, request_.wanted);
    for (std::size_t d = 0; d < request_.dense_count(); ++d) c.set_output(at++, dense_values(d));
    found_.write_ragged(c, at, request_.sparse_count + request_.dense_count(), request_.split_types, request_.wanted);
  }

 private:
  std::int64_t size() const { return found_.size(); }

  // What an error message starts with.
  std::string place(const std::string& key, std::size_t example) const {
    if (!batch_) return concat("Key: ", key, ".  ");
    return concat("Name: ", name(example), ", Key: ", key, ", Index: ", example, ".  ");
  }
  std::string name(std::size_t example) const { return names_.empty() ? "<unknown>" : names_[example]; }

  void take(std::size_t example, std::size_t feature, std::string_view bytes) {
    FoundFeatures::Found& found = found_.at(feature, example);
    if (found.present) return;
    const WantedFeature& wanted = request_.wanted[feature];
    try {
      found.values = read_feature(bytes);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kValue) throw;
      invalid_argument(place(wanted.key, example), "Can't parse serialized Example.");
    }
    found.present = true;
    const DType dtype = found.values.dtype;
    if (dtype == DType::kInvalid || dtype == wanted.dtype) return;
    if (wanted.form == FeatureForm::kDense)
      invalid_argument(place(wanted.key, example), "Data types don't match. Data type: ", runtime_name(dtype),
                       " but expected type: ", runtime_name(wanted.dtype));
    invalid_argument(place(wanted.key, example), "Data types don't match. Expected type: ", runtime_name(wanted.dtype),
                     ", Actual type: ", runtime_name(dtype));
  }

  Tensor dense_values(std::size_t d) const {
    const DenseShape& dense = request_.dense[d];
    return dense.variable ? variable_values(d) : fixed_values(d);
  }

  Tensor fixed_values(std::size_t d) const {
    const std::size_t feature = request_.sparse_count + d;
    const WantedFeature& wanted = request_.wanted[feature];
    const DenseShape& dense = request_.dense[d];
    const Tensor& fallback = request_.default_of(d);
    for (std::size_t e = 0; e < serialized_.size(); ++e) {
      const FeatureValues& list = found_.values_at(feature, e);
      if (list.dtype != DType::kInvalid) {
        if (list.count != dense.stride) wrong_count(wanted, dense, e, list.count);
      } else if (fallback.num_elements() == 0) {
        invalid_argument(batch_ ? concat("Name: ", name(e), ", ") : "", "Feature: ", wanted.key,
                         " (data type: ", runtime_name(wanted.dtype), ") is required but could not be found.");
      }
    }
    checked_product(size(), dense.stride);
    Tensor out(wanted.dtype, batch_ ? dense_result(Shape({size()}), dense.shape) : dense.shape);
    for (std::size_t e = 0; e < serialized_.size(); ++e) {
      const std::int64_t at = static_cast<std::int64_t>(e) * dense.stride;
      const FeatureValues& list = found_.values_at(feature, e);
      if (list.dtype != DType::kInvalid) {
        copy_values(list, out, at);
      } else {
        copy_elements(out.dtype(), fallback.raw(), element_of(out, at), dense.stride);
      }
    }
    return out;
  }

  // Rows of as many blocks as the longest one has; the missing ones are filled with the default.
  Tensor variable_values(std::size_t d) const {
    const std::size_t feature = request_.sparse_count + d;
    const WantedFeature& wanted = request_.wanted[feature];
    const DenseShape& dense = request_.dense[d];
    for (std::size_t e = 0; e < serialized_.size(); ++e) {
      const std::int64_t n = found_.values_at(feature, e).count;
      if (dense.stride > 0 ? n % dense.stride == 0 : n == 0) continue;
      if (!batch_)
        invalid_argument("Error while parsing feature with key ", wanted.key,
                         ": number of elements should be divisible by ", dense.stride, ", found ", n, " instead");
      invalid_argument(place(wanted.key, e), "Number of ", word(wanted.dtype),
                       " values is not a multiple of stride length. Saw ", n,
                       " values but output shape is: ", dense.shape.text());
    }
    const std::int64_t row = found_.longest(feature);
    checked_product(size(), row);
    Shape block = dense.shape;
    block[0] = dense.stride > 0 ? row / dense.stride : 0;
    Tensor out(wanted.dtype, batch_ ? dense_result(Shape({size()}), block) : block);
    const Tensor& fallback = request_.default_of(d);
    for (std::size_t e = 0; e < serialized_.size(); ++e) {
      const std::int64_t start = static_cast<std::int64_t>(e) * row;
      for (std::int64_t at = copy_values(found_.values_at(feature, e), out, start); at < start + row; ++at)
        copy_elements(out.dtype(), fallback.raw(), element_of(out, at), 1);
    }
    return out;
  }

  // TensorFlow's word for the values of a list.
  static std::string_view word(DType dtype) { return dtype == DType::kString ? "bytes" : runtime_name(dtype); }

  [[noreturn]] void wrong_count(const WantedFeature& wanted, const DenseShape& dense, std::size_t example,
                                std::int64_t count) const {
    if (!batch_)
      invalid_argument(place(wanted.key, example), "Can't parse serialized Example: ",
                       wanted.dtype == DType::kString
                           ? "Parsing bytes_list failed."
                           : concat("Some ", word(wanted.dtype), "_list slice was not parsed."));
    invalid_argument(place(wanted.key, example), "Number of ", word(wanted.dtype),
                     " values != expected.  Values size: ", count, " but output shape: ", dense.shape.text());
  }

  const Request& request_;
  std::span<const std::string> serialized_, names_;
  const bool batch_;
  FoundFeatures found_;
};

void check_defaults(const Request& request) {
  for (std::size_t d = 0; d < request.dense_count(); ++d) {
    const Tensor& value = request.default_of(d);
    const DenseShape& dense = request.dense[d];
    if (dense.variable) {
      if (value.num_elements() != 1)
        invalid_argument(
            "dense_shape[", d, "] is a variable length shape: ", dense.shape.text(), ", therefore def_value[", d,
            "] must contain a single element (the padding element).  But its shape is: ", value.shape().text());
    } else if (value.num_elements() > 0 && !(value.shape() == dense.shape)) {
      invalid_argument("def_value[", d, "].shape() == ", value.shape().text(), " is not compatible with dense_shapes_[",
                       d, "] == ", dense.shape.text());
    }
  }
}

void require_count(std::string_view keys, std::size_t given, std::string_view attr, std::size_t expected) {
  if (given != expected) invalid_argument("Expected len(", keys, ") == ", attr, " but got: ", given, " vs. ", expected);
}

// The attributes must agree in how many features of each form there are: the outputs are counted by them.
template <typename Context>
void require_sizes(const Context& c) {
  if (c.attr("Tdense").types().size() != c.attr("dense_shapes").shapes().size())
    invalid_argument("len(dense_keys) != len(dense_shapes)");
  if (static_cast<std::size_t>(c.attr("num_sparse").i()) != c.attr("sparse_types").types().size())
    invalid_argument("len(sparse_keys) != len(sparse_types)");
}
template <typename Context>
void require_ragged_sizes(const Context& c) {
  if (c.attr("ragged_value_types").types().size() != c.attr("ragged_split_types").types().size())
    invalid_argument("len(ragged_keys) != len(ragged_split_types)");
}

// Inputs: serialized, names, the keys of the three forms, defaults.
void parse_example(KernelContext& c) {
  const Tensor& serialized = c.input(0);
  const Tensor& names = c.input(1);
  if (serialized.rank() > 1)
    invalid_argument("Expected serialized to be a scalar or vector, got shape: ", serialized.shape().text());
  if (names.num_elements() != 0 && !(names.shape() == serialized.shape()))
    invalid_argument("Expected names have the same shape as serialized: name.shape=", names.shape().text(),
                     ", serialized.shape=", serialized.shape().text());
  const std::vector<DType>& sparse_types = c.attr("sparse_types").types();
  const std::vector<DType>& dense_types = c.attr("Tdense").types();
  const std::vector<DType>& ragged_types = c.attr("ragged_value_types").types();
  const auto num_sparse = static_cast<std::size_t>(c.attr("num_sparse").i());
  const auto sparse_keys = texts(c.input(2)), dense_keys = texts(c.input(3)), ragged_keys = texts(c.input(4));
  require_count("sparse_keys", sparse_keys.size(), "num_sparse", num_sparse);
  require_count("dense_keys", dense_keys.size(), "len(dense_types)", dense_types.size());
  require_count("ragged_keys", ragged_keys.size(), "len(ragged_value_types)", ragged_types.size());
  require_sizes(c);
  require_ragged_sizes(c);
  Request request;
  want_features(request.wanted, FeatureForm::kSparse, sparse_keys, sparse_types);
  want_features(request.wanted, FeatureForm::kDense, dense_keys, dense_types);
  want_features(request.wanted, FeatureForm::kRagged, ragged_keys, ragged_types);
  request.sparse_count = num_sparse;
  request.dense = dense_shapes(c.attr("dense_shapes").shapes());
  request.split_types = c.attr("ragged_split_types").types();
  request.defaults = c.operands().subspan(5);
  check_defaults(request);
  Examples examples(request, texts(serialized), texts(names), serialized.rank() == 1);
  examples.read();
  examples.write(c);
}

void infer_dense(InferContext& c, std::size_t at, const Shape& serialized) {
  const std::vector<Shape>& shapes = c.attr("dense_shapes").shapes();
  dense_shapes(shapes);  // checks them
  for (std::size_t d = 0; d < shapes.size(); ++d) c.set_output(at + d, dense_result(serialized, shapes[d]));
}

void infer_example(InferContext& c) {
  require_sizes(c);
  require_ragged_sizes(c);
  const Shape& serialized = c.shape(0);
  const auto num_sparse = static_cast<std::size_t>(c.attr("num_sparse").i());
  const bool known = serialized.has_rank();
  const std::size_t dense = infer_sparse(c, 0, num_sparse, known ? serialized.rank() + 1 : kUnknownDim);
  infer_dense(c, dense, serialized);
  const std::size_t ragged = c.attr("ragged_value_types").types().size();
  const std::size_t values = dense + c.attr("Tdense").types().size();
  const std::size_t splits = infer_vectors(c, values, ragged, kUnknownDim);
  const std::int64_t batch = known && serialized.rank() == 1 ? serialized[0] : kUnknownDim;
  infer_vectors(c, splits, ragged, batch < 0 ? kUnknownDim : batch + 1);
}

void infer_single(InferContext& c) {
  require_sizes(c);
  c.require_rank(0, 0);
  infer_dense(c, infer_sparse(c, 0, static_cast<std::size_t>(c.attr("num_sparse").i()), 1), Shape());
}

void parse_single(KernelContext& c) {
  const Tensor& serialized = c.input(0);
  if (serialized.rank() != 0)
    invalid_argument("Expected serialized to be a scalar, got shape: ", serialized.shape().text());
  const std::vector<std::string>& sparse_keys = c.attr("sparse_keys").strings();
  const std::vector<std::string>& dense_keys = c.attr("dense_keys").strings();
  const std::vector<DType>& sparse_types = c.attr("sparse_types").types();
  const std::vector<DType>& dense_types = c.attr("Tdense").types();
  const auto num_sparse = static_cast<std::size_t>(c.attr("num_sparse").i());
  if (num_sparse != sparse_keys.size() || num_sparse != sparse_types.size())
    invalid_argument("num_sparse (", num_sparse, ") must match the size of sparse_keys (", sparse_keys.size(),
                     ") and sparse_types (", sparse_types.size(), ")");
  Request request;
  request.dense = dense_shapes(c.attr("dense_shapes").shapes());
  if (dense_keys.size() != dense_types.size() || request.dense.size() != dense_keys.size())
    invalid_argument("len(dense_keys) != len(dense_types)");
  want_features(request.wanted, FeatureForm::kSparse, sparse_keys, sparse_types);
  want_features(request.wanted, FeatureForm::kDense, dense_keys, dense_types);
  request.sparse_count = num_sparse;
  request.defaults = c.operands().subspan(1);
  check_defaults(request);
  Examples example(request, texts(serialized), {}, false);
  example.read();
  example.write(c);
}

}  // namespace

#define TRACEFN_FEATURE_TYPES "list({float, int64, string}) >= 0"

void register_parse_example(Registry& r) {
  r.add({.name = "ParseExampleV2",
         .inputs = {"serialized: string", "names: string", "sparse_keys: string", "dense_keys: string",
                    "ragged_keys: string", "dense_defaults: Tdense"},
         .outputs = {"sparse_indices: num_sparse * int64", "sparse_values: sparse_types",
                     "sparse_shapes: num_sparse * int64", "dense_values: Tdense", "ragged_values: ragged_value_types",
                     "ragged_row_splits: ragged_split_types"},
         .attrs = {"Tdense: " TRACEFN_FEATURE_TYPES, "num_sparse: int >= 0", "sparse_types: " TRACEFN_FEATURE_TYPES,
                   "ragged_value_types: " TRACEFN_FEATURE_TYPES, "ragged_split_types: list({int32, int64}) >= 0",
                   "dense_shapes: list(shape) >= 0"},
         .doc =
             "The features of serialized tf.train.Example messages, for `tf.io.parse_example`.\n\n`serialized` is one "
             "message or a vector of them.",
         .infer = infer_example,
         .kernel = parse_example,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
  r.add({.name = "ParseSingleExample",
         .inputs = {"serialized: string", "dense_defaults: Tdense"},
         .outputs = {"sparse_indices: num_sparse * int64", "sparse_values: sparse_types",
                     "sparse_shapes: num_sparse * int64", "dense_values: Tdense"},
         .attrs = {"num_sparse: int >= 0", "sparse_keys: list(string) >= 0", "dense_keys: list(string) >= 0",
                   "sparse_types: " TRACEFN_FEATURE_TYPES, "Tdense: " TRACEFN_FEATURE_TYPES,
                   "dense_shapes: list(shape) >= 0"},
         .doc = "The features of one serialized tf.train.Example message.",
         .infer = infer_single,
         .kernel = parse_single,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
}

}  // namespace tracefn
