// What the kernels of dataset ops share: their inputs, and their records.
#pragma once

#include <span>
#include <string_view>

#include "data/dataset.h"
#include "data/iterator_context.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"

namespace tracefn::data {

// The first tensor of the input of that name, whatever lists stand before it.
std::size_t input_index(const KernelContext& c, std::string_view name);
const Tensor& input_named(const KernelContext& c, std::string_view name);
// The tensors of an input that is a list.
std::vector<Tensor> list_input(const KernelContext& c, std::string_view name);
// The dataset in a scalar variant. Error(kInvalidArgument) if it holds none.
Ref<Dataset> dataset_in(const Tensor& variant);
Ref<Dataset> dataset_input(const KernelContext& c, std::string_view name = "input_dataset");

// Scalar and vector inputs. Error(kInvalidArgument, "count must be a scalar").
template <typename T>
const T& scalar_input(const KernelContext& c, std::string_view name) {
  const Tensor& t = input_named(c, name);
  if (t.rank() != 0) invalid_argument(name, " must be a scalar");
  return t.item<T>();
}
template <typename T>
std::vector<T> vector_input(const KernelContext& c, std::string_view name) {
  const Tensor& t = input_named(c, name);
  if (t.rank() > 1) invalid_argument(name, " must be a vector");
  return std::vector<T>(t.span<T>().begin(), t.span<T>().end());
}

// The attributes output_types and output_shapes. Error(kInvalidArgument) if they differ in number.
ElementSpec spec_attrs(const KernelContext& c);
// The attribute `deterministic`: "true", "false" or "default". Error(kInvalidArgument) otherwise.
InOrder order_attr(const KernelContext& c);
inline InOrder order_of(bool sloppy) { return sloppy ? InOrder::kNo : InOrder::kYes; }
// The serialized options of a dataset and those that it is made of: messages that follow each other are merged.
std::string merged_options(const Dataset& dataset);
// What a `deleter` output holds. It frees nothing: what the handle names lives as long as its handles.
Ref<VariantObject> make_deleter();
// Datasets made of others, for ops that do two things at once.
Ref<Dataset> parallel_map_of(const KernelContext& c, ElementSpec spec, std::int64_t num_parallel_calls);
Ref<Dataset> batch_of(Ref<Dataset> input, std::int64_t batch_size, bool drop_remainder);
void set_dataset(KernelContext& c, Ref<Dataset> dataset);

// Adds a record of an op that makes a dataset: its output, the attributes output_types, output_shapes and metadata if
// `options` says so, and what such records have in common.
struct DatasetRecord {
  bool types = true;
  bool metadata = true;
  std::string_view output = "handle: variant";
};
void add_dataset(Registry& r, OpRecord record, DatasetRecord options = {});

// The families.
void register_iterators(Registry& r);
void register_range(Registry& r);
void register_tensors(Registry& r);
void register_map(Registry& r);
void register_parallel_map(Registry& r);
void register_batch(Registry& r);
void register_repeat(Registry& r);
void register_take_skip(Registry& r);
void register_zip(Registry& r);
void register_concatenate(Registry& r);
void register_prefetch(Registry& r);
void register_filter(Registry& r);
void register_flat_map(Registry& r);
void register_reduce(Registry& r);
void register_pass_through(Registry& r);
void register_seed_generators(Registry& r);
void register_shuffle_dataset(Registry& r);
void register_shard(Registry& r);
void register_generator(Registry& r);
void register_scan_dataset(Registry& r);
void register_window_dataset(Registry& r);
void register_element_list(Registry& r);
void register_unbatch(Registry& r);
void register_padded_batch(Registry& r);
void register_interleave(Registry& r);
void register_cache(Registry& r);
void register_grouping(Registry& r);
void register_random_dataset(Registry& r);
void register_directed_interleave(Registry& r);
void register_checking(Registry& r);
void register_readers(Registry& r);
void register_sparse_datasets(Registry& r);
void register_saving(Registry& r);
void register_fingerprint(Registry& r);
void register_element_reader(Registry& r);
void register_global_shuffle(Registry& r);
void register_index_flat_map(Registry& r);
void register_csv_dataset(Registry& r);
void register_parse_example_dataset(Registry& r);

// The kernel of ops that delete what lives as long as its handles.
inline void do_nothing(KernelContext&) {}

}  // namespace tracefn::data
