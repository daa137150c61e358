// Stacker: puts elements together to a batch, component by component. Used by one thread.
#pragma once

#include "data/dataset.h"

namespace tracefn::data {

class Stacker {
 public:
  // `expected` elements, if that many come; there may be more. Errors of those that come `from_map` are of the one op
  // that TensorFlow makes of a map and a batch.
  Stacker(std::size_t components, std::int64_t expected, bool from_map = false)
      : batch_(components), expected_(expected), from_map_(from_map) {}

  // Error(kInvalidArgument) if a component has another dtype or number of elements than the first element's.
  void add(const Element& element);
  std::int64_t size() const { return size_; }
  // Precondition: size() > 0.
  void finish(Element& out);

 private:
  void grow();

  std::vector<Tensor> batch_;  // with room for `capacity_` elements
  std::vector<Shape> shapes_;  // of an element
  std::int64_t expected_, capacity_ = 0, size_ = 0;
  const bool from_map_;
};

}  // namespace tracefn::data
