// Lookup tables: handles, lookups, changes.
#include "base/poll.h"
#include "ops/infer.h"
#include "ops/lookup/table.h"
#include "ops/no_kernel.h"
#include "ops/state/effect_records.h"

namespace tracefn {
namespace {

LookupTable& table_input(KernelContext& c) {
  const Tensor& handle = c.input(0);
  auto* table = handle.rank() == 0 ? dynamic_cast<LookupTable*>(handle.object().get()) : nullptr;
  if (!table)
    invalid_argument("Trying to access a handle's resource using the wrong type: the resource given to ", c.op().name(),
                     " is not a lookup table.");
  return *table;
}

// What the op was given beside the table, and gives back, must have the dtypes of the table.
LookupTable& checked_table(KernelContext& c, bool has_values, bool gives_values) {
  LookupTable& table = table_input(c);
  auto signature = [&](DType key, DType value) {
    return concat("resource, ", runtime_name(key), has_values ? concat(", ", runtime_name(value)) : "", "->",
                  gives_values ? runtime_name(value) : "");
  };
  const DType key = c.input(1).dtype(), value = has_values ? c.input(2).dtype() : table.value_dtype();
  if (key != table.key_dtype() || value != table.value_dtype())
    invalid_argument("Signature mismatch, have: ", signature(key, value),
                     " expected: ", signature(table.key_dtype(), table.value_dtype()));
  return table;
}

template <typename Make>
void make_handle(KernelContext& c, Make&& make) {
  Ref<RefCounted>& state = c.state();
  if (!state) {
    const int shared = c.op().signature.attr_index("shared_name");
    std::string name = shared >= 0 ? c.attr("shared_name").s() : "";
    if (name.empty()) name = std::string(c.node_name_);
    Ref<LookupTable> table = make(std::move(name), c.attr("value_dtype").type());
    if (!table) no_kernel();
    state = table;
  }
  c.set_output(0, Tensor::handle(DType::kResource, state));
}

Shape value_shape(const KernelContext& c) {
  if (c.op().signature.attr_index("value_shape") < 0) return Shape();
  const Shape& shape = c.attr("value_shape").shape();
  if (!shape.is_fully_known()) invalid_argument("Shape ", shape.text(), " is not fully defined");
  if (c.op().signature.attr_index("initial_num_buckets") < 0 && shape.rank() != 1)
    invalid_argument("Default value must be a vector, got shape ", shape.text());
  return shape;
}

template <bool kFilledOnce>
void hash_table(KernelContext& c) {
  make_handle(c, [&](std::string name, DType value) {
    return make_hash_table(std::move(name), c.attr("key_dtype").type(), value, value_shape(c), kFilledOnce);
  });
}
void dense_table(KernelContext& c) {
  make_handle(c, [&](std::string name, DType value) {
    return make_dense_table(std::move(name), c.input(0), c.input(1), value, value_shape(c),
                            c.attr("initial_num_buckets").i(), c.attr("max_load_factor").f());
  });
}

// The handle's shape is that of a value, if keys are scalars.
void infer_table(InferContext& c) {
  OutputInfo& out = c.output(0);
  out.shape = Shape();
  const bool has_shape = c.op().attr_index("value_shape") >= 0;
  const bool scalar_keys = c.num_inputs() == 0 || c.shape(0).is_scalar();
  out.handle_shape = !scalar_keys ? Shape::unknown() : has_shape ? c.attr("value_shape").shape() : Shape();
}

void find(KernelContext& c) { c.set_output(0, checked_table(c, true, true).find(c.input(1), c.input(2))); }
void infer_find(InferContext& c) {
  c.require_rank(0, 0);
  const InferContext::Input& handle = c.input(0);
  Shape value = handle.info ? handle.info->handle_shape : Shape::unknown();
  const auto* table = handle.value ? dynamic_cast<const LookupTable*>(handle.value->object().get()) : nullptr;
  if (table) value = table->key_shape().rank() == 0 ? table->value_shape() : Shape::unknown();
  if (!value.has_rank() || !c.shape(1).has_rank()) return c.set_output(0, Shape::unknown());
  Shape out = c.shape(1);
  for (std::int64_t size : value.dims()) out.push_back(size);
  c.set_output(0, std::move(out));
}

void insert_rows(KernelContext& c) { checked_table(c, true, false).insert(c.input(1), c.input(2)); }
void remove(KernelContext& c) { checked_table(c, false, false).remove(c.input(1)); }
void import_all(KernelContext& c) { checked_table(c, true, false).import_all(c.input(1), c.input(2)); }
void table_size(KernelContext& c) { *c.output(0).mutable_data<std::int64_t>() = table_input(c).size(); }

void export_all(KernelContext& c) {
  LookupTable& table = table_input(c);
  const DType key = c.attr("Tkeys").type(), value = c.attr("Tvalues").type();
  if (key != table.key_dtype() || value != table.value_dtype())
    invalid_argument("Signature mismatch, have: resource->", runtime_name(key), ", ", runtime_name(value),
                     " expected: resource->", runtime_name(table.key_dtype()), ", ", runtime_name(table.value_dtype()));
  Tensor keys, values;
  table.export_all(keys, values);
  c.set_output(0, std::move(keys));
  c.set_output(1, std::move(values));
}

void initialize(KernelContext& c) {
  LookupTable& table = checked_table(c, true, false);
  const Tensor& keys = c.input(1);
  const Tensor& values = c.input(2);
  if (keys.rank() != 1) invalid_argument("Keys must be a vector, but received shape", keys.shape().text());
  if (values.rank() != 1) invalid_argument("Values must be a vector, but received shape", values.shape().text());
  if (keys.num_elements() != values.num_elements())
    invalid_argument("Keys and values must have the same size ", keys.num_elements(), " vs ", values.num_elements());
  table.initialize(keys, values);
}

void initialize_from_text(KernelContext& c) {
  LookupTable& table = table_input(c);
  const std::string& delimiter = c.attr("delimiter").s();
  if (delimiter.size() != 1) invalid_argument("delimiter should be only 1 char");
  const Tensor& path = c.input(1);
  if (path.num_elements() != 1) invalid_argument("filename should be a single string, but got ", path.shape().text());
  initialize_from_file(table, path.item<std::string>(),
                       {c.attr("key_index").i(), c.attr("value_index").i(), c.attr("vocab_size").i(), delimiter[0],
                        c.attr("offset").i()});
}

void infer_export(InferContext& c) {
  c.set_output(0, Shape::unknown());
  c.set_output(1, Shape::unknown());
}

OpRecord maker(std::string_view name, std::vector<std::string_view> attrs, KernelFn kernel, std::string_view doc) {
  return {.name = name,
          .outputs = {"table_handle: resource"},
          .attrs = std::move(attrs),
          .stateful = true,
          .doc = doc,
          .infer = infer_table,
          .kernel = kernel,
          .allocation = Allocation::kObjects,
          .grad = not_differentiable};
}

// A maker and its anonymous form, which has no names.
void add_makers(Registry& r, OpRecord named, std::string_view anonymous) {
  static constexpr std::string_view kNames[] = {"container: string = ''", "shared_name: string = ''",
                                                "use_node_name_sharing: bool = false"};
  OpRecord without_name = named;
  without_name.name = anonymous;
  named.attrs.insert(named.attrs.begin(), std::begin(kNames), std::end(kNames));
  r.add(std::move(named));
  r.add(std::move(without_name));
}

void register_makers(Registry& r) {
  add_makers(
      r,
      maker("HashTableV2", {"key_dtype: type", "value_dtype: type"}, hash_table<true>, "A table that is filled once."),
      "AnonymousHashTable");
  add_makers(r,
             maker("MutableHashTableV2", {"key_dtype: type", "value_dtype: type"}, hash_table<false>,
                   "A table that may change, with scalar values."),
             "AnonymousMutableHashTable");
  add_makers(r,
             maker("MutableHashTableOfTensorsV2", {"key_dtype: type", "value_dtype: type", "value_shape: shape = []"},
                   hash_table<false>, "A table that may change, whose values are vectors."),
             "AnonymousMutableHashTableOfTensors");
  OpRecord dense =
      maker("MutableDenseHashTableV2",
            {"key_dtype: type", "value_dtype: type", "value_shape: shape = []", "initial_num_buckets: int = 131072",
             "max_load_factor: float = 0.8"},
            dense_table, "A table that may change, in two arrays. `empty_key` and `deleted_key` are no keys.");
  dense.inputs = {"empty_key: key_dtype", "deleted_key: key_dtype"};
  add_makers(r, std::move(dense), "AnonymousMutableDenseHashTable");
}

}  // namespace

void register_lookup(Registry& r) {
  register_makers(r);
  OpRecord change{.name = "LookupTableInsertV2",
                  .inputs = {"table_handle: resource", "keys: Tin", "values: Tout"},
                  .attrs = {"Tin: type", "Tout: type"},
                  .stateful = true,
                  .doc = "Sets the values of keys.",
                  .infer = infer::nothing,
                  .kernel = insert_rows,
                  .grad = not_differentiable};
  r.add(change);
  change.name = "LookupTableImportV2";
  change.doc = "Replaces the contents of a table.";
  change.kernel = import_all;
  r.add(change);
  change.name = "LookupTableRemoveV2";
  change.inputs.pop_back();
  change.attrs.pop_back();
  change.doc = "Removes keys; those that are not there are ignored.";
  change.kernel = remove;
  r.add(change);
  r.add({.name = "LookupTableFindV2",
         .inputs = {"table_handle: resource", "keys: Tin", "default_value: Tout"},
         .outputs = {"values: Tout"},
         .attrs = {"Tin: type", "Tout: type"},
         .stateful = true,
         .doc = "The values of keys, and `default_value` where there are none.",
         .infer = infer_find,
         .kernel = find,
         .allocation = Allocation::kObjects,
         .grad = not_differentiable});
  r.add({.name = "LookupTableSizeV2",
         .inputs = {"table_handle: resource"},
         .outputs = {"size: int64"},
         .stateful = true,
         .doc = "The number of keys.",
         .infer = infer::scalar,
         .kernel = table_size,
         .grad = not_differentiable});
  r.add({.name = "LookupTableExportV2",
         .inputs = {"table_handle: resource"},
         .outputs = {"keys: Tkeys", "values: Tvalues"},
         .attrs = {"Tkeys: type", "Tvalues: type"},
         .stateful = true,
         .doc = "All keys and their values.",
         .infer = infer_export,
         .kernel = export_all,
         .allocation = Allocation::kObjects,
         .grad = not_differentiable});
  r.add({.name = "InitializeTableV2",
         .inputs = {"table_handle: resource", "keys: Tkey", "values: Tval"},
         .attrs = {"Tkey: type", "Tval: type"},
         .stateful = true,
         .doc = "Fills a table from two vectors.",
         .infer = infer::nothing,
         .kernel = initialize,
         .grad = not_differentiable});
  r.add({.name = "InitializeTableFromTextFileV2",
         .inputs = {"table_handle: resource", "filename: string"},
         .attrs = {"key_index: int >= -2", "value_index: int >= -2", "vocab_size: int >= -1 = -1",
                   "delimiter: string = '\t'", "offset: int = 0"},
         .stateful = true,
         .doc = "Fills a table from the lines of a file. An index of -1 is the number of the line, -2 the whole line, "
                "others are fields between delimiters.",
         .infer = infer::nothing,
         .kernel = initialize_from_text,
         .grad = not_differentiable});
}

}  // namespace tracefn
