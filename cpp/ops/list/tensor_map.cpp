// Maps from tensors to tensors, in variants: EmptyTensorMap, TensorMapInsert, TensorMapLookup, TensorMapErase,
// TensorMapHasKey, TensorMapSize, TensorMapStackKeys.
#include <unordered_map>

#include "base/poll.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/list/tensor_list.h"
#include "ops/registry.h"
#include "ops/state/effect_records.h"
#include "ops/strings/value_format.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

// The bytes that make two keys equal.
std::string key_text(const Tensor& key) {
  std::string text = concat(static_cast<int>(key.dtype()), key.shape().text());
  if (key.dtype() != DType::kString) return text.append(static_cast<const char*>(key.raw()), key.bytes());
  for (const std::string& part : key.span<std::string>()) text += concat("/", part.size(), ":", part);
  return text;
}

// Changed only before others see it.
class TensorMap final : public VariantObject {
 public:
  struct Entry {
    Tensor key, value;
  };

  std::string type_name() const override { return "TensorMap"; }
  Ref<VariantObject> zeros_like() const override {
    Ref<TensorMap> zeros = make_ref<TensorMap>();
    for (const auto& [text, entry] : entries_)
      zeros->entries_[text] = {entry.key, Tensor::zeros(entry.value.dtype(), entry.value.shape())};
    return zeros;
  }
  Ref<VariantObject> add(const VariantObject& other) const override {
    auto* that = dynamic_cast<const TensorMap*>(&other);
    if (!that) invalid_argument("Cannot add a TensorMap and another kind of variant.");
    Ref<TensorMap> sum = copy();
    for (const auto& [text, entry] : that->entries_) {
      const auto [at, is_new] = sum->entries_.try_emplace(text, entry);
      if (is_new) continue;
      if (at->second.value.dtype() != entry.value.dtype() || !(at->second.value.shape() == entry.value.shape()))
        invalid_argument("The values of one key in two TensorMaps have different dtypes or shapes.");
      at->second.value = add_held(at->second.value, entry.value);
    }
    return sum;
  }

  Ref<TensorMap> copy() const {
    Ref<TensorMap> made = make_ref<TensorMap>();
    made->entries_ = entries_;
    return made;
  }
  std::int64_t size() const { return static_cast<std::int64_t>(entries_.size()); }
  const Entry* find(const Tensor& key) const {
    const auto found = entries_.find(key_text(key));
    return found == entries_.end() ? nullptr : &found->second;
  }
  void set(const Tensor& key, const Tensor& value) { entries_[key_text(key)] = {key, value}; }
  bool erase(const Tensor& key) { return entries_.erase(key_text(key)) > 0; }
  std::vector<Tensor> keys() const {
    std::vector<Tensor> found;
    for (const auto& [text, entry] : entries_) found.push_back(entry.key);
    return found;
  }

 private:
  std::unordered_map<std::string, Entry> entries_;
};

const TensorMap& map_input(const KernelContext& c) {
  const Tensor& handle = c.input(0);
  if (handle.rank() != 0) invalid_argument("Input map must be a scalar saw: ", handle.shape().text());
  auto* map = dynamic_cast<const TensorMap*>(handle.object().get());
  if (!map) invalid_argument("Input handle is not a map. Saw another kind of variant.");
  return *map;
}

void require_plain_key(const Tensor& key) {
  if (!is_plain(key.dtype()) && key.dtype() != DType::kString)
    invalid_argument("A key of a TensorMap cannot be of dtype ", runtime_name(key.dtype()), ".");
}

void make_map(KernelContext& c) { c.set_output(0, Tensor::handle(DType::kVariant, make_ref<TensorMap>())); }

void insert(KernelContext& c) {
  require_plain_key(c.input(1));
  Ref<TensorMap> map = map_input(c).copy();
  map->set(c.input(1), c.input(2));
  c.set_output(0, Tensor::handle(DType::kVariant, std::move(map)));
}

void erase(KernelContext& c) {
  require_plain_key(c.input(1));
  Ref<TensorMap> map = map_input(c).copy();
  if (!map->erase(c.input(1)))
    invalid_argument("Trying to erase non-existent item. Could not find key \"", summarize_value(c.input(1), 3), "\".");
  c.set_output(0, Tensor::handle(DType::kVariant, std::move(map)));
}

