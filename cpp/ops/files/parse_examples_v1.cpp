// ParseExample, ParseSequenceExample, ParseSingleSequenceExample: the later ops without ragged features, with keys as
// single strings or as attributes.
#include <algorithm>

#include "ops/files/files.h"
#include "ops/files/parsed_features.h"
#include "ops/older/older_families.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

Tensor strings(const std::vector<std::string>& texts) { return Tensor::vector(std::span<const std::string>(texts)); }

std::size_t count(const KernelContext& c, std::string_view attr) { return static_cast<std::size_t>(c.attr(attr).i()); }

// The strings of `n` scalar inputs, from input `first` on.
std::vector<std::string> keys_at(const KernelContext& c, std::size_t first, std::size_t n) {
  std::vector<std::string> keys;
  for (std::size_t i = first; i < first + n; ++i) {
    if (c.input(i).rank() != 0)
      invalid_argument("Expected a key to be a scalar, got shape: ", c.input(i).shape().text());
    keys.push_back(c.input(i).item<std::string>());
  }
  return keys;
}

// The later op may have `more` outputs behind these.
void set_outputs(KernelContext& c, std::vector<Tensor> found, std::size_t more = 0) {
  // The attributes that count the outputs need not agree with those that list their types.
  if (found.size() != c.num_outputs() + more)
    invalid_argument(c.op().name(), ": the numbers of features do not match those of their types and shapes.");
  for (std::size_t j = 0; j < c.num_outputs(); ++j) c.set_output(j, std::move(found[j]));
}

const Attr kNoTypes{std::vector<DType>()};

// Inputs: serialized, names, keys of both forms, defaults.
void parse_example_v1(KernelContext& c) {
  const Tensor& serialized = c.input(0);
  if (serialized.rank() != 1)
    invalid_argument("Expected serialized to be a vector, got shape: ", serialized.shape().text());
  const std::size_t sparse = count(c, "Nsparse"), dense = count(c, "Ndense");
  std::vector<Tensor> inputs{serialized, c.input(1), strings(keys_at(c, 2, sparse)),
                             strings(keys_at(c, 2 + sparse, dense)), strings({})};
  for (std::size_t i = 2 + sparse + dense; i < c.num_inputs(); ++i) inputs.push_back(c.input(i));
  set_outputs(c, run_inside(c, "ParseExampleV2", inputs,
                            {{"num_sparse", c.attr("Nsparse")},
                             {"sparse_types", c.attr("sparse_types")},
                             {"Tdense", c.attr("Tdense")},
                             {"ragged_value_types", kNoTypes},
                             {"ragged_split_types", kNoTypes},
                             {"dense_shapes", c.attr("dense_shapes")}}));
}

void infer_example_v1(InferContext& c) {
  c.require_rank(0, 1);
  const std::vector<Shape>& shapes = c.attr("dense_shapes").shapes();
  if (static_cast<std::size_t>(c.attr("Ndense").i()) != shapes.size() ||
      c.attr("Tdense").types().size() != shapes.size())
    invalid_argument("len(dense_keys) != len(dense_shapes)");
  if (static_cast<std::size_t>(c.attr("Nsparse").i()) != c.attr("sparse_types").types().size())
    invalid_argument("len(sparse_keys) != len(sparse_types)");
  dense_shapes(shapes);  // checks them
  const Shape batch = c.shape(0).has_rank() ? c.shape(0) : Shape::of_rank(1);
  std::size_t at = infer_sparse(c, 0, static_cast<std::size_t>(c.attr("Nsparse").i()), 2);
  for (const Shape& shape : shapes) c.set_output(at++, dense_result(batch, shape));
}

// The attributes that the ops of sequences share.
std::vector<Tensor> parse_sequences(const KernelContext& c, std::vector<Tensor> inputs) {
  const auto dense = static_cast<std::int64_t>(c.attr("feature_list_dense_types").types().size());
  return run_inside(c, "ParseSequenceExampleV2", inputs,
                    {{"Ncontext_sparse", c.attr("Ncontext_sparse")},
                     {"Nfeature_list_sparse", c.attr("Nfeature_list_sparse")},
                     {"Nfeature_list_dense", dense},
                     {"Tcontext_dense", c.attr("Tcontext_dense")},
                     {"context_sparse_types", c.attr("context_sparse_types")},
                     {"context_dense_shapes", c.attr("context_dense_shapes")},
                     {"feature_list_dense_types", c.attr("feature_list_dense_types")},
                     {"feature_list_sparse_types", c.attr("feature_list_sparse_types")},
                     {"feature_list_dense_shapes", c.attr("feature_list_dense_shapes")}});
}

