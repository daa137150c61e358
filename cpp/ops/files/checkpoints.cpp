// Ops that write and read checkpoints, and spell the names of their files.
#include <unistd.h>

#include <cstdio>
#include <set>

#include "base/files.h"
#include "ops/files/files.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/stored_variant.h"
#include "ops/without_gradient.h"
#include "wire/bundle/bundle_reader.h"
#include "wire/bundle/bundle_writer.h"
#include "wire/bundle/older_reader.h"
#include "wire/tensor_proto.h"

namespace tracefn {
namespace {

const std::string& prefix_of(const KernelContext& c) {
  const Tensor& prefix = c.input(0);
  if (prefix.num_elements() != 1)
    invalid_argument("Input prefix should have a single element, got ", prefix.num_elements(), " instead.");
  return prefix.item<std::string>();
}

void check_names(const KernelContext& c) {
  const Tensor &names = c.input(1), &specs = c.input(2);
  if (names.rank() != 1 || specs.rank() != 1)
    invalid_argument("Input tensor_names and shape_and_slices should be an 1-D tensors, got ", names.shape().text(),
                     " and ", specs.shape().text(), " instead.");
}

void require_equal_counts(std::int64_t dim, std::int64_t count) {
  if (dim >= 0 && dim != count) invalid_argument("Dimension must be ", count, " but is ", dim);
}

void infer_save(InferContext& c) {
  c.require_rank(0, 0);
  c.require_rank(1, 1);
  c.require_rank(2, 1);
  const auto tensors = static_cast<std::int64_t>(c.num_inputs()) - 3;
  require_equal_counts(dim_of(c.shape(1), 0), tensors);
  require_equal_counts(dim_of(c.shape(2), 0), tensors);
}

void save(KernelContext& c) {
  const std::string& prefix = prefix_of(c);
  check_names(c);
  const Tensor &names = c.input(1), &specs = c.input(2);
  const auto count = static_cast<std::int64_t>(c.num_inputs()) - 3;
  if (names.num_elements() != count)
    invalid_argument("Got ", names.num_elements(), " tensor names but ", count, " tensors");
  if (specs.num_elements() != count)
    invalid_argument("tensor_names and shape_and_slices have different number of elements: ", names.num_elements(),
                     " vs. ", specs.num_elements());
  BundleWriter writer(prefix, encode_variant);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string& name = names.data<std::string>()[i];
    const std::string& spec = specs.data<std::string>()[i];
    const Tensor& tensor = c.input(static_cast<std::size_t>(i) + 3);
    if (spec.empty()) {
      writer.add(name, tensor);
      continue;
    }
    const ShapeAndSlice parsed = parse_shape_and_slice(spec);
    if (!(parsed.part == tensor.shape()))
      invalid_argument("Slice in shape_and_slice specification does not match the shape of the tensor to  save: ", spec,
                       ", tensor: ", tensor.shape().text());
    writer.add_slice(name, parsed.whole, parsed.slice, tensor);
  }
  writer.finish();
}

void infer_restore(InferContext& c) {
  c.require_rank(0, 0);
  c.require_rank(1, 1);
  c.require_rank(2, 1);
  if (c.shape(1).has_rank() && c.shape(2).has_rank()) merge_or_explain(c.shape(1), c.shape(2));
  for (std::size_t i = 0; i < c.num_outputs(); ++i) c.set_output(i, Shape::unknown());
  const Tensor* specs = c.value(2);
  if (!specs) return;
  if (specs->num_elements() != static_cast<std::int64_t>(c.num_outputs()))
    invalid_argument("The number of shape_and_slice doesn't match tensor outputs.");
  for (std::size_t i = 0; i < c.num_outputs(); ++i)
    if (const std::string& spec = specs->data<std::string>()[i]; !spec.empty())
      c.set_output(i, parse_shape_and_slice(spec).part);
}

void check_stored_dtype(const std::string& name, DType expected, DType stored) {
  if (stored != expected)
    invalid_argument("tensor_name = ", name, "; expected dtype ", runtime_name(expected),
                     " does not equal original dtype ", runtime_name(stored));
}

// From the format that came before.
void restore_older(KernelContext& c, const std::string& pattern) {
  const std::vector<DType>& dtypes = c.attr("dtypes").types();
  std::vector<OlderRequest> requests;
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    const std::string& spec = c.input(2).data<std::string>()[i];
    requests.push_back({c.input(1).data<std::string>()[i], {}});
    if (!spec.empty()) requests.back().slice = parse_shape_and_slice(spec).slice;
  }
  std::vector<Tensor> tensors = read_older(pattern, requests);
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    check_stored_dtype(requests[i].name, dtypes[i], tensors[i].dtype());
    c.set_output(i, std::move(tensors[i]));
  }
}

void restore(KernelContext& c) {
  const std::string& prefix = prefix_of(c);
  check_names(c);
  const Tensor &names = c.input(1), &specs = c.input(2);
  const std::vector<DType>& dtypes = c.attr("dtypes").types();
  if (names.num_elements() != static_cast<std::int64_t>(dtypes.size()))
    invalid_argument("Got ", names.num_elements(), " tensor names, but ", dtypes.size(), " expected dtypes.");
  if (specs.num_elements() != names.num_elements())
    invalid_argument("Input tensor_names and shape_and_slices should have the same number of elements, got ",
                     names.num_elements(), " and ", specs.num_elements(), " instead.");
  if (::access(local_path(bundle_index_path(prefix)).c_str(), F_OK) != 0) return restore_older(c, prefix);
  BundleReader reader(prefix, decode_variant);
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    const std::string& name = names.data<std::string>()[i];
    const std::string& spec = specs.data<std::string>()[i];
    const BundleEntry& entry = reader.entry(name);
    check_stored_dtype(name, dtypes[i], read_dtype(entry.dtype));
    if (spec.empty()) {
      c.set_output(i, reader.read(name));
      continue;
    }
    const ShapeAndSlice parsed = parse_shape_and_slice(spec);
    if (!(parsed.whole == entry.shape))
      invalid_argument("tensor_name = ", name, "; shape in shape_and_slice spec ", parsed.whole.text(),
                       " does not match the shape stored in checkpoint: ", entry.shape.text());
    c.set_output(i, reader.read_slice(name, parsed.slice));
  }
}

