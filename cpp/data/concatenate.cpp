// ConcatenateDataset: one dataset behind another.
#include "data/dataset_ops.h"
#include "data/element_reader.h"
#include "data/iterator_context.h"

namespace tracefn::data {
namespace {

class ConcatenateIterator final : public Iterator {
 public:
  ConcatenateIterator(std::unique_ptr<Iterator> first, Ref<Dataset> second, IteratorContext& context)
      : current_(std::move(first)), second_(std::move(second)), context_(&context) {}

  bool next(Element& out) override {
    if (current_->next(out)) return true;
    if (at_second_) return false;
    go_on();
    return current_->next(out);
  }
  std::int64_t skip(std::int64_t n) override {
    std::int64_t done = current_->skip(n);
    if (done == n || at_second_) return done;
    go_on();
    return done + current_->skip(n - done);
  }

  void save(StateWriter& state) override {
    state.flag(at_second_);
    current_->save(state);
  }
  void restore(StateReader& state) override {
    const bool second = state.flag();
    if (second && !at_second_) go_on();
    if (second != at_second_) StateReader::fail_to_read();
    current_->restore(state);
  }

 private:
  void go_on() {
    current_ = second_->make_iterator(*context_);
    at_second_ = true;
  }

  std::unique_ptr<Iterator> current_;
  const Ref<Dataset> second_;
  const Ref<IteratorContext> context_;
  bool at_second_ = false;
};

class ConcatenateReader final : public ElementReader {
 public:
  ConcatenateReader(std::unique_ptr<ElementReader> first, std::int64_t size, std::unique_ptr<ElementReader> second)
      : first_(std::move(first)), size_(size), second_(std::move(second)) {}
  void get(std::int64_t index, Element& out) override {
    index < size_ ? first_->get(index, out) : second_->get(index - size_, out);
  }

 private:
  const std::unique_ptr<ElementReader> first_;
  const std::int64_t size_;
  const std::unique_ptr<ElementReader> second_;
};

class ConcatenateDataset final : public Dataset {
 public:
  ConcatenateDataset(ElementSpec spec, Ref<Dataset> first, Ref<Dataset> second)
      : Dataset("Concatenate", std::move(spec), {std::move(first), std::move(second)}) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<ConcatenateIterator>(input().make_iterator(context), inputs()[1], context);
  }
  std::unique_ptr<ElementReader> make_reader(IteratorContext& context) const override {
    numbered_elements(*this);
    return std::make_unique<ConcatenateReader>(input().make_reader(context), input().cardinality(),
                                               inputs()[1]->make_reader(context));
  }
  std::int64_t cardinality() const override {
    const std::int64_t a = input().cardinality(), b = inputs()[1]->cardinality();
    if (a == kInfinite || b == kInfinite) return kInfinite;
    std::int64_t all;
    if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &all)) return kUnknownCardinality;
    return all;
  }
};

void concatenate(KernelContext& c) {
  Ref<Dataset> first = dataset_input(c), second = dataset_input(c, "another_dataset");
  ElementSpec spec = first->spec();
  if (spec.dtypes != second->spec().dtypes)
    invalid_argument("input dataset and dataset to concatenate have different output_types ", Attr(spec.dtypes).text(),
                     " and ", Attr(second->spec().dtypes).text());
  for (std::size_t i = 0; i < spec.shapes.size(); ++i)
    spec.shapes[i] = most_specific_common_supertype(spec.shapes[i], second->spec().shapes[i]);
  set_dataset(c, make_ref<ConcatenateDataset>(std::move(spec), std::move(first), std::move(second)));
}

}  // namespace

void register_concatenate(Registry& r) {
  add_dataset(r, {.name = "ConcatenateDataset",
                  .inputs = {"input_dataset: variant", "another_dataset: variant"},
                  .doc = "A dataset of the elements of one dataset and then those of another.",
                  .kernel = concatenate});
}

}  // namespace tracefn::data
