// Stacker: puts elements together to a batch, component by component. Used by one thread.
#pragma once

#include "data/dataset.h"

namespace tracefn::data {

class Stacker {
 public:
  // `expected` elements, if that many come; there may be more.
  Stacker(std::size_t components, std::int64_t expected) : batch_(components), expected_(expected) {}

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
};

}  // namespace tracefn::data
