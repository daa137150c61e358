// What all lookup tables check.
#include "ops/lookup/table.h"

#include "base/error.h"
#include "ops/infer.h"

namespace tracefn {
namespace {

Shape joined(Shape first, const Shape& second) {
  for (std::int64_t size : second.dims()) first.push_back(size);
  return first;
}

}  // namespace

Shape LookupTable::batch_shape(const Tensor& keys) const {
  const Shape& shape = keys.shape();
  const int rank = shape.rank() - key_shape_.rank();
  bool ends = rank >= 0;
  for (int i = 0; ends && i < key_shape_.rank(); ++i) ends = shape[rank + i] == key_shape_[i];
  if (!ends)
    invalid_argument("Input key shape ", shape.text(), " must end with the table's key shape ", key_shape_.text());
  Shape batch;
  for (int i = 0; i < rank; ++i) batch.push_back(shape[i]);
  return batch;
}

void LookupTable::check_values(const Tensor& keys, const Tensor& values) const {
  const Shape expected = joined(batch_shape(keys), value_shape_);
  if (!(values.shape() == expected))
    invalid_argument("Expected shape ", expected.text(), " for value, got ", values.shape().text());
}

Tensor LookupTable::find(const Tensor& keys, const Tensor& defaults) const {
  check_readable();
  Shape shape = joined(batch_shape(keys), value_shape_);
  if (!(defaults.shape() == value_shape_) && !(defaults.shape() == shape))
    invalid_argument("Expected shape ", value_shape_.text(), " or ", shape.text(), " for default value, got ",
                     defaults.shape().text());
  Tensor values(value_dtype_, std::move(shape));
  find_all(keys, defaults, values);
  return values;
}

void LookupTable::insert(const Tensor& keys, const Tensor& values) {
  check_values(keys, values);
  insert_all(keys, values);
}

void LookupTable::remove(const Tensor& keys) {
  batch_shape(keys);
  remove_all(keys);
}

void LookupTable::import_all(const Tensor& keys, const Tensor& values) {
  check_values(keys, values);
  replace_all(keys, values);
}

void LookupTable::initialize(const Tensor&, const Tensor&) {
  invalid_argument("Table localhost ", name_, " is not initializable");
}

}  // namespace tracefn
