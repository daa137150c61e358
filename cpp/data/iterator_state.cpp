// Elements, the datasets in some of them, and the errors in the place of some.
#include "data/iterator_state.h"

#include <algorithm>

#include "data/dataset_ops.h"
#include "data/element_list.h"

namespace tracefn::data {
namespace {

// Before an element with datasets, in the place of the number of its components, which follows.
constexpr std::int64_t kHasDatasets = -1;
// A damaged state must not take all of the stack.
constexpr int kDeepest = 256;

std::shared_ptr<const std::vector<Element>> listed(const Tensor& t) {
  if (t.dtype() != DType::kVariant || t.rank() != 0) return nullptr;
  const auto* dataset = dynamic_cast<const Dataset*>(t.object().get());
  return dataset ? elements_of(*dataset) : nullptr;
}

}  // namespace

void StateWriter::element(const Element& element) {
  const bool has_datasets = std::ranges::any_of(element, [](const Tensor& t) { return listed(t) != nullptr; });
  if (has_datasets) number(kHasDatasets);
  number(static_cast<std::int64_t>(element.size()));
  for (const Tensor& t : element) {
    const auto elements = has_datasets ? listed(t) : nullptr;
    if (has_datasets) flag(elements != nullptr);
    if (elements) {
      dataset(*dataset_in(t), *elements);
    } else {
      tensor(t);
    }
  }
}

void StateWriter::dataset(const Dataset& dataset, const std::vector<Element>& elements) {
  const ElementSpec& spec = dataset.spec();
  number(static_cast<std::int64_t>(spec.dtypes.size()));
  for (std::size_t i = 0; i < spec.dtypes.size(); ++i) {
    number(static_cast<std::int64_t>(spec.dtypes[i]));
    const Shape& shape = spec.shapes[i];
    flag(shape.has_rank());
    if (shape.has_rank())
      tensor(Tensor::vector(std::span<const std::int64_t>(shape.dims().data(), shape.dims().size())));
  }
  number(static_cast<std::int64_t>(elements.size()));
  for (const Element& e : elements) element(e);
}

Element StateReader::element() {
  std::int64_t n = number();
  const bool has_datasets = n == kHasDatasets;
  if (has_datasets) n = number();
  if (n < 0 || n > static_cast<std::int64_t>(tensors_.size() - at_)) fail_to_read();
  Element out(static_cast<std::size_t>(n));
  for (Tensor& t : out) t = has_datasets && flag() ? dataset() : tensor();
  return out;
}

Element StateReader::element(const ElementSpec& spec) {
  Element out = element();
  if (out.size() != spec.dtypes.size()) fail_to_read();
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i].dtype() != spec.dtypes[i] || !spec.shapes[i].is_compatible_with(out[i].shape())) fail_to_read();
  return out;
}

Tensor StateReader::dataset() {
  if (++depth_ > kDeepest) fail_to_read();
  ElementSpec spec;
  for (std::size_t n = size(); n > 0; --n) {
    const auto dtype = static_cast<int>(count(kDTypeSlots));
    if (!is_dtype(dtype)) fail_to_read();
    spec.dtypes.push_back(static_cast<DType>(dtype));
    Shape shape = Shape::unknown();
    if (flag()) {
      const Tensor dims = tensor();
      if (dims.dtype() != DType::kInt64 || dims.rank() != 1 || dims.num_elements() > kMaxRank) fail_to_read();
      const std::span<const std::int64_t> sizes(dims.data<std::int64_t>(),
                                                static_cast<std::size_t>(dims.num_elements()));
      if (std::ranges::any_of(sizes, [](std::int64_t d) { return d < kUnknownDim; })) fail_to_read();
      shape = Shape(Dims(sizes.begin(), sizes.end()));
    }
    spec.shapes.push_back(std::move(shape));
  }
  std::vector<Element> elements;
  for (std::size_t n = size(); n > 0; --n) elements.push_back(element(spec));
  --depth_;
  return Tensor::handle(DType::kVariant, dataset_of("List", std::move(spec), std::move(elements)));
}

void StateWriter::result(const Element& element, const std::exception_ptr& error) {
  flag(error != nullptr);
  if (!error) return this->element(element);
  ErrorKind kind = ErrorKind::kUnknown;
  std::string message, node_name;
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    kind = e.kind();
    message = e.message();
    node_name = e.node_name();
  } catch (const std::exception& e) {
    message = e.what();
  }
  number(static_cast<std::int64_t>(kind));
  text(message);
  text(node_name);
}

std::exception_ptr StateReader::result(Element& element) {
  if (!flag()) {
    element = this->element();
    return nullptr;
  }
  const auto kind = static_cast<ErrorKind>(count(static_cast<std::int64_t>(ErrorKind::kKeyboardInterrupt)));
  if (kind < ErrorKind::kCancelled || (!is_status(kind) && kind < ErrorKind::kType)) fail_to_read();
  Error error(kind, text());
  error.set_node_name(text());
  return std::make_exception_ptr(std::move(error));
}

}  // namespace tracefn::data
