// ParseSequenceExampleV2: the context and the feature lists of tf.train.SequenceExample messages as tensors.
#include <algorithm>

#include "base/poll.h"
#include "ops/files/files.h"
#include "ops/files/parsed_features.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

// What is asked for: sparse, dense and ragged features of the context, or of the lists, in this order.
struct Part {
  std::vector<WantedFeature> wanted;
  std::vector<Shape> shapes;
  std::vector<DType> split_types;
  std::size_t sparse_count = 0;

  std::size_t dense_count() const { return shapes.size(); }
  std::size_t first_ragged() const { return sparse_count + shapes.size(); }
};

// A part's keys, and the names of its attributes.
struct PartNames {
  std::size_t sparse_keys, dense_keys, ragged_keys;  // inputs
  std::string_view prefix, count, dense_types;
};
constexpr PartNames kContext{2, 3, 4, "context", "Ncontext_sparse", "Tcontext_dense"};
constexpr PartNames kLists{5, 6, 7, "feature_list", "Nfeature_list_sparse", "feature_list_dense_types"};

void require_fully_known(const std::vector<Shape>& shapes) {
  for (const Shape& shape : shapes)
    if (!shape.is_fully_known()) invalid_argument("Shape ", shape.text(), " is not fully defined");
}

// The attributes of one part, which must agree in the number of features of each form.
template <typename Context>
void require_sizes(const Context& c, const PartNames& names) {
  auto attr = [&](std::string_view name) -> const Attr& { return c.attr(concat(names.prefix, name)); };
  const auto count = static_cast<std::size_t>(c.attr(names.count).i());
  if (attr("_sparse_types").types().size() != count)
    invalid_argument("num_", names.prefix, "_sparse (", count, ") must match the size of ", names.prefix,
                     "_sparse_types (", attr("_sparse_types").types().size(), ")");
  const std::size_t dense = c.attr(names.dense_types).types().size(), shapes = attr("_dense_shapes").shapes().size();
  if (dense != shapes)
    invalid_argument("num_", names.prefix, "_dense (", dense, ") must match the size of ", names.prefix,
                     "_dense_types (", dense, ") and ", names.prefix, "_dense_shapes (", shapes, ")");
  require_fully_known(attr("_dense_shapes").shapes());
  if (attr("_ragged_value_types").types().size() != attr("_ragged_split_types").types().size())
    invalid_argument("num_", names.prefix, "_ragged must match the size of ", names.prefix, "_ragged_value_types and ",
                     names.prefix, "_ragged_split_types");
}
template <typename Context>
void require_all_sizes(const Context& c) {
  require_sizes(c, kContext);
  require_sizes(c, kLists);
  const std::size_t types = c.attr("feature_list_dense_types").types().size();
  if (static_cast<std::size_t>(c.attr("Nfeature_list_dense").i()) != types)
    invalid_argument("num_feature_list_dense (", c.attr("Nfeature_list_dense").i(),
                     ") must match the size of feature_list_dense_types (", types, ")");
}

void require_keys(const Tensor& keys, std::size_t expected, std::string_view name, std::string_view attr) {
  if (static_cast<std::size_t>(keys.num_elements()) != expected)
    invalid_argument("Expected len(", name, ") to match ", attr);
}

Part read_part(const KernelContext& c, const PartNames& names) {
  auto attr = [&](std::string_view name) -> const Attr& { return c.attr(concat(names.prefix, name)); };
  const std::vector<DType>& sparse = attr("_sparse_types").types();
  const std::vector<DType>& dense = c.attr(names.dense_types).types();
  const std::vector<DType>& ragged = attr("_ragged_value_types").types();
  require_keys(c.input(names.sparse_keys), sparse.size(), concat(names.prefix, "_sparse_keys"),
               concat("len(", names.prefix, "_sparse_types)"));
  require_keys(c.input(names.dense_keys), dense.size(), concat(names.prefix, "_dense_keys"),
               concat("len(", names.dense_types, ")"));
  require_keys(c.input(names.ragged_keys), ragged.size(), concat(names.prefix, "_ragged_keys"),
               concat("len(", names.prefix, "_ragged_value_types)"));
  Part part;
  want_features(part.wanted, FeatureForm::kSparse, texts(c.input(names.sparse_keys)), sparse);
  want_features(part.wanted, FeatureForm::kDense, texts(c.input(names.dense_keys)), dense);
  want_features(part.wanted, FeatureForm::kRagged, texts(c.input(names.ragged_keys)), ragged);
  part.shapes = attr("_dense_shapes").shapes();
  part.split_types = attr("_ragged_split_types").types();
  part.sparse_count = sparse.size();
  for (std::size_t i = 0; i < part.sparse_count; ++i)
    for (std::size_t k = part.first_ragged(); k < part.wanted.size(); ++k)
      if (part.wanted[i].key == part.wanted[k].key)
        invalid_argument(names.prefix == kContext.prefix ? "Context" : "Sequence", " feature ", part.wanted[i].key,
                         " cannot be both ragged and sparse");
  return part;
}

