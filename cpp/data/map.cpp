// MapDataset: a function of each element, called in order. Where it consists of elementwise ops, rows stay rows.
#include "data/captured_function.h"
#include "data/dataset_ops.h"
#include "data/map_iterator.h"

namespace tracefn::data {
namespace {

class MapReader final : public ElementReader {
 public:
  MapReader(std::unique_ptr<ElementReader> input, std::unique_ptr<BoundFunction> function)
      : input_(std::move(input)), function_(std::move(function)) {}
  void get(std::int64_t index, Element& out) override {
    Element args;
    input_->get(index, args);
    function_->run(args, out);
  }

 private:
  const std::unique_ptr<ElementReader> input_;
  const std::unique_ptr<BoundFunction> function_;
};

class MapDataset final : public Dataset {
 public:
  MapDataset(ElementSpec spec, Ref<Dataset> input, CapturedFunction function, bool preserve_cardinality)
      : Dataset("Map", std::move(spec), {std::move(input)}),
        function_(std::move(function)),
        preserve_cardinality_(preserve_cardinality) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override;
  std::unique_ptr<ElementReader> make_reader(IteratorContext& context) const override {
    return mapped_reader(input().make_reader(context), function_.bind(context));
  }
  std::int64_t cardinality() const override {
    return preserve_cardinality_ ? input().cardinality() : kUnknownCardinality;
  }
  void visit_owned(OwnedVisitor& visitor) const override {
    Dataset::visit_owned(visitor);
    function_.visit_owned(visitor);
  }

 private:
  const CapturedFunction function_;
  const bool preserve_cardinality_;
};

std::unique_ptr<Iterator> MapDataset::make_iterator(IteratorContext& context) const {
  return std::make_unique<MapIterator>(input().make_iterator(context), function_.bind(context), preserve_cardinality_);
}

void map(KernelContext& c) {
  set_dataset(c, make_ref<MapDataset>(spec_attrs(c), dataset_input(c), CapturedFunction(c, "f", "other_arguments"),
                                      c.attr("preserve_cardinality").b()));
}

}  // namespace

std::unique_ptr<ElementReader> mapped_reader(std::unique_ptr<ElementReader> input,
                                             std::unique_ptr<BoundFunction> function) {
  return std::make_unique<MapReader>(std::move(input), std::move(function));
}

bool end_or_rethrow(const Error& error, bool preserve_cardinality, std::string_view kind, std::int64_t number) {
  if (error.kind() == ErrorKind::kOutOfRange) {
    if (!preserve_cardinality) return false;
    invalid_argument("Function invocation produced OutOfRangeError: ", error.message());
  }
  rethrow_for_element(error, kind, number);
}

bool MapIterator::next(Element& out) {
  if (!input_->next(args_)) return false;
  const std::int64_t number = number_++;
  try {
    function_->run(args_, out);
  } catch (const Error& e) {
    return end_or_rethrow(e, preserve_cardinality_, "Map", number);
  }
  return true;
}

std::int64_t MapIterator::skip(std::int64_t n) {
  if (!rows_) return Iterator::skip(n);
  n = input_->skip(n);
  number_ += n;
  return n;
}

std::int64_t MapIterator::next_rows(std::int64_t n, std::int64_t* numbers) {
  n = input_->next_rows(n, numbers);
  number_ += n;
  return n;
}

void MapIterator::get(std::int64_t row, Element& out) {
  Element args;
  rows_->get(row, args);
  function_->run(args, out);
}

void MapIterator::gather(std::span<const std::int64_t> rows, Element& out) {
  Element args;
  rows_->gather(rows, args);
  function_->run_rows(args, out);
}

void MapIterator::save(StateWriter& state) {
  input_->save(state);
  state.number(number_);
}

void MapIterator::restore(StateReader& state) {
  input_->restore(state);
  number_ = state.count();
}

void register_map(Registry& r) {
  add_dataset(r, {.name = "MapDataset",
                  .inputs = {"input_dataset: variant", "other_arguments: Targuments"},
                  .attrs = {"f: func", "Targuments: list(type) >= 0", "use_inter_op_parallelism: bool = true",
                            "preserve_cardinality: bool = false", "force_synchronous: bool = false"},
                  .doc = "A dataset of `f(element)` for each element of another.\n\n`f` is called in order. It takes "
                         "the components of an element and `other_arguments`.",
                  .kernel = map});
}

}  // namespace tracefn::data
