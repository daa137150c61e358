// ParseExampleDataset and its version 2: batches of serialized tf.train.Examples as tensors, by the sorted names of
// their features.
#include <algorithm>
#include <map>

#include "data/dataset_ops.h"
#include "data/op_call.h"

namespace tracefn::data {
namespace {

// What ParseExampleV2 is asked for.
struct Features {
  std::vector<std::string> sparse, dense, ragged;
  std::vector<DType> sparse_types, dense_types, ragged_types, split_types;
  std::vector<Shape> dense_shapes;
  std::vector<Tensor> defaults;
};

Tensor strings(const std::vector<std::string>& texts) {
  Tensor t(DType::kString, Shape({static_cast<std::int64_t>(texts.size())}));
  std::copy(texts.begin(), texts.end(), t.mutable_data<std::string>());
  return t;
}

class ParseExampleIterator final : public Iterator {
 public:
  ParseExampleIterator(std::unique_ptr<Iterator> input, const Features& features)
      : input_(std::move(input)),
        features_(features),
        parse_("ParseExampleV2", {{"Tdense", features.dense_types},
                                  {"num_sparse", static_cast<std::int64_t>(features.sparse.size())},
                                  {"sparse_types", features.sparse_types},
                                  {"ragged_value_types", features.ragged_types},
                                  {"ragged_split_types", features.split_types},
                                  {"dense_shapes", features.dense_shapes}}) {
    for (DType dtype : features.sparse_types)
      serialize_.push_back(OpCall("SerializeSparse", {{"T", dtype}, {"out_type", DType::kVariant}}));
    for (std::size_t i = 0; i < features.ragged.size(); ++i)
      encode_.push_back(OpCall("RaggedTensorToVariant", {{"RAGGED_RANK", 1},
                                                         {"Tvalues", features.ragged_types[i]},
                                                         {"Tsplits", features.split_types[i]},
                                                         {"batched_input", false}}));
  }

  bool next(Element& out) override {
    Element batch;
    if (!input_->next(batch)) return false;
    out = parsed(std::move(batch[0]));
    return true;
  }
  void save(StateWriter& state) override { input_->save(state); }
  void restore(StateReader& state) override { input_->restore(state); }

 private:
  Element parsed(Tensor serialized) const {
    const Features& f = features_;
    std::vector<Tensor> inputs{std::move(serialized), strings({}), strings(f.sparse), strings(f.dense),
                               strings(f.ragged)};
    inputs.insert(inputs.end(), f.defaults.begin(), f.defaults.end());
    const std::vector<Tensor> found = parse_(std::move(inputs));
    // Indices, values and shapes of the sparse ones; the dense ones; values and splits of the ragged ones.
    const std::size_t sparse = f.sparse.size(), dense = f.dense.size(), ragged = f.ragged.size();
    std::map<std::string, Tensor> by_name;
    for (std::size_t i = 0; i < sparse; ++i)
      by_name[f.sparse[i]] = serialize_[i]({found[i], found[sparse + i], found[2 * sparse + i]})[0];
    for (std::size_t i = 0; i < dense; ++i) by_name[f.dense[i]] = found[3 * sparse + i];
    const std::size_t values = 3 * sparse + dense;
    for (std::size_t i = 0; i < ragged; ++i)
      by_name[f.ragged[i]] = encode_[i]({found[values + ragged + i], found[values + i]})[0];
    Element out;
    for (auto& [name, tensor] : by_name) out.push_back(std::move(tensor));
    return out;
  }

  const std::unique_ptr<Iterator> input_;
  const Features features_;
  const OpCall parse_;
  std::vector<OpCall> serialize_, encode_;
};

class ParseExampleDataset final : public Dataset {
 public:
  ParseExampleDataset(ElementSpec spec, Ref<Dataset> input, Features features)
      : Dataset("ParseExample", std::move(spec), {std::move(input)}), features_(std::move(features)) {}
  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<ParseExampleIterator>(input().make_iterator(context), features_);
  }
  std::int64_t cardinality() const override { return input().cardinality(); }

 private:
  const Features features_;
};

void require_as_many(std::string_view keys, std::size_t n, std::string_view what, std::size_t expected) {
  if (n != expected) invalid_argument("Expected len(", keys, ") == len(", what, ") but got: ", n, " vs. ", expected);
}

void parse_example(KernelContext& c) {
  Ref<Dataset> input = dataset_input(c);
  const ElementSpec& elements = input->spec();
  if (elements.dtypes.size() != 1 || elements.dtypes[0] != DType::kString ||
      (elements.shapes[0].has_rank() && elements.shapes[0].rank() != 1))
    invalid_argument("Input dataset must be a dataset of vectors of strings");
  if (const auto parallel = scalar_input<std::int64_t>(c, "num_parallel_calls"); parallel <= 0 && parallel != -1)
    invalid_argument("num_parallel_calls must be greater than zero.");
  Features f{
      c.attr("sparse_keys").strings(),      c.attr("dense_keys").strings(),  c.attr("ragged_keys").strings(),
      c.attr("sparse_types").types(),       c.attr("Tdense").types(),        c.attr("ragged_value_types").types(),
      c.attr("ragged_split_types").types(), c.attr("dense_shapes").shapes(), list_input(c, "dense_defaults")};
  require_as_many("dense_keys", f.dense.size(), "dense_types", f.dense_types.size());
  require_as_many("dense_keys", f.dense.size(), "dense_shapes", f.dense_shapes.size());
  require_as_many("sparse_keys", f.sparse.size(), "sparse_types", f.sparse_types.size());
  require_as_many("ragged_keys", f.ragged.size(), "ragged_value_types", f.ragged_types.size());
  require_as_many("ragged_keys", f.ragged.size(), "ragged_split_types", f.split_types.size());
  ElementSpec spec = spec_attrs(c);
  require_as_many("keys", f.dense.size() + f.sparse.size() + f.ragged.size(), "output_types", spec.dtypes.size());
  set_dataset(c, make_ref<ParseExampleDataset>(std::move(spec), std::move(input), std::move(f)));
}

void parse_example_v2(KernelContext& c) {
  order_attr(c);
  parse_example(c);
}

}  // namespace

void register_parse_example_dataset(Registry& r) {
  const DatasetRecord plain{.types = false, .metadata = false};
  for (bool version_2 : {false, true})
    add_dataset(
        r,
        {.name = version_2 ? "ParseExampleDatasetV2" : "ParseExampleDataset",
         .inputs = {"input_dataset: variant", "num_parallel_calls: int64", "dense_defaults: Tdense"},
         .attrs = {"sparse_keys: list(string) >= 0", "dense_keys: list(string) >= 0",
                   "sparse_types: list({float, int64, string}) >= 0", "Tdense: list({float, int64, string}) >= 0",
                   "dense_shapes: list(shape) >= 0", "output_types: list(type) >= 1", "output_shapes: list(shape) >= 1",
                   version_2 ? "deterministic: string = 'default'" : "sloppy: bool = false",
                   "ragged_keys: list(string) >= 0 = []", "ragged_value_types: list({float, int64, string}) >= 0 = []",
                   "ragged_split_types: list({int32, int64}) >= 0 = []"},
         .doc = "A dataset of the features in batches of serialized tf.train.Examples, by their sorted names. "
                "Sparse and ragged ones are variants.",
         .kernel = version_2 ? parse_example_v2 : parse_example},
        plain);
}

}  // namespace tracefn::data