// One list of features in one example.
struct FoundList {
  bool present = false;
  std::vector<FeatureValues> rows;
};

class Sequences {
 public:
  Sequences(const KernelContext& c, Part context, Part lists)
      : context_(std::move(context)),
        lists_(std::move(lists)),
        serialized_(texts(c.input(0))),
        names_(texts(c.input(1))),
        assumed_empty_(c.input(8)),
        defaults_(c.operands().subspan(9)),
        batch_(c.input(0).rank() == 1),
        found_(context_.wanted.size(), serialized_.size(), batch_),
        found_lists_(lists_.wanted.size() * serialized_.size()) {}

  void read() {
    const FeatureIndex context_index = index_features(context_.wanted), list_index = index_features(lists_.wanted);
    std::vector<MapEntry> context, lists;
    for (std::size_t e = 0; e < serialized_.size(); ++e, poll()) {
      context.clear();
      lists.clear();
      reading(e, [&] { read_sequence_example(serialized_[e], context, lists); });
      // Of entries with one key the last one counts.
      for (std::size_t i = context.size(); i-- > 0;)
        if (const auto at = context_index.find(context[i].key); at != context_index.end())
          take_context(e, at->second, context[i].value);
      for (std::size_t i = lists.size(); i-- > 0;)
        if (const auto at = list_index.find(lists[i].key); at != list_index.end())
          take_list(e, at->second, lists[i].value);
    }
  }

  void write(KernelContext& c) const {
    std::size_t at = found_.write_sparse(c, 0, 0, context_.sparse_count, context_.wanted);
    for (std::size_t d = 0; d < context_.dense_count(); ++d) c.set_output(at++, context_dense(d));
    at = found_.write_ragged(c, at, context_.first_ragged(), context_.split_types, context_.wanted);

    const std::size_t sparse = lists_.sparse_count, dense = lists_.dense_count(), ragged = lists_.split_types.size();
    for (std::size_t i = 0; i < sparse; ++i) {
      c.set_output(at + i, list_indices(i));
      c.set_output(at + sparse + i, list_values(i));
      c.set_output(at + 2 * sparse + i, list_shape(i));
    }
    at += 3 * sparse;
    for (std::size_t d = 0; d < dense; ++d) {
      c.set_output(at + d, list_dense(d));
      c.set_output(at + dense + d, list_lengths(sparse + d));
    }
    at += 2 * dense;
    for (std::size_t i = 0; i < ragged; ++i) {
      const std::size_t feature = lists_.first_ragged() + i;
      c.set_output(at + i, list_values(feature));
      c.set_output(at + ragged + i, outer_splits(feature, lists_.split_types[i]));
      c.set_output(at + 2 * ragged + i, inner_splits(feature, lists_.split_types[i]));
    }
  }

 private:
  std::string name(std::size_t example) const { return names_.empty() ? "<unknown>" : names_[example]; }
  std::int64_t size() const { return static_cast<std::int64_t>(serialized_.size()); }
  const FoundList& list(std::size_t feature, std::size_t example) const {
    return found_lists_[feature * serialized_.size() + example];
  }

