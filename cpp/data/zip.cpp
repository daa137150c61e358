// ZipDataset: elements of several datasets side by side, as long as all have one.
#include "data/dataset_ops.h"
#include "data/element_reader.h"
#include "data/iterator_context.h"

namespace tracefn::data {
namespace {

class ZipIterator final : public Iterator {
 public:
  explicit ZipIterator(std::vector<std::unique_ptr<Iterator>> inputs)
      : inputs_(std::move(inputs)), parts_(inputs_.size()) {}

  bool next(Element& out) override {
    if (done_) return false;
    // An error of one takes the others' elements along, so that they stay side by side.
    std::exception_ptr error;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      try {
        if (!inputs_[i]->next(parts_[i])) {
          done_ = true;
          return false;
        }
      } catch (const Error&) {
        if (!error) error = std::current_exception();
      }
    }
    if (error) std::rethrow_exception(error);
    out.clear();
    for (Element& part : parts_)
      for (Tensor& t : part) out.push_back(std::move(t));
    return true;
  }

  void save(StateWriter& state) override {
    state.flag(done_);
    for (const auto& input : inputs_) input->save(state);
  }
  void restore(StateReader& state) override {
    done_ = state.flag();
    for (const auto& input : inputs_) input->restore(state);
  }

 private:
  const std::vector<std::unique_ptr<Iterator>> inputs_;
  std::vector<Element> parts_;
  bool done_ = false;
};

class ZipReader final : public ElementReader {
 public:
  explicit ZipReader(std::vector<std::unique_ptr<ElementReader>> inputs) : inputs_(std::move(inputs)) {}
  void get(std::int64_t index, Element& out) override {
    out.clear();
    Element part;
    for (const auto& input : inputs_) {
      input->get(index, part);
      for (Tensor& t : part) out.push_back(std::move(t));
    }
  }

 private:
  const std::vector<std::unique_ptr<ElementReader>> inputs_;
};

class ZipDataset final : public Dataset {
 public:
  ZipDataset(ElementSpec spec, std::vector<Ref<Dataset>> inputs) : Dataset("Zip", std::move(spec), std::move(inputs)) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    std::vector<std::unique_ptr<Iterator>> iterators;
    for (const Ref<Dataset>& input : inputs()) iterators.push_back(input->make_iterator(context));
    return std::make_unique<ZipIterator>(std::move(iterators));
  }
  std::unique_ptr<ElementReader> make_reader(IteratorContext& context) const override {
    numbered_elements(*this);
    std::vector<std::unique_ptr<ElementReader>> readers;
    for (const Ref<Dataset>& input : inputs()) readers.push_back(input->make_reader(context));
    return std::make_unique<ZipReader>(std::move(readers));
  }
  std::int64_t cardinality() const override {
    std::int64_t least = kInfinite;
    for (const Ref<Dataset>& input : inputs()) {
      const std::int64_t n = input->cardinality();
      if (n == kUnknownCardinality) return n;
      if (n != kInfinite && (least == kInfinite || n < least)) least = n;
    }
    return least;
  }
};

void zip(KernelContext& c) {
  std::vector<Ref<Dataset>> inputs;
  ElementSpec spec;
  for (const Tensor& t : list_input(c, "input_datasets")) {
    inputs.push_back(dataset_in(t));
    const ElementSpec& one = inputs.back()->spec();
    spec.dtypes.insert(spec.dtypes.end(), one.dtypes.begin(), one.dtypes.end());
    spec.shapes.insert(spec.shapes.end(), one.shapes.begin(), one.shapes.end());
  }
  set_dataset(c, make_ref<ZipDataset>(std::move(spec), std::move(inputs)));
}

}  // namespace

void register_zip(Registry& r) {
  add_dataset(r, {.name = "ZipDataset",
                  .inputs = {"input_datasets: N * variant"},
                  .attrs = {"N: int >= 1"},
                  .doc = "A dataset of the elements of several datasets side by side. It ends with the shortest.",
                  .kernel = zip});
}

}  // namespace tracefn::data
