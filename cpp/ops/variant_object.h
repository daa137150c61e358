// VariantObject: the object that an element of a variant tensor refers to. Counted; implementations say what is shared
// and how.
#pragma once

#include <string>

#include "tensor/tensor.h"

namespace tracefn {

class VariantObject : public RefCounted {
 public:
  // "TensorList", as the element prints: <TensorList>.
  virtual std::string type_name() const = 0;
  // For ZerosLike and AddN, which gradients of loops need; Error(kInvalidArgument) if not supported.
  virtual Ref<VariantObject> zeros_like() const = 0;
  virtual Ref<VariantObject> add(const VariantObject& other) const = 0;
};

// The sum of two tensors of one dtype and shape that variants hold. Bools and strings have none: `a`, for gradients
// that nobody reads.
Tensor add_held(const Tensor& a, const Tensor& b);

// ZerosLike of a variant tensor, element by element.
Tensor variant_zeros_like(const Tensor& x);
// AddN's sum of two variant tensors of one shape.
Tensor variant_add(const Tensor& a, const Tensor& b);

}  // namespace tracefn
