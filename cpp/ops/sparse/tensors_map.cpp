// AddSparseToTensorsMap, AddManySparseToTensorsMap, TakeManySparseFromTensorsMap: sparse tensors in a map of the
// process, by numbers. Maps are found by their names; each is guarded by the one lock of all.
#include <map>
#include <mutex>
#include <unordered_map>

#include "ops/gradient.h"
#include "ops/registry.h"
#include "ops/sparse/serialized.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

struct SparseMap {
  std::int64_t next = 0;
  std::unordered_map<std::int64_t, SparseValue> held;
};

class SparseMaps {
 public:
  std::int64_t add(const std::string& name, SparseValue value) {
    std::lock_guard lock(mutex_);
    SparseMap& map = maps_[name];
    map.held.emplace(map.next, std::move(value));
    return map.next++;
  }
  SparseValue take(const std::string& name, std::int64_t number) {
    std::lock_guard lock(mutex_);
    SparseMap& map = maps_[name];
    const auto found = map.held.find(number);
    if (found == map.held.end())
      invalid_argument("Unable to find SparseTensor: ", number, " in map: ", name.substr(name.find('/') + 1));
    SparseValue value = std::move(found->second);
    map.held.erase(found);
    return value;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, SparseMap> maps_;
};

// Never freed: ops may run until the process ends.
SparseMaps& maps() {
  static auto* all = new SparseMaps;
  return *all;
}

std::string map_name(const KernelContext& c) {
  const std::string& shared = c.attr("shared_name").s();
  return concat(c.attr("container").s(), "/", shared.empty() ? std::string(c.node_name_) : shared);
}

void add_one(KernelContext& c) {
  const SparseParts s(c, 0);
  require_parts(s);
  *c.output(0).mutable_data<std::int64_t>() = maps().add(map_name(c), {s.indices, s.values, s.shape});
}

void add_many(KernelContext& c) {
  std::vector<SparseValue> parts = split_batch(SparseParts(c, 0));
  Tensor& out = c.allocate_output(0, DType::kInt64, Shape({static_cast<std::int64_t>(parts.size())}));
  const std::string name = map_name(c);
  for (std::size_t i = 0; i < parts.size(); ++i)
    out.mutable_data<std::int64_t>()[i] = maps().add(name, std::move(parts[i]));
}

void take_many(KernelContext& c) {
  const Tensor& handles = c.input(0);
  if (handles.rank() != 1)
    invalid_argument("sparse_handles should be a vector but received shape ", handles.shape().text());
  const std::string name = map_name(c);
  if (handles.num_elements() == 0) invalid_argument("Must have at least 1 element in `sparse_handles` list");
  std::vector<SparseValue> parts;
  for (std::int64_t number : handles.span<std::int64_t>()) parts.push_back(maps().take(name, number));
  join_batch(c, parts, handles.shape().dims(), c.attr("dtype").type());
}

}  // namespace

void register_sparse_tensors_map(Registry& r) {
  constexpr std::string_view container = "container: string = ''", shared_name = "shared_name: string = ''";
  r.add({.name = "AddSparseToTensorsMap",
         .inputs = {"sparse_indices: int64", "sparse_values: T", "sparse_shape: int64"},
         .outputs = {"sparse_handle: int64"},
         .attrs = {"T: type", container, shared_name},
         .stateful = true,
         .doc = "Puts a sparse tensor into the map called shared_name and returns its number there.",
         .infer =
             [](InferContext& c) {
               require_sparse_ranks(c, 0);
               c.set_output(0, Shape());
             },
         .kernel = add_one,
         .grad = without_gradient});
  r.add({.name = "AddManySparseToTensorsMap",
         .inputs = {"sparse_indices: int64", "sparse_values: T", "sparse_shape: int64"},
         .outputs = {"sparse_handles: int64"},
         .attrs = {"T: type", container, shared_name},
         .stateful = true,
         .doc = "Puts the sparse tensors of a batch [N, ...] into the map called shared_name and returns their "
                "numbers there.",
         .infer =
             [](InferContext& c) {
               require_sparse_ranks(c, 0);
               c.set_output(0, Shape({kUnknownDim}));
             },
         .kernel = add_many,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
  r.add({.name = "TakeManySparseFromTensorsMap",
         .inputs = {"sparse_handles: int64"},
         .outputs = {"sparse_indices: int64", "sparse_values: dtype", "sparse_shape: int64"},
         .attrs = {"dtype: type", container, shared_name},
         .stateful = true,
         .doc = "Takes sparse tensors out of the map called shared_name, as a batch [N, ...].\n\nRaises "
                "InvalidArgumentError if the map does not hold one.",
         .infer =
             [](InferContext& c) {
               c.require_rank(0, 1);
               set_sparse_outputs(c, 0, kUnknownDim, kUnknownDim);
             },
         .kernel = take_many,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
}

}  // namespace tracefn
