// What all datasets and iterators share: checks of elements, and rows of tensors.
#include "data/dataset.h"

#include <cstring>

#include "base/check.h"
#include "base/poll.h"
#include "data/element_reader.h"
#include "data/fingerprint.h"

namespace tracefn::data {

std::int64_t Iterator::skip(std::int64_t n) {
  std::int64_t done = 0;
  PolledSteps polled;
  if (rows()) {
    std::int64_t numbers[256];
    while (done < n) {
      const std::int64_t wanted = std::min<std::int64_t>(n - done, 256), got = next_rows(wanted, numbers);
      done += got;
      if (got < wanted) break;
      polled.step();
    }
    return done;
  }
  Element element;
  for (; done < n; ++done, polled.step())
    if (!next(element)) break;
  return done;
}

std::int64_t Iterator::next_rows(std::int64_t, std::int64_t*) {
  fail(ErrorKind::kInternal, "The elements of this iterator have no row numbers.");
}

Ref<VariantObject> Dataset::zeros_like() const { invalid_argument("A dataset has no zeros."); }
void Dataset::visit_owned(OwnedVisitor& visitor) const {
  for (const Ref<Dataset>& input : inputs_) visitor.counted(input);
  visitor.shared(recipe_);
}

std::unique_ptr<ElementReader> Dataset::make_reader(IteratorContext&) const {
  fail(ErrorKind::kUnimplemented, "Random access is not implemented for dataset ", type_name());
}

Ref<VariantObject> Dataset::add(const VariantObject&) const { invalid_argument("Datasets cannot be added."); }

void check_types(std::span<const DType> expected, std::span<const DType> produced) {
  if (expected.size() != produced.size())
    invalid_argument("Number of components does not match: expected ", expected.size(), " types but got ",
                     produced.size(), ".");
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (expected[i] != produced[i])
      invalid_argument("Data type mismatch at component ", i, ": expected ", runtime_name(expected[i]), " but got ",
                       runtime_name(produced[i]), ".");
}

void check_shapes(std::span<const Shape> expected, std::span<const Shape> produced) {
  if (expected.size() != produced.size())
    invalid_argument("Number of components does not match: expected ", expected.size(), " shapes but got ",
                     produced.size(), ".");
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!expected[i].is_compatible_with(produced[i]))
      invalid_argument("Incompatible shapes at component ", i, ": expected ", expected[i].text(), " but got ",
                       produced[i].text(), ".");
}

void check_element(const ElementSpec& expected, const Element& element) {
  if (expected.dtypes.size() != element.size())
    invalid_argument("Number of components does not match: expected ", expected.dtypes.size(), " types but got ",
                     element.size(), ".");
  for (std::size_t i = 0; i < element.size(); ++i) {
    if (expected.dtypes[i] != element[i].dtype())
      invalid_argument("Data type mismatch at component ", i, ": expected ", runtime_name(expected.dtypes[i]),
                       " but got ", runtime_name(element[i].dtype()), ".");
    if (!expected.shapes[i].is_compatible_with(element[i].shape()))
      invalid_argument("Incompatible shapes at component ", i, ": expected ", expected.shapes[i].text(), " but got ",
                       element[i].shape().text(), ".");
  }
}

Shape with_front(std::int64_t first, const Shape& rest) {
  if (!rest.has_rank()) return Shape::unknown();
  Shape out;
  out.push_back(first);
  for (std::int64_t d : rest.dims()) out.push_back(d);
  return out;
}

Shape without_front(const Shape& shape) {
  if (!shape.has_rank()) return Shape::unknown();
  TRACEFN_CHECK(shape.rank() > 0);
  return Shape(std::span<const std::int64_t>(shape.dims().begin() + 1, shape.dims().size() - 1));
}

Tensor row_of(const Tensor& batch, std::int64_t i) {
  return batch.rows(i, i + 1).reshaped(without_front(batch.shape()));
}

void gather_rows(const Tensor& table, std::span<const std::int64_t> rows, Tensor& out) {
  const auto n = static_cast<std::int64_t>(rows.size());
  Shape shape = table.shape();
  shape[0] = n;
  if (!(out.dtype() == table.dtype() && out.writable() && out.shape() == shape)) out = Tensor(table.dtype(), shape);
  if (table.dim(0) == 0 || n == 0) return;
  const std::int64_t each = table.num_elements() / table.dim(0);
  const std::size_t bytes = static_cast<std::size_t>(each) * size_of(table.dtype());
  const auto* from = static_cast<const char*>(table.raw());
  auto* to = static_cast<char*>(out.mutable_raw());
  if (!is_plain(table.dtype())) {
    for (std::int64_t row : rows) {
      copy_elements(table.dtype(), from + static_cast<std::size_t>(row) * bytes, to, each);
      to += bytes;
    }
    return;
  }
  // Rows that follow each other are copied together.
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    std::memcpy(to, from + static_cast<std::size_t>(rows[i]) * bytes, (end - i) * bytes);
    to += (end - i) * bytes;
    i = end;
  }
}

}  // namespace tracefn::data