void infer_merge(InferContext& c) {
  c.require_rank(0, 1);
  c.require_rank(1, 0);
}

void merge(KernelContext& c) {
  if (c.input(0).rank() != 1)
    invalid_argument("Input checkpoint_prefixes should be an 1-D tensor, got ", c.input(0).shape().text(), " instead.");
  if (c.input(1).rank() != 0)
    invalid_argument("Input destination_prefix should be a scalar tensor, got ", c.input(1).shape().text(),
                     " instead.");
  const auto prefixes = c.input(0).span<std::string>();
  merge_bundles({prefixes.begin(), prefixes.end()}, c.input(1).item<std::string>(), c.attr("allow_missing_files").b());
  if (!c.attr("delete_old_dirs").b()) return;
  std::set<std::string> folders;
  for (const std::string& prefix : prefixes)
    if (const std::size_t slash = prefix.rfind('/'); slash != std::string::npos && slash > 0)
      folders.insert(local_path(prefix.substr(0, slash)));
  for (const std::string& folder : folders) ::rmdir(folder.c_str());  // stays if anything is in it
}

void scalars(InferContext& c) {
  for (std::size_t i = 0; i < c.num_inputs(); ++i) c.require_rank(i, 0);
  c.set_output(0, Shape());
}

void check_scalars(const KernelContext& c) {
  for (std::size_t i = 0; i < c.num_inputs(); ++i)
    if (c.input(i).rank() != 0)
      invalid_argument(c.op().signature.inputs[i].name, " must be a scalar, got shape ", c.input(i).shape().text());
}

template <typename... Numbers>
std::string formatted(const char* format, Numbers... numbers) {
  char text[64];
  std::snprintf(text, sizeof text, format, numbers...);
  return text;
}

void sharded_filename(KernelContext& c) {
  *c.output(0).mutable_data<std::string>() =
      c.input(0).item<std::string>() +
      formatted("-%05d-of-%05d", c.input(1).item<std::int32_t>(), c.input(2).item<std::int32_t>());
}

void sharded_filespec(KernelContext& c) {
  *c.output(0).mutable_data<std::string>() =
      c.input(0).item<std::string>() + "-\?\?\?\?\?" + formatted("-of-%05d", c.input(1).item<std::int32_t>());
}

}  // namespace

void register_checkpoints(Registry& r) {
  r.add({.name = "SaveV2",
         .inputs = {"prefix: string", "tensor_names: string", "shape_and_slices: string", "tensors: dtypes"},
         .attrs = {"dtypes: list(type) >= 1"},
         .stateful = true,
         .doc = "Writes tensors as a checkpoint.\n\n`prefix` is a scalar string, with which the paths of the files "
                "begin; `tensor_names` names each tensor; `shape_and_slices` says of each that it is whole (''), or "
                "which part it is of a tensor of which shape ('10 4 0,5:-').",
         .infer = infer_save,
         .kernel = save,
         .grad = without_gradient});
  r.add({.name = "RestoreV2",
         .inputs = {"prefix: string", "tensor_names: string", "shape_and_slices: string"},
         .outputs = {"tensors: dtypes"},
         .attrs = {"dtypes: list(type) >= 1"},
         .stateful = true,
         .doc = "Tensors of a checkpoint, by name, whole or in parts, as SaveV2 spells them.\n\nRaises NotFoundError "
                "if there is no checkpoint, or no tensor of a name in it, InvalidArgumentError if a dtype or a shape "
                "is another one, DataLossError if the files are damaged.",
         .infer = infer_restore,
         .kernel = restore,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
  r.add({.name = "MergeV2Checkpoints",
         .inputs = {"checkpoint_prefixes: string", "destination_prefix: string"},
         .attrs = {"delete_old_dirs: bool = true", "allow_missing_files: bool = false"},
         .stateful = true,
         .doc = "Makes one checkpoint of several: renames their data files and writes a common index.",
         .infer = infer_merge,
         .kernel = merge,
         .grad = without_gradient});
  r.add({.name = "ShardedFilename",
         .inputs = {"basename: string", "shard: int32", "num_shards: int32"},
         .outputs = {"filename: string"},
         .doc = "The name of one of several files: 'base-00001-of-00003'.\n\nAll arguments are scalars.",
         .infer = scalars,
         .check = check_scalars,
         .kernel = sharded_filename,
         .grad = without_gradient});
  r.add({.name = "ShardedFilespec",
         .inputs = {"basename: string", "num_shards: int32"},
         .outputs = {"filename: string"},
         .doc = "The pattern of the names of several files: base-\?\?\?\?\?-of-00003.\n\nBoth arguments are scalars.",
         .infer = scalars,
         .check = check_scalars,
         .kernel = sharded_filespec,
         .grad = without_gradient});
}

}  // namespace tracefn
