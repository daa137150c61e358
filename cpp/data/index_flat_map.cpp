// IndexFlatMapDataset: the rows of what a function returns for the elements of another dataset, one element after the
// other; by their numbers, which another function turns into the number of an element and that of a row.
#include "data/captured_function.h"
#include "data/dataset_ops.h"
#include "data/element_reader.h"

namespace tracefn::data {
namespace {

// The rows of one element.
class Rows {
 public:
  void take(const BoundFunction& function, Element args) {
    function.run(args, batch_);
    if (batch_.empty() || batch_[0].rank() == 0) invalid_argument("`map_func` must return tensors with rows.");
    count_ = batch_[0].dim(0);
    for (const Tensor& t : batch_)
      if (t.rank() == 0 || t.dim(0) != count_) invalid_argument("`map_func` must return tensors with as many rows.");
  }
  std::int64_t count() const { return count_; }
  void get(std::int64_t row, Element& out) const {
    if (row < 0 || row >= count_)
      invalid_argument("`index_map_func` returned row ", row, " of an element that has ", count_, ".");
    out.resize(batch_.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = row_of(batch_[i], row);
  }

 private:
  Element batch_;
  std::int64_t count_ = 0;
};

class IndexFlatMapIterator final : public Iterator {
 public:
  IndexFlatMapIterator(std::unique_ptr<Iterator> input, std::unique_ptr<BoundFunction> function)
      : input_(std::move(input)), function_(std::move(function)) {}
  bool next(Element& out) override {
    while (row_ == rows_.count()) {
      Element args;
      rows_ = {};
      row_ = 0;
      if (!input_->next(args)) return false;
      current_ = args;
      rows_.take(*function_, std::move(args));
    }
    rows_.get(row_++, out);
    return true;
  }
  void save(StateWriter& state) override {
    input_->save(state);
    state.element(current_);
    state.number(row_);
  }
  void restore(StateReader& state) override {
    input_->restore(state);
    current_ = state.element();
    rows_ = {};
    if (!current_.empty()) rows_.take(*function_, current_);
    row_ = state.count(rows_.count());
  }

 private:
  const std::unique_ptr<Iterator> input_;
  const std::unique_ptr<BoundFunction> function_;
  Element current_;
  Rows rows_;
  std::int64_t row_ = 0;
};

class IndexFlatMapReader final : public ElementReader {
 public:
  IndexFlatMapReader(std::unique_ptr<ElementReader> input, std::int64_t count, std::unique_ptr<BoundFunction> function,
                     std::unique_ptr<BoundFunction> places)
      : input_(std::move(input)), count_(count), function_(std::move(function)), places_(std::move(places)) {}
  void get(std::int64_t index, Element& out) override {
    Element args{Tensor::scalar(index)}, place;
    places_->run(args, place);
    bool fits = place.size() == 2;
    for (const Tensor& t : place) fits &= t.dtype() == DType::kInt64 && t.num_elements() == 1;
    if (!fits) invalid_argument("`index_map_func` must return two int64 scalars.");
    const auto element = place[0].item<std::int64_t>();
    check_index(element, count_);
    if (element != element_) {
      element_ = -1;
      input_->get(element, args);
      rows_.take(*function_, std::move(args));
      element_ = element;
    }
    rows_.get(place[1].item<std::int64_t>(), out);
  }

 private:
  const std::unique_ptr<ElementReader> input_;
  const std::int64_t count_;
  const std::unique_ptr<BoundFunction> function_, places_;
  Rows rows_;
  std::int64_t element_ = -1;  // the one that has these rows
};

class IndexFlatMapDataset final : public Dataset {
 public:
  IndexFlatMapDataset(ElementSpec spec, Ref<Dataset> input, CapturedFunction function, CapturedFunction places,
                      std::int64_t cardinality)
      : Dataset("IndexFlatMap", std::move(spec), {std::move(input)}),
        function_(std::move(function)),
        places_(std::move(places)),
        cardinality_(cardinality) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<IndexFlatMapIterator>(input().make_iterator(context), function_.bind(context));
  }
  std::unique_ptr<ElementReader> make_reader(IteratorContext& context) const override {
    return std::make_unique<IndexFlatMapReader>(input().make_reader(context), numbered_elements(input()),
                                                function_.bind(context), places_.bind(context));
  }
  std::int64_t cardinality() const override { return cardinality_; }
  void visit_owned(OwnedVisitor& visitor) const override {
    Dataset::visit_owned(visitor);
    function_.visit_owned(visitor);
    places_.visit_owned(visitor);
  }

 private:
  const CapturedFunction function_, places_;
  const std::int64_t cardinality_;
};

void index_flat_map(KernelContext& c) {
  set_dataset(c, make_ref<IndexFlatMapDataset>(
                     spec_attrs(c), dataset_input(c), CapturedFunction(c, "map_func", "map_func_other_args"),
                     CapturedFunction(c, "index_map_func", "index_map_func_other_args"),
                     std::max(scalar_input<std::int64_t>(c, "output_cardinality"), kUnknownCardinality)));
}

}  // namespace

void register_index_flat_map(Registry& r) {
  add_dataset(r,
              {.name = "IndexFlatMapDataset",
               .inputs = {"input_dataset: variant", "map_func_other_args: Tmap_func_args",
                          "index_map_func_other_args: Tindex_map_func_args", "output_cardinality: int64"},
               .attrs = {"map_func: func", "index_map_func: func", "Tmap_func_args: list(type) >= 0",
                         "Tindex_map_func_args: list(type) >= 0"},
               .doc = "A dataset of the rows of `map_func(element)` for the elements of another.\n\nRow i is the row "
                      "that `index_map_func(i)` names: (number of the element, number of its row).",
               .kernel = index_flat_map});
}

}  // namespace tracefn::data
