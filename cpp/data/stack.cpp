// Copies elements into batches, whose memory grows as needed.
#include "data/stack.h"

#include <cstring>

namespace tracefn::data {

void Stacker::grow() {
  const std::int64_t capacity = capacity_ ? capacity_ * 2 : expected_;
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    Tensor wider(batch_[i].dtype(), with_front(capacity, shapes_[i]));
    if (size_) copy_elements(wider.dtype(), batch_[i].raw(), wider.mutable_raw(), size_ * shapes_[i].num_elements());
    batch_[i] = std::move(wider);
  }
  capacity_ = capacity;
}

void Stacker::add(const Element& element) {
  if (element.size() != batch_.size())
    invalid_argument("Number of components does not match: expected ", batch_.size(), " but got ", element.size(), ".");
  if (size_ == 0) {
    for (std::size_t i = 0; i < element.size(); ++i) {
      shapes_.push_back(element[i].shape());
      batch_[i] = Tensor(element[i].dtype(), with_front(0, shapes_[i]));
    }
  }
  if (size_ == capacity_) grow();
  for (std::size_t i = 0; i < element.size(); ++i) {
    const Tensor& t = element[i];
    if (t.dtype() != batch_[i].dtype())
      invalid_argument("Cannot batch tensors with different types in component ", i, ". First element had type ",
                       runtime_name(batch_[i].dtype()), " and element ", size_, " had type ", runtime_name(t.dtype()),
                       ".");
    if (from_map_ && t.num_elements() != shapes_[i].num_elements())
      invalid_argument("Cannot add tensor to the batch: number of elements does not match. Shapes are: [tensor]: ",
                       t.shape().text(), ", [batch]: ", shapes_[i].text());
    // In this case, too, TensorFlow's one op makes a batch, of numbers in the wrong places.
    if (!(t.shape() == shapes_[i]))
      invalid_argument("Cannot batch tensors with different shapes in component ", i, ". First element had shape ",
                       shapes_[i].text(), " and element ", size_, " had shape ", t.shape().text(), ".");
    const std::int64_t each = shapes_[i].num_elements();
    const std::size_t bytes = static_cast<std::size_t>(each) * size_of(t.dtype());
    copy_elements(t.dtype(), t.raw(),
                  static_cast<char*>(batch_[i].mutable_raw()) + static_cast<std::size_t>(size_) * bytes, each);
  }
  ++size_;
}

void Stacker::finish(Element& out) {
  out.resize(batch_.size());
  for (std::size_t i = 0; i < batch_.size(); ++i)
    out[i] = size_ == capacity_ ? std::move(batch_[i]) : batch_[i].rows(0, size_);
}

}  // namespace tracefn::data
