// Datasets with the elements of another, whose op only says how it should be run: options, thread pools, the optimizer.
// GetOptions.
#include <optional>

#include "data/dataset_ops.h"
#include "data/element_reader.h"
#include "data/iterator_context.h"
#include "wire/wire_reader.h"

namespace tracefn::data {
namespace {

class SameDataset final : public Dataset {
 public:
  SameDataset(std::string_view kind, ElementSpec spec, Ref<Dataset> input, std::string options = {})
      : Dataset(kind, std::move(spec), {std::move(input)}), options_(std::move(options)) {}
  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return input().make_iterator(context);
  }
  std::int64_t cardinality() const override { return input().cardinality(); }
  std::unique_ptr<ElementReader> make_reader(IteratorContext& context) const override {
    return input().make_reader(context);
  }
  std::string serialized_options() const override { return options_; }

 private:
  const std::string options_;
};

void same(KernelContext& c) {
  Ref<Dataset> input = dataset_input(c);
  ElementSpec spec = input->spec();
  // The op's name without "Dataset".
  const std::string_view name = c.op().name();
  set_dataset(c, make_ref<SameDataset>(name.substr(0, name.find("Dataset")), std::move(spec), std::move(input)));
}

void options(KernelContext& c) {
  Ref<Dataset> input = dataset_input(c);
  ElementSpec spec = input->spec();
  set_dataset(c, make_ref<SameDataset>("Options", std::move(spec), std::move(input), c.attr("serialized_options").s()));
}

void with_threads(KernelContext& c) {
  if (scalar_input<std::int64_t>(c, "num_threads") < 0) invalid_argument("`num_threads` must be greater or equal to 0");
  same(c);
}

void with_parallelism(KernelContext& c) {
  if (scalar_input<std::int64_t>(c, "max_intra_op_parallelism") < 0)
    invalid_argument("`max_intra_op_parallelism` must be greater than or equal to 0");
  same(c);
}

void get_options(KernelContext& c) { c.set_output(0, Tensor::scalar(merged_options(*dataset_in(c.input(0))))); }

}  // namespace

std::string merged_options(const Dataset& dataset) {
  std::string all;
  for (const Dataset* at = &dataset; at; at = at->inputs().empty() ? nullptr : &at->input())
    all.insert(0, at->serialized_options());
  return all;
}

IteratorContext::IteratorContext(const Dataset& root) {
  // Keys of fields: a number, and a message with two numbers.
  constexpr std::uint32_t kDeterministic = 1 << 3, kOptimization = 3 << 3 | 2;
  constexpr std::uint32_t kDefaults = 1 << 3, kJoinMapAndBatch = 9 << 3;
  const std::string options = merged_options(root);
  std::optional<bool> by_default, joins;
  for (WireReader reader(options); reader.next();) {
    if (reader.key() == kDeterministic) in_order_ = reader.number() != 0;
    if (reader.key() != kOptimization) continue;
    for (WireReader of = reader.message(); of.next();) {
      if (of.key() == kDefaults) by_default = of.number() != 0;
      if (of.key() == kJoinMapAndBatch) joins = of.number() != 0;
    }
  }
  joins_map_and_batch_ = joins.value_or(by_default.value_or(true));
}

void register_pass_through(Registry& r) {
  add_dataset(r, {.name = "OptionsDataset",
                  .inputs = {"input_dataset: variant"},
                  .attrs = {"serialized_options: string"},
                  .doc = "The same dataset, with options, serialized messages of TensorFlow's.",
                  .kernel = options});
  const DatasetRecord plain{.metadata = false};
  add_dataset(r,
              {.name = "FinalizeDataset",
               .inputs = {"input_dataset: variant"},
               .attrs = {"has_captured_ref: bool = false"},
               .doc = "The same dataset.",
               .kernel = same},
              plain);
  add_dataset(r,
              {.name = "ModelDataset",
               .inputs = {"input_dataset: variant"},
               .attrs = {"algorithm: int = 0", "cpu_budget: int = 0", "ram_budget: int = 0"},
               .doc = "The same dataset. What is tuned needs no model.",
               .kernel = same},
              plain);
  add_dataset(r,
              {.name = "OptimizeDataset",
               .inputs = {"input_dataset: variant", "optimizations: string"},
               .attrs = {"optimization_configs: list(string) = []"},
               .doc = "The same dataset.",
               .kernel = same},
              plain);
  add_dataset(r,
              {.name = "OptimizeDatasetV2",
               .inputs = {"input_dataset: variant", "optimizations_enabled: string", "optimizations_disabled: string",
                          "optimizations_default: string"},
               .attrs = {"optimization_configs: list(string) = []"},
               .doc = "The same dataset.",
               .kernel = same},
              plain);
  add_dataset(r,
              {.name = "PrivateThreadPoolDataset",
               .inputs = {"input_dataset: variant", "num_threads: int64"},
               .doc = "The same dataset. Its functions run on the threads that all datasets share.",
               .kernel = with_threads},
              plain);
  add_dataset(r,
              {.name = "MaxIntraOpParallelismDataset",
               .inputs = {"input_dataset: variant", "max_intra_op_parallelism: int64"},
               .doc = "The same dataset.",
               .kernel = with_parallelism},
              plain);
  r.add({.name = "GetOptions",
         .inputs = {"input_dataset: variant"},
         .outputs = {"serialized_options: string"},
         .doc = "The options of a dataset and of those that it is made of, merged.",
         .infer = infer::scalar,
         .kernel = get_options,
         .allocation = Allocation::kObjects,
         .grad = not_differentiable});
}

}  // namespace tracefn::data
