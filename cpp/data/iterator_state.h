// IteratorState: the position of an iterator, as a list of tensors that its parts write and read in one order.
// SerializeIterator hands it out as a variant; a checkpoint can store the tensors themselves.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "tensor/tensor.h"

namespace tracefn::data {

using Element = std::vector<Tensor>;
class Dataset;
struct ElementSpec;

class StateWriter {
 public:
  void number(std::int64_t value) { tensors_.push_back(Tensor::scalar(value)); }
  void flag(bool value) { tensors_.push_back(Tensor::scalar(value)); }
  void tensor(Tensor value) { tensors_.push_back(std::move(value)); }
  // Of its components, datasets of elements in memory (windows, groups) are written as these elements.
  void element(const Element& element);
  void text(const std::string& value) { tensors_.push_back(Tensor::scalar(value)); }
  // An element that was read ahead, or the error in its place: type, message and node.
  void result(const Element& element, const std::exception_ptr& error);

  std::vector<Tensor> take() { return std::move(tensors_); }

 private:
  void dataset(const Dataset& dataset, const std::vector<Element>& elements);

  std::vector<Tensor> tensors_;
};

// Error(kFailedPrecondition) if what is asked for is not there: the state is that of another dataset.
class StateReader {
 public:
  explicit StateReader(std::vector<Tensor> tensors) : tensors_(std::move(tensors)) {}

  std::int64_t number() { return next(DType::kInt64).item<std::int64_t>(); }
  // One that counts something: within [0, most].
  std::int64_t count(std::int64_t most = INT64_MAX) {
    const std::int64_t n = number();
    if (n < 0 || n > most) fail_to_read();
    return n;
  }
  bool flag() { return next(DType::kBool).item<bool>(); }
  Tensor tensor() {
    if (at_ == tensors_.size()) fail_to_read();
    return tensors_[at_++];
  }
  Element element();
  // One that fits: of its components and their dtypes, and of shapes that are compatible.
  Element element(const ElementSpec& spec);
  std::string text() { return next(DType::kString).item<std::string>(); }
  // What StateWriter::result has written.
  std::exception_ptr result(Element& element);
  bool at_end() const { return at_ == tensors_.size(); }

  [[noreturn]] static void fail_to_read() {
    fail(ErrorKind::kFailedPrecondition, "The saved state of an iterator does not belong to this dataset.");
  }

 private:
  Tensor next(DType dtype) {
    Tensor t = tensor();
    if (t.dtype() != dtype || t.rank() != 0) fail_to_read();
    return t;
  }

  // As many things of which each takes a tensor or more.
  std::size_t size() { return static_cast<std::size_t>(count(static_cast<std::int64_t>(tensors_.size() - at_))); }
  Tensor dataset();

  std::vector<Tensor> tensors_;
  std::size_t at_ = 0;
  int depth_ = 0;  // of datasets in elements of datasets
};

}  // namespace tracefn::data
