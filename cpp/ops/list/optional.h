// Optionals: variants that hold some tensors, or nothing.
#pragma once

#include <optional>
#include <vector>

#include "ops/variant_object.h"

namespace tracefn {

Ref<VariantObject> optional_of(std::vector<Tensor> components);
Ref<VariantObject> empty_optional();
// What an optional holds, as long as its handle is there; null if it holds nothing. None if it is not an optional.
std::optional<const std::vector<Tensor>*> held_by_optional(const Tensor& handle);

}  // namespace tracefn
