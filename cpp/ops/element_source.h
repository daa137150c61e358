// ElementSource: what stands behind the handle of an iterator over a dataset, as far as ops and the executor need it.
// Counted; any thread may call.
#pragma once

#include <vector>

#include "base/ref.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

namespace tracefn {

class ElementSource : public RefCounted {
 public:
  // The next element, in place of what is in `out`; false at the end. Error(kInvalidArgument) if it does not consist of
  // tensors of these types and shapes.
  virtual bool next(std::vector<Tensor>& out, const std::vector<DType>& types, const std::vector<Shape>& shapes) = 0;
};

}  // namespace tracefn
