// StoredVariant: an element of a variant tensor that a checkpoint can hold, as a type name and tensors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ops/variant_object.h"

namespace tracefn {

class StoredVariant : public VariantObject {
 public:
  // The name in files, which register_stored_variant() knows.
  virtual std::string stored_name() const = 0;
  virtual std::vector<Tensor> stored_tensors() const = 0;
};

// Says how elements of a name are made again. Called while ops are registered, on one thread. `name` is a literal.
using MakeStoredVariant = Ref<VariantObject> (*)(std::vector<Tensor> tensors);
void register_stored_variant(std::string_view name, MakeStoredVariant make);

// VariantTensorDataProto. Error(kUnimplemented) for elements that are not stored.
std::string encode_variant(const RefCounted& element);
// Error(kInvalidArgument) if it is damaged, Error(kUnimplemented) for a name that is not known.
Ref<RefCounted> decode_variant(std::string_view proto);

}  // namespace tracefn
