// ElementReader: the elements of a dataset by their numbers (Dataset::make_reader). Used by one thread at a time.
#pragma once

#include <functional>
#include <memory>

#include "data/dataset.h"

namespace tracefn::data {

class ElementReader {
 public:
  ElementReader() = default;
  virtual ~ElementReader() = default;
  ElementReader(const ElementReader&) = delete;
  ElementReader& operator=(const ElementReader&) = delete;

  // Error(kOutOfRange) if there is none.
  virtual void get(std::int64_t index, Element& out) = 0;
};

// Of a dataset whose iterators number its elements as rows. It checks numbers itself: datasets that are made of it need
// not know how many elements they have.
std::unique_ptr<ElementReader> row_reader(const Dataset& dataset, IteratorContext& context);

// Element i is the input's element number(i).
using Renumbering = std::function<std::int64_t(std::int64_t)>;
std::unique_ptr<ElementReader> renumbered_reader(std::unique_ptr<ElementReader> input, Renumbering number);

// How many elements a dataset has. Error(kFailedPrecondition) if they are without end or nobody knows.
std::int64_t numbered_elements(const Dataset& dataset);
// Error(kOutOfRange) unless 0 <= index < n.
void check_index(std::int64_t index, std::int64_t n);

}  // namespace tracefn::data
