// Readers by number. GetElementAtIndex.
#include "data/element_reader.h"

#include "data/dataset_ops.h"
#include "data/iterator_context.h"

namespace tracefn::data {
namespace {

class RowReader final : public ElementReader {
 public:
  RowReader(const Dataset& dataset, IteratorContext& context)
      : iterator_(dataset.make_iterator(context)), rows_(iterator_->rows()), count_(dataset.cardinality()) {
    if (count_ == kInfinite) count_ = INT64_MAX;
  }
  void get(std::int64_t index, Element& out) override {
    check_index(index, count_);
    rows_->get(index, out);
  }

 private:
  const std::unique_ptr<Iterator> iterator_;
  RowSource* const rows_;
  std::int64_t count_;
};

class RenumberedReader final : public ElementReader {
 public:
  RenumberedReader(std::unique_ptr<ElementReader> input, Renumbering number)
      : input_(std::move(input)), number_(std::move(number)) {}
  void get(std::int64_t index, Element& out) override { input_->get(number_(index), out); }

 private:
  const std::unique_ptr<ElementReader> input_;
  const Renumbering number_;
};

void get_element(KernelContext& c) {
  const Ref<Dataset> dataset = dataset_input(c, "dataset");
  const auto index = scalar_input<std::int64_t>(c, "index");
  auto context = make_ref<IteratorContext>(*dataset);
  const std::unique_ptr<ElementReader> reader = dataset->make_reader(*context);
  if (dataset->cardinality() != kUnknownCardinality) check_index(index, numbered_elements(*dataset));
  Element element;
  reader->get(index, element);
  check_element(spec_attrs(c), element);
  for (std::size_t i = 0; i < element.size(); ++i) c.set_output(i, std::move(element[i]));
}

void infer_element(InferContext& c) {
  const std::vector<Shape>& shapes = c.attr("output_shapes").shapes();
  if (shapes.size() != c.num_outputs())
    invalid_argument("`output_shapes` must be the same length as `output_types` (", shapes.size(), " vs. ",
                     c.num_outputs(), ").");
  for (std::size_t i = 0; i < shapes.size(); ++i) c.set_output(i, shapes[i]);
}

}  // namespace

std::unique_ptr<ElementReader> row_reader(const Dataset& dataset, IteratorContext& context) {
  return std::make_unique<RowReader>(dataset, context);
}

std::unique_ptr<ElementReader> renumbered_reader(std::unique_ptr<ElementReader> input, Renumbering number) {
  return std::make_unique<RenumberedReader>(std::move(input), std::move(number));
}

std::int64_t numbered_elements(const Dataset& dataset) {
  const std::int64_t n = dataset.cardinality();
  if (n < 0)
    fail(ErrorKind::kFailedPrecondition, "Dataset of type ", dataset.type_name(), " has ",
         n == kInfinite ? "infinite" : "unknown", " cardinality, which does not support random access.");
  return n;
}

void check_index(std::int64_t index, std::int64_t n) {
  if (index < 0 || index >= n) fail(ErrorKind::kOutOfRange, "Index out of range [0, ", n, "):", index);
}

void register_element_reader(Registry& r) {
  r.add({.name = "GetElementAtIndex",
         .inputs = {"dataset: variant", "index: int64"},
         .outputs = {"components: output_types"},
         .attrs = {"output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"},
         .doc =
             "The element of a dataset with a number.\n\nRaises OutOfRangeError if there is none, UnimplementedError "
             "if its elements cannot be read by their numbers.",
         .infer = infer_element,
         .kernel = get_element,
         .allocation = Allocation::kObjects,
         .grad = not_differentiable});
}

}  // namespace tracefn::data
