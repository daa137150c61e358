// Optionals: variants that hold some tensors, or nothing.
#pragma once

#include <vector>

#include "ops/variant_object.h"

namespace tracefn {

Ref<VariantObject> optional_of(std::vector<Tensor> components);
Ref<VariantObject> empty_optional();

}  // namespace tracefn
