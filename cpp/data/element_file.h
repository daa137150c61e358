// Files of elements: a record for each tensor, one element after another. Cached datasets are kept in them.
#pragma once

#include <memory>
#include <string>

#include "data/dataset.h"
#include "data/record_file.h"

namespace tracefn::data {

class ElementFileWriter {
 public:
  explicit ElementFileWriter(const std::string& path) : records_(path) {}
  // Goes on with a file, of which only the first `size` bytes stay.
  ElementFileWriter(const std::string& path, std::int64_t size) : records_(path, size) {}
  // Error(kUnimplemented) for resources and variants.
  void write(const Element& element);
  // See RecordWriter.
  std::int64_t flush() { return records_.flush(); }
  void finish() { records_.finish(); }

 private:
  RecordWriter records_;
};

// Reads the elements of a file, which have `spec.dtypes.size()` components. Error(kDataLoss) if it is damaged.
std::unique_ptr<Iterator> element_file_iterator(const std::string& path, ElementSpec spec,
                                                std::string_view compression = {});

}  // namespace tracefn::data