  template <typename F>
  void reading(std::size_t example, F&& f) const {
    try {
      f();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kValue) throw;
      invalid_argument("Invalid protocol message input, example id: ", name(example));
    }
  }

  void take_context(std::size_t example, std::size_t feature, std::string_view bytes) {
    FoundFeatures::Found& found = found_.at(feature, example);
    if (found.present) return;
    found.present = true;
    reading(example, [&] { found.values = read_feature(bytes); });
    const WantedFeature& wanted = context_.wanted[feature];
    if (found.values.dtype != DType::kInvalid && found.values.dtype != wanted.dtype)
      invalid_argument("Name: ", name(example), ", Context feature: ", wanted.key,
                       ".  Data types don't match. Expected type: ", runtime_name(wanted.dtype));
  }

  void take_list(std::size_t example, std::size_t feature, std::string_view bytes) {
    FoundList& found = found_lists_[feature * serialized_.size() + example];
    if (found.present) return;
    found.present = true;
    const WantedFeature& wanted = lists_.wanted[feature];
    reading(example, [&] {
      for (std::string_view row : read_feature_list(bytes)) found.rows.push_back(read_feature(row));
    });
    for (std::size_t i = 0; i < found.rows.size(); ++i)
      if (const DType dtype = found.rows[i].dtype; dtype != DType::kInvalid && dtype != wanted.dtype)
        invalid_argument("Name: ", name(example), ", Feature list: ", wanted.key, ", Index: ", i,
                         ".  Data types don't match. Expected type: ", runtime_name(wanted.dtype));
  }

  Tensor context_dense(std::size_t d) const {
    const std::size_t feature = context_.sparse_count + d;
    const WantedFeature& wanted = context_.wanted[feature];
    const Shape& shape = context_.shapes[d];
    const Tensor& fallback = *defaults_[d].tensor;
    const std::int64_t expected = shape.num_elements(), most = found_.longest(feature);
    const bool has_default = fallback.num_elements() > 0;
    if (most != expected && !(most == 0 && has_default))
      invalid_argument("Inconsistent max number of elements for feature ", wanted.key, ": expected ", expected,
                       ", but found ", most);
    checked_product(size(), expected);
    Tensor out(wanted.dtype, batch_ ? dense_result(Shape({size()}), shape) : shape);
    for (std::size_t e = 0; e < serialized_.size(); ++e) {
      const std::int64_t at = static_cast<std::int64_t>(e) * expected;
      const FoundFeatures::Found& found = found_.at(feature, e);
      if (found.present) {
        if (found.values.count != expected) invalid_argument("Unexpected number of elements in example ", name(e));
        copy_values(found.values, out, at);
      } else if (has_default) {
        copy_elements(out.dtype(), fallback.raw(), element_of(out, at), expected);
      } else {
        invalid_argument("Feature: ", wanted.key, " (data type: ", runtime_name(wanted.dtype),
                         ") is required but could not be found.");
      }
    }
    return out;
  }

  std::int64_t most_rows(std::size_t feature) const {
    std::size_t most = 0;
    for (std::size_t e = 0; e < serialized_.size(); ++e) most = std::max(most, list(feature, e).rows.size());
    return static_cast<std::int64_t>(most);
  }
  std::int64_t list_count(std::size_t feature) const {
    std::int64_t n = 0;
    for (std::size_t e = 0; e < serialized_.size(); ++e)
      for (const FeatureValues& row : list(feature, e).rows) n += row.count;
    return n;
  }

  Tensor list_values(std::size_t feature) const {
    Tensor out(lists_.wanted[feature].dtype, Shape({list_count(feature)}));
    std::int64_t at = 0;
    for (std::size_t e = 0; e < serialized_.size(); ++e)
      for (const FeatureValues& row : list(feature, e).rows) at = copy_values(row, out, at);
    return out;
  }
  Tensor list_indices(std::size_t feature) const {
    Tensor out(DType::kInt64, Shape({list_count(feature), batch_ ? 3 : 2}));
    auto* to = out.mutable_data<std::int64_t>();
    for (std::size_t e = 0; e < serialized_.size(); ++e) {
      const std::vector<FeatureValues>& rows = list(feature, e).rows;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::int64_t i = 0; i < rows[r].count; ++i) {
          if (batch_) *to++ = static_cast<std::int64_t>(e);
          *to++ = static_cast<std::int64_t>(r);
          *to++ = i;
        }
      }
    }
    return out;
  }
  Tensor list_shape(std::size_t feature) const {
    std::int64_t longest = 0;
    for (std::size_t e = 0; e < serialized_.size(); ++e)
      for (const FeatureValues& row : list(feature, e).rows) longest = std::max(longest, row.count);
    const std::int64_t sizes[] = {size(), most_rows(feature), longest};
    return Tensor::vector(std::span<const std::int64_t>(sizes).subspan(batch_ ? 0 : 1));
  }

  void check_rows(std::size_t d) const {
    const std::size_t feature = lists_.sparse_count + d;
    const WantedFeature& wanted = lists_.wanted[feature];
    const Shape& shape = lists_.shapes[d];
    const std::int64_t expected = shape.num_elements();
    for (std::size_t e = 0; e < serialized_.size(); ++e) {
      const FoundList& found = list(feature, e);
      if (!found.present && !assumed_empty_.data<bool>()[d])
        invalid_argument("Name: ", name(e), ", Feature list '", wanted.key,
                         "' is required but could not be found.  Did you mean to include it in "
                         "feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?");
      if (const std::int64_t total = batch_ ? 0 : list_count(feature); expected > 0 && total % expected != 0)
        invalid_argument("Feature list '", wanted.key,
                         "' has an unexpected number of values.  Total values size: ", total,
                         " is not consistent with output shape: ", dense_result(Shape({-1}), shape).text());
      for (std::size_t r = 0; r < found.rows.size(); ++r)
        if (found.rows[r].count != expected)
          invalid_argument("Name: ", name(e), ", Key: ", wanted.key, ", Index: ", r,
                           ".  Number of values != expected.  values size: ", found.rows[r].count,
                           " but output shape: ", shape.text());
    }
  }

  // The rows of an example that has fewer are followed by zeros.
  Tensor list_dense(std::size_t d) const {
    check_rows(d);
    const std::size_t feature = lists_.sparse_count + d;
    const std::int64_t rows = most_rows(feature), row = lists_.shapes[d].num_elements();
    const std::int64_t stride = checked_product(rows, row);
    checked_product(size(), stride);
    const Shape block = dense_result(Shape({rows}), lists_.shapes[d]);
    Tensor out = Tensor::zeros(lists_.wanted[feature].dtype, batch_ ? dense_result(Shape({size()}), block) : block);
    for (std::size_t e = 0; e < serialized_.size(); ++e) {
      std::int64_t at = static_cast<std::int64_t>(e) * stride;
      for (const FeatureValues& values : list(feature, e).rows) at = copy_values(values, out, at);
    }
    return out;
  }
  Tensor list_lengths(std::size_t feature) const {
    Tensor out(DType::kInt64, batch_ ? Shape({size()}) : Shape());
    for (std::size_t e = 0; e < serialized_.size(); ++e)
      out.mutable_data<std::int64_t>()[e] = static_cast<std::int64_t>(list(feature, e).rows.size());
    return out;
  }

  Tensor outer_splits(std::size_t feature, DType dtype) const {
    Splits out(dtype, batch_ ? size() + 1 : 0);
    if (!batch_) return out.take();
    std::int64_t at = 0;
    out.set(0, 0);
    for (std::size_t e = 0; e < serialized_.size(); ++e)
      out.set(static_cast<std::int64_t>(e) + 1, at += static_cast<std::int64_t>(list(feature, e).rows.size()));
    return out.take();
  }
  Tensor inner_splits(std::size_t feature, DType dtype) const {
    std::int64_t rows = 0;
    for (std::size_t e = 0; e < serialized_.size(); ++e)
      rows += static_cast<std::int64_t>(list(feature, e).rows.size());
    Splits out(dtype, rows + 1);
    std::int64_t row = 0, at = 0;
    out.set(0, 0);
    for (std::size_t e = 0; e < serialized_.size(); ++e)
      for (const FeatureValues& values : list(feature, e).rows) out.set(++row, at += values.count);
    return out.take();
  }

  const Part context_, lists_;
  std::span<const std::string> serialized_, names_;
  const Tensor& assumed_empty_;
  std::span<TensorRef> defaults_;
  const bool batch_;
  FoundFeatures found_;
  std::vector<FoundList> found_lists_;  // by feature, then by example
};

