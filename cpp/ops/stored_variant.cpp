#include "ops/stored_variant.h"

#include <utility>

#include "base/error.h"
#include "wire/tensor_proto.h"

namespace tracefn {
namespace {

std::vector<std::pair<std::string_view, MakeStoredVariant>>& makers() {
  static std::vector<std::pair<std::string_view, MakeStoredVariant>> all;
  return all;
}

}  // namespace

void register_stored_variant(std::string_view name, MakeStoredVariant make) { makers().emplace_back(name, make); }

std::string encode_variant(const RefCounted& element) {
  const auto* stored = dynamic_cast<const StoredVariant*>(&element);
  if (!stored) {
    const auto* variant = dynamic_cast<const VariantObject*>(&element);
    fail(ErrorKind::kUnimplemented, "A variant ", variant ? concat("(", variant->type_name(), ") ") : "",
         "cannot be saved.");
  }
  Message proto;
  proto.add_text(1, "type_name", stored->stored_name());
  for (const Tensor& tensor : stored->stored_tensors()) write_tensor_content(proto.add_message(3, "tensors"), tensor);
  return proto.binary();
}

Ref<RefCounted> decode_variant(std::string_view proto) {
  std::string name;
  std::vector<Tensor> tensors;
  std::size_t repeated_left = kMostRepeatedBytes;
  try {
    for (WireReader field(proto); field.next();) {
      if (field.key() == delimited_field(1)) name = field.text();
      if (field.key() == delimited_field(3)) tensors.push_back(read_tensor(field.message(), repeated_left));
    }
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kValue) throw;
    invalid_argument("Could not parse a variant: ", e.message());
  }
  for (const auto& [known, make] : makers())
    if (known == name) return make(std::move(tensors));
  fail(ErrorKind::kUnimplemented, "A variant of type '", name, "' cannot be read.");
}

}  // namespace tracefn