void lookup(KernelContext& c) {
  require_plain_key(c.input(1));
  const TensorMap::Entry* found = map_input(c).find(c.input(1));
  if (!found)
    invalid_argument("Trying to lookup non-existent key. Could not find key \"", summarize_value(c.input(1), 3), "\".");
  const DType expected = c.attr("value_dtype").type();
  if (found->value.dtype() != expected)
    invalid_argument("Expected a value of dtype ", runtime_name(expected), ", but the map holds one of dtype ",
                     runtime_name(found->value.dtype()), ".");
  c.set_output(0, found->value);
}

void has_key(KernelContext& c) {
  require_plain_key(c.input(1));
  *c.output(0).mutable_data<bool>() = map_input(c).find(c.input(1)) != nullptr;
}

void size(KernelContext& c) {
  *c.output(0).mutable_data<std::int32_t>() = static_cast<std::int32_t>(map_input(c).size());
}

void stack_keys(KernelContext& c) {
  const std::vector<Tensor> keys = map_input(c).keys();
  const DType dtype = c.attr("key_dtype").type();
  if (keys.empty()) invalid_argument("TensorMapStackKeys cannot be called on empty map.");
  for (const Tensor& key : keys)
    if (key.dtype() != dtype || !(key.shape() == keys[0].shape()))
      invalid_argument("Key does not match requested dtype or the other keys' shape.");
  Tensor& out = c.allocate_output(0, dtype, with_first(static_cast<std::int64_t>(keys.size()), keys[0].shape()));
  auto* to = static_cast<char*>(out.mutable_raw());
  PolledSteps polled(256);
  for (const Tensor& key : keys) {
    copy_elements(dtype, key.raw(), to, key.num_elements());
    to += key.bytes();
    polled.step();
  }
}

}  // namespace

void register_tensor_map(Registry& r) {
  constexpr std::string_view key = "key_dtype: type", value = "value_dtype: type";
  r.add({.name = "EmptyTensorMap",
         .outputs = {"handle: variant"},
         .doc = "A map from tensors to tensors without entries.",
         .infer = infer::scalar,
         .kernel = make_map,
         .allocation = Allocation::kObjects,
         .grad = without_gradient});
  r.add({.name = "TensorMapInsert",
         .inputs = {"input_handle: variant", "key: key_dtype", "value: value_dtype"},
         .outputs = {"output_handle: variant"},
         .attrs = {key, value},
         .doc = "The map with an entry more, or with another value for its key.",
         .infer = infer::scalar,
         .kernel = insert,
         .allocation = Allocation::kObjects,
         .grad = without_gradient});
  r.add({.name = "TensorMapLookup",
         .inputs = {"input_handle: variant", "key: key_dtype"},
         .outputs = {"value: value_dtype"},
         .attrs = {key, value},
         .doc = "The value for a key of the map.\n\nRaises InvalidArgumentError if there is none.",
         .infer = infer::unknown,
         .kernel = lookup,
         .allocation = Allocation::kObjects,
         .grad = without_gradient});
  r.add({.name = "TensorMapErase",
         .inputs = {"input_handle: variant", "key: key_dtype"},
         .outputs = {"output_handle: variant"},
         .attrs = {key, value},
         .doc = "The map without the entry of a key.\n\nRaises InvalidArgumentError if there is none.",
         .infer = infer::scalar,
         .kernel = erase,
         .allocation = Allocation::kObjects,
         .grad = without_gradient});
  r.add({.name = "TensorMapHasKey",
         .inputs = {"input_handle: variant", "key: key_dtype"},
         .outputs = {"has_key: bool"},
         .attrs = {key},
         .doc = "Whether the map has an entry for a key.",
         .infer = infer::scalar,
         .kernel = has_key,
         .grad = without_gradient});
  r.add({.name = "TensorMapSize",
         .inputs = {"input_handle: variant"},
         .outputs = {"size: int32"},
         .doc = "The number of entries of the map.",
         .infer = infer::scalar,
         .kernel = size,
         .grad = without_gradient});
  r.add({.name = "TensorMapStackKeys",
         .inputs = {"input_handle: variant"},
         .outputs = {"keys: key_dtype"},
         .attrs = {key},
         .doc = "The keys of the map, which have one shape, one after the other.\n\nRaises InvalidArgumentError if "
                "there are none.",
         .infer = infer::unknown,
         .kernel = stack_keys,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
}

}  // namespace tracefn
