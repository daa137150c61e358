// ListDataset, and other datasets of elements in memory. Elements are rows by their places in the list.
#include "data/element_list.h"

#include "data/dataset_ops.h"
#include "data/element_reader.h"
#include "data/iterator_context.h"
#include "data/stack.h"

namespace tracefn::data {
namespace {

using Elements = std::shared_ptr<const std::vector<Element>>;

class ElementListIterator final : public Iterator, public RowSource {
 public:
  explicit ElementListIterator(Elements elements)
      : elements_(std::move(elements)), count_(static_cast<std::int64_t>(elements_->size())) {}

  bool next(Element& out) override {
    if (next_ >= count_) return false;
    get(next_++, out);
    return true;
  }
  std::int64_t skip(std::int64_t n) override {
    n = std::min(n, count_ - next_);
    next_ += n;
    return n;
  }
  // Elements of different shapes are no rows of a batch.
  RowSource* rows() override { return have_one_shape() ? this : nullptr; }
  std::int64_t next_rows(std::int64_t n, std::int64_t* numbers) override {
    n = std::min(n, count_ - next_);
    for (std::int64_t i = 0; i < n; ++i) numbers[i] = next_ + i;
    next_ += n;
    return n;
  }
  void get(std::int64_t row, Element& out) override { out = (*elements_)[static_cast<std::size_t>(row)]; }
  void gather(std::span<const std::int64_t> rows, Element& out) override {
    Stacker stacker((*elements_)[0].size(), static_cast<std::int64_t>(rows.size()));
    for (std::int64_t row : rows) stacker.add((*elements_)[static_cast<std::size_t>(row)]);
    stacker.finish(out);
  }

  std::int64_t num_rows() const override { return count_; }

  void save(StateWriter& state) override { state.number(next_); }
  void restore(StateReader& state) override { next_ = state.count(count_); }

 private:
  bool have_one_shape() const {
    for (const Element& element : *elements_) {
      if (element.size() != (*elements_)[0].size()) return false;
      for (std::size_t i = 0; i < element.size(); ++i)
        if (!(element[i].shape() == (*elements_)[0][i].shape())) return false;
    }
    return true;
  }

  const Elements elements_;
  const std::int64_t count_;
  std::int64_t next_ = 0;
};

class ElementListReader final : public ElementReader {
 public:
  explicit ElementListReader(Elements elements) : elements_(std::move(elements)) {}
  void get(std::int64_t index, Element& out) override {
    check_index(index, static_cast<std::int64_t>(elements_->size()));
    out = (*elements_)[static_cast<std::size_t>(index)];
  }

 private:
  const Elements elements_;
};

class ElementListDataset final : public Dataset {
 public:
  ElementListDataset(std::string_view kind, ElementSpec spec, std::vector<Element> elements)
      : Dataset(kind, std::move(spec)), elements_(std::make_shared<const std::vector<Element>>(std::move(elements))) {}
  std::unique_ptr<Iterator> make_iterator(IteratorContext&) const override { return iterator_of(elements_); }
  std::unique_ptr<ElementReader> make_reader(IteratorContext&) const override {
    return std::make_unique<ElementListReader>(elements_);
  }
  std::int64_t cardinality() const override { return static_cast<std::int64_t>(elements_->size()); }
  const Elements& elements() const { return elements_; }

 private:
  const Elements elements_;
};

// The components of all elements follow each other.
void list(KernelContext& c) {
  ElementSpec spec = spec_attrs(c);
  const std::vector<Tensor> tensors = list_input(c, "tensors");
  const std::size_t each = spec.dtypes.size();
  if (tensors.size() % each != 0)
    invalid_argument("The number of tensors, ", tensors.size(), ", must be a multiple of the number of components, ",
                     each, ".");
  std::vector<Element> elements;
  for (std::size_t i = 0; i < tensors.size(); i += each) {
    elements.emplace_back(tensors.begin() + static_cast<std::ptrdiff_t>(i),
                          tensors.begin() + static_cast<std::ptrdiff_t>(i + each));
    check_element(spec, elements.back());
  }
  set_dataset(c, dataset_of("List", std::move(spec), std::move(elements)));
}

}  // namespace

std::unique_ptr<Iterator> iterator_of(Elements elements) {
  return std::make_unique<ElementListIterator>(std::move(elements));
}

Ref<Dataset> dataset_of(std::string_view kind, ElementSpec spec, std::vector<Element> elements) {
  return make_ref<ElementListDataset>(kind, std::move(spec), std::move(elements));
}

Elements elements_of(const Dataset& dataset) {
  const auto* list = dynamic_cast<const ElementListDataset*>(&dataset);
  return list ? list->elements() : nullptr;
}

void register_element_list(Registry& r) {
  add_dataset(r, {.name = "ListDataset",
                  .inputs = {"tensors: Tinput_types"},
                  .attrs = {"Tinput_types: list(type) >= 1"},
                  .stateful = true,
                  .doc = "A dataset of the given elements, whose components follow each other.",
                  .kernel = list});
}

}  // namespace tracefn::data
