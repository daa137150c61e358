// Inputs and records of dataset ops.
#include "data/dataset_ops.h"

#include <algorithm>

#include "base/check.h"
#include "data/fingerprint.h"
#include "ops/families.h"

namespace tracefn::data {
namespace {

std::size_t length_of(const ArgDef& arg, const KernelContext& c) {
  if (!arg.number_attr.empty()) return static_cast<std::size_t>(c.attr(arg.number_attr).i());
  if (!arg.type_list_attr.empty()) return c.attr(arg.type_list_attr).types().size();
  return 1;
}

class Deleter final : public VariantObject {
 public:
  std::string type_name() const override { return "ResourceDeleter"; }
  Ref<VariantObject> zeros_like() const override { invalid_argument("A deleter has no zeros."); }
  Ref<VariantObject> add(const VariantObject&) const override { invalid_argument("Deleters cannot be added."); }
};

// These have an older name, too: "ExperimentalMapDataset". It takes no metadata.
constexpr std::string_view kOnceExperimental[] = {
    "CSVDataset",
    "DenseToSparseBatchDataset",
    "GroupByReducerDataset",
    "GroupByWindowDataset",
    "IgnoreErrorsDataset",
    "MapAndBatchDataset",
    "MapDataset",
    "MatchingFilesDataset",
    "PrivateThreadPoolDataset",
    "MaxIntraOpParallelismDataset",
    "ParallelInterleaveDataset",
    "RandomDataset",
    "TakeWhileDataset",
    "UnbatchDataset",
    "UniqueDataset",
};

struct Range {
  std::size_t first, count;
};
Range range_of(const KernelContext& c, std::string_view name) {
  std::size_t first = 0;
  for (const ArgDef& arg : c.op().signature.inputs) {
    const std::size_t count = length_of(arg, c);
    if (arg.name == name) return {first, count};
    first += count;
  }
  fail(ErrorKind::kInternal, c.op().name(), " has no input ", name);
}

}  // namespace

std::size_t input_index(const KernelContext& c, std::string_view name) { return range_of(c, name).first; }

const Tensor& input_named(const KernelContext& c, std::string_view name) { return c.input(input_index(c, name)); }

std::vector<Tensor> list_input(const KernelContext& c, std::string_view name) {
  const Range range = range_of(c, name);
  std::vector<Tensor> out;
  for (std::size_t i = 0; i < range.count; ++i) out.push_back(c.input(range.first + i));
  return out;
}

Ref<Dataset> dataset_in(const Tensor& variant) {
  if (variant.dtype() != DType::kVariant || variant.rank() != 0)
    invalid_argument("Dataset tensor must be a scalar of dtype DT_VARIANT.");
  auto* dataset = dynamic_cast<Dataset*>(variant.object().get());
  if (!dataset) invalid_argument("Tensor must be a Dataset object.");
  return Ref<Dataset>(dataset);
}

Ref<Dataset> dataset_input(const KernelContext& c, std::string_view name) { return dataset_in(input_named(c, name)); }

ElementSpec spec_attrs(const KernelContext& c) {
  ElementSpec spec{c.attr("output_types").types(), c.attr("output_shapes").shapes()};
  if (spec.dtypes.size() != spec.shapes.size())
    invalid_argument("output_types and output_shapes must be same length, got:\noutput_types: ", spec.dtypes.size(),
                     "\noutput_shapes: ", spec.shapes.size());
  return spec;
}

Ref<VariantObject> make_deleter() { return make_ref<Deleter>(); }

InOrder order_attr(const KernelContext& c) {
  const std::string& text = c.attr("deterministic").s();
  if (text != "true" && text != "false" && text != "default")
    invalid_argument("Invalid value for `deterministic` attribute: ", text);
  return text == "true" ? InOrder::kYes : text == "false" ? InOrder::kNo : InOrder::kDefault;
}

void set_dataset(KernelContext& c, Ref<Dataset> dataset) {
  dataset->set_recipe(std::make_shared<const Recipe>(c));
  c.set_output(0, Tensor::handle(DType::kVariant, std::move(dataset)));
}

void add_dataset(Registry& r, OpRecord record, DatasetRecord options) {
  record.outputs = {options.output};
  if (options.types) {
    record.attrs.push_back("output_types: list(type) >= 1");
    record.attrs.push_back("output_shapes: list(shape) >= 1");
  }
  if (!record.infer) record.infer = infer::scalar;
  record.facts.keeps_functions = true;
  record.allocation = Allocation::kObjects;
  record.grad = not_differentiable;
  if (std::find(std::begin(kOnceExperimental), std::end(kOnceExperimental), record.name) !=
      std::end(kOnceExperimental)) {
    OpRecord older = record;
    const std::string name = concat("Experimental", record.name);
    older.name = name;
    r.add(older);
  }
  if (options.metadata) record.attrs.push_back("metadata: string = ''");
  r.add(record);
}

}  // namespace tracefn::data

namespace tracefn {

void register_data_families(Registry& r) {
  using namespace data;
  register_iterators(r);
  register_range(r);
  register_tensors(r);
  register_map(r);
  register_parallel_map(r);
  register_batch(r);
  register_repeat(r);
  register_take_skip(r);
  register_zip(r);
  register_concatenate(r);
  register_prefetch(r);
  register_filter(r);
  register_flat_map(r);
  register_reduce(r);
  register_pass_through(r);
  register_seed_generators(r);
  register_shuffle_dataset(r);
  register_shard(r);
  register_generator(r);
  register_scan_dataset(r);
  register_window_dataset(r);
  register_element_list(r);
  register_unbatch(r);
  register_padded_batch(r);
  register_interleave(r);
  register_cache(r);
  register_grouping(r);
  register_random_dataset(r);
  register_directed_interleave(r);
  register_checking(r);
  register_readers(r);
  register_sparse_datasets(r);
  register_saving(r);
  register_fingerprint(r);
  register_element_reader(r);
  register_global_shuffle(r);
  register_index_flat_map(r);
  register_csv_dataset(r);
  register_parse_example_dataset(r);
}

}  // namespace tracefn