void parse_sequences(KernelContext& c) {
  const Tensor& serialized = c.input(0);
  if (serialized.rank() > 1)
    invalid_argument("Expected serialized to be a scalar or vector, got shape: ", serialized.shape().text());
  if (const std::int64_t names = c.input(1).num_elements(); names != 0 && names != serialized.num_elements())
    invalid_argument("example_names must be empty or have the correct number of elements");
  require_all_sizes(c);
  Part context = read_part(c, kContext), lists = read_part(c, kLists);
  if (c.input(8).num_elements() != static_cast<std::int64_t>(lists.dense_count()))
    invalid_argument("Expected len(feature_list_dense_missing_assumed_empty to match Nfeature_list_dense");
  for (std::size_t d = 0; d < context.dense_count(); ++d) {
    const Tensor& value = c.input(9 + d);
    if (value.num_elements() > 0 && !(value.shape() == context.shapes[d]))
      invalid_argument("default_value[", d, "].shape() == ", value.shape().text(), " != context_dense_shapes[", d,
                       "] == ", context.shapes[d].text());
  }
  Sequences sequences(c, std::move(context), std::move(lists));
  sequences.read();
  sequences.write(c);
}

void infer_sequences(InferContext& c) {
  require_all_sizes(c);
  const Shape& serialized = c.shape(0);
  const bool known = serialized.has_rank();
  const std::int64_t rank = known ? serialized.rank() : kUnknownDim;
  const std::int64_t batch = known && serialized.rank() == 1 ? serialized[0] : kUnknownDim;
  const std::int64_t splits = batch < 0 ? kUnknownDim : batch + 1;
  auto count = [&](std::string_view attr) { return static_cast<std::size_t>(c.attr(attr).i()); };
  std::size_t at = infer_sparse(c, 0, count("Ncontext_sparse"), known ? rank + 1 : kUnknownDim);
  for (const Shape& shape : c.attr("context_dense_shapes").shapes())
    c.set_output(at++, dense_result(serialized, shape));
  const std::size_t ragged = c.attr("context_ragged_value_types").types().size();
  at = infer_vectors(c, at, ragged, kUnknownDim);
  at = infer_vectors(c, at, ragged, splits);
  at = infer_sparse(c, at, count("Nfeature_list_sparse"), known ? rank + 2 : kUnknownDim);
  for (const Shape& shape : c.attr("feature_list_dense_shapes").shapes())
    c.set_output(at++, dense_result(dense_result(serialized, Shape({kUnknownDim})), shape));
  for (std::size_t d = 0; d < count("Nfeature_list_dense"); ++d) c.set_output(at++, serialized);
  const std::size_t list_ragged = c.attr("feature_list_ragged_value_types").types().size();
  at = infer_vectors(c, at, list_ragged, kUnknownDim);
  at = infer_vectors(c, at, list_ragged, splits);
  infer_vectors(c, at, list_ragged, kUnknownDim);
}

}  // namespace