Tensor assumed_empty(const std::vector<std::string>& dense_keys, std::span<const std::string> assumed) {
  Tensor flags(DType::kBool, Shape({static_cast<std::int64_t>(dense_keys.size())}));
  for (std::size_t i = 0; i < dense_keys.size(); ++i)
    flags.mutable_data<bool>()[i] = std::find(assumed.begin(), assumed.end(), dense_keys[i]) != assumed.end();
  return flags;
}

// Inputs: serialized, debug_name, defaults. The keys are attributes.
void parse_batch(KernelContext& c) {
  const Tensor& serialized = c.input(0);
  if (serialized.rank() != 1)
    invalid_argument("Expected serialized to be a vector, got shape: ", serialized.shape().text());
  auto keys = [&](std::string_view attr) { return strings(c.attr(attr).strings()); };
  const Tensor none = strings({});
  std::vector<Tensor> inputs{serialized,
                             c.input(1),
                             keys("context_sparse_keys"),
                             keys("context_dense_keys"),
                             none,
                             keys("feature_list_sparse_keys"),
                             keys("feature_list_dense_keys"),
                             none,
                             assumed_empty(c.attr("feature_list_dense_keys").strings(),
                                           c.attr("feature_list_dense_missing_assumed_empty").strings())};
  for (std::size_t i = 2; i < c.num_inputs(); ++i) inputs.push_back(c.input(i));
  set_outputs(c, parse_sequences(c, std::move(inputs)));
}

// Inputs: serialized, feature_list_dense_missing_assumed_empty, four lists of keys, defaults, debug_name.
void parse_one(KernelContext& c) {
  const Tensor &serialized = c.input(0), &name = c.input(c.num_inputs() - 1);
  if (serialized.rank() != 0)
    invalid_argument("Expected serialized to be a scalar, got shape: ", serialized.shape().text());
  if (name.rank() != 0) invalid_argument("Expected debug_name to be a scalar, got shape: ", name.shape().text());
  const std::size_t context_sparse = count(c, "Ncontext_sparse"), context_dense = count(c, "Ncontext_dense"),
                    list_sparse = count(c, "Nfeature_list_sparse"), list_dense = count(c, "Nfeature_list_dense");
  std::size_t at = 2;
  auto next = [&](std::size_t n) {
    const std::vector<std::string> keys = keys_at(c, at, n);
    at += n;
    return keys;
  };
  const Tensor none = strings({});
  const std::vector<std::string> a = next(context_sparse), b = next(context_dense), d = next(list_sparse),
                                 e = next(list_dense);
  std::vector<Tensor> inputs{serialized, name, strings(a),
                             strings(b), none, strings(d),
                             strings(e), none, assumed_empty(e, c.input(1).span<std::string>())};
  for (; at + 1 < c.num_inputs(); ++at) inputs.push_back(c.input(at));
  set_outputs(c, parse_sequences(c, std::move(inputs)), c.attr("feature_list_dense_types").types().size());
}

template <bool kBatch>
void infer_sequences(InferContext& c) {
  c.require_rank(0, kBatch ? 1 : 0);
  const Shape serialized = kBatch ? (c.shape(0).has_rank() ? c.shape(0) : Shape::of_rank(1)) : Shape();
  auto number = [&](std::string_view attr) { return static_cast<std::size_t>(c.attr(attr).i()); };
  auto agree = [&](std::string_view counted, std::size_t types, std::string_view listed) {
    if (number(counted) != types)
      invalid_argument(counted, " (", number(counted), ") must match the size of ", listed, " (", types, ")");
  };
  const std::vector<Shape>&context = c.attr("context_dense_shapes").shapes(),
        &lists = c.attr("feature_list_dense_shapes").shapes();
  agree("Ncontext_sparse", c.attr("context_sparse_types").types().size(), "context_sparse_types");
  agree("Ncontext_dense", c.attr("Tcontext_dense").types().size(), "Tcontext_dense");
  agree("Ncontext_dense", context.size(), "context_dense_shapes");
  agree("Nfeature_list_sparse", c.attr("feature_list_sparse_types").types().size(), "feature_list_sparse_types");
  agree("Nfeature_list_dense", c.attr("feature_list_dense_types").types().size(), "feature_list_dense_types");
  agree("Nfeature_list_dense", lists.size(), "feature_list_dense_shapes");
  std::size_t at = infer_sparse(c, 0, number("Ncontext_sparse"), kBatch ? 2 : 1);
  for (const Shape& shape : context) c.set_output(at++, dense_result(serialized, shape));
  at = infer_sparse(c, at, number("Nfeature_list_sparse"), kBatch ? 3 : 2);
  for (const Shape& shape : lists)
    c.set_output(at++, dense_result(dense_result(serialized, Shape({kUnknownDim})), shape));
  for (std::size_t d = 0; kBatch && d < lists.size(); ++d) c.set_output(at++, serialized);
}

}  // namespace