#define TRACEFN_OPTIONAL_FEATURE_TYPES "list({float, int64, string}) >= 0 = []"
#define TRACEFN_SPLIT_TYPES "list({int32, int64}) >= 0 = []"

void register_parse_sequence_example(Registry& r) {
  r.add({.name = "ParseSequenceExampleV2",
         .inputs = {"serialized: string", "debug_name: string", "context_sparse_keys: string",
                    "context_dense_keys: string", "context_ragged_keys: string", "feature_list_sparse_keys: string",
                    "feature_list_dense_keys: string", "feature_list_ragged_keys: string",
                    "feature_list_dense_missing_assumed_empty: bool", "context_dense_defaults: Tcontext_dense"},
         .outputs = {"context_sparse_indices: Ncontext_sparse * int64", "context_sparse_values: context_sparse_types",
                     "context_sparse_shapes: Ncontext_sparse * int64", "context_dense_values: Tcontext_dense",
                     "context_ragged_values: context_ragged_value_types",
                     "context_ragged_row_splits: context_ragged_split_types",
                     "feature_list_sparse_indices: Nfeature_list_sparse * int64",
                     "feature_list_sparse_values: feature_list_sparse_types",
                     "feature_list_sparse_shapes: Nfeature_list_sparse * int64",
                     "feature_list_dense_values: feature_list_dense_types",
                     "feature_list_dense_lengths: Nfeature_list_dense * int64",
                     "feature_list_ragged_values: feature_list_ragged_value_types",
                     "feature_list_ragged_outer_splits: feature_list_ragged_split_types",
                     "feature_list_ragged_inner_splits: feature_list_ragged_split_types"},
         .attrs = {"Ncontext_sparse: int >= 0 = 0", "Tcontext_dense: " TRACEFN_OPTIONAL_FEATURE_TYPES,
                   "context_sparse_types: " TRACEFN_OPTIONAL_FEATURE_TYPES,
                   "context_ragged_value_types: " TRACEFN_OPTIONAL_FEATURE_TYPES,
                   "context_ragged_split_types: " TRACEFN_SPLIT_TYPES, "context_dense_shapes: list(shape) >= 0 = []",
                   "Nfeature_list_sparse: int >= 0 = 0", "Nfeature_list_dense: int >= 0 = 0",
                   "feature_list_dense_types: " TRACEFN_OPTIONAL_FEATURE_TYPES,
                   "feature_list_sparse_types: " TRACEFN_OPTIONAL_FEATURE_TYPES,
                   "feature_list_ragged_value_types: " TRACEFN_OPTIONAL_FEATURE_TYPES,
                   "feature_list_ragged_split_types: " TRACEFN_SPLIT_TYPES,
                   "feature_list_dense_shapes: list(shape) >= 0 = []"},
         .doc = "The context and the feature lists of serialized tf.train.SequenceExample messages, for "
                "`tf.io.parse_sequence_example`.\n\n`serialized` is one message or a vector of them.",
         .infer = infer_sequences,
         .kernel = parse_sequences,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
}

}  // namespace tracefn