#define TRACEFN_FEATURES "list({float, int64, string}) >= 0"

void register_parse_examples_v1(Registry& r) {
  r.add({.name = "ParseExample",
         .inputs = {"serialized: string", "names: string", "sparse_keys: Nsparse * string",
                    "dense_keys: Ndense * string", "dense_defaults: Tdense"},
         .outputs = {"sparse_indices: Nsparse * int64", "sparse_values: sparse_types", "sparse_shapes: Nsparse * int64",
                     "dense_values: Tdense"},
         .attrs = {"Nsparse: int >= 0", "Ndense: int >= 0", "sparse_types: " TRACEFN_FEATURES,
                   "Tdense: " TRACEFN_FEATURES, "dense_shapes: list(shape) >= 0"},
         .doc = "The features of a vector of serialized tf.train.Example messages.",
         .infer = infer_example_v1,
         .kernel = parse_example_v1,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
  const std::vector<std::string_view> types = {
      "context_sparse_types: " TRACEFN_FEATURES " = []",      "Tcontext_dense: " TRACEFN_FEATURES " = []",
      "feature_list_dense_types: " TRACEFN_FEATURES " = []",  "context_dense_shapes: list(shape) >= 0 = []",
      "feature_list_sparse_types: " TRACEFN_FEATURES " = []", "feature_list_dense_shapes: list(shape) >= 0 = []"};
  const std::vector<std::string_view> counts = {"Ncontext_sparse: int >= 0 = 0", "Ncontext_dense: int >= 0 = 0",
                                                "Nfeature_list_sparse: int >= 0 = 0",
                                                "Nfeature_list_dense: int >= 0 = 0"};
  std::vector<std::string_view> of_batch = {
      "feature_list_dense_missing_assumed_empty: list(string) >= 0", "context_sparse_keys: list(string) >= 0",
      "context_dense_keys: list(string) >= 0", "feature_list_sparse_keys: list(string) >= 0",
      "feature_list_dense_keys: list(string) >= 0"};
  of_batch.insert(of_batch.end(), counts.begin(), counts.end());
  of_batch.insert(of_batch.end(), types.begin(), types.end());
  std::vector<std::string_view> of_one = counts;
  of_one.insert(of_one.end(), types.begin(), types.end());
  std::vector<std::string_view> outputs = {"context_sparse_indices: Ncontext_sparse * int64",
                                           "context_sparse_values: context_sparse_types",
                                           "context_sparse_shapes: Ncontext_sparse * int64",
                                           "context_dense_values: Tcontext_dense",
                                           "feature_list_sparse_indices: Nfeature_list_sparse * int64",
                                           "feature_list_sparse_values: feature_list_sparse_types",
                                           "feature_list_sparse_shapes: Nfeature_list_sparse * int64",
                                           "feature_list_dense_values: feature_list_dense_types"};
  r.add({.name = "ParseSingleSequenceExample",
         .inputs = {"serialized: string", "feature_list_dense_missing_assumed_empty: string",
                    "context_sparse_keys: Ncontext_sparse * string", "context_dense_keys: Ncontext_dense * string",
                    "feature_list_sparse_keys: Nfeature_list_sparse * string",
                    "feature_list_dense_keys: Nfeature_list_dense * string", "context_dense_defaults: Tcontext_dense",
                    "debug_name: string"},
         .outputs = outputs,
         .attrs = of_one,
         .doc = "The context and the feature lists of one serialized tf.train.SequenceExample message.",
         .infer = infer_sequences<false>,
         .kernel = parse_one,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
  outputs.push_back("feature_list_dense_lengths: Nfeature_list_dense * int64");
  r.add({.name = "ParseSequenceExample",
         .inputs = {"serialized: string", "debug_name: string", "context_dense_defaults: Tcontext_dense"},
         .outputs = outputs,
         .attrs = of_batch,
         .doc = "The context and the feature lists of a vector of serialized tf.train.SequenceExample messages.",
         .infer = infer_sequences<true>,
         .kernel = parse_batch,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
}

}  // namespace tracefn
