// DirectedInterleaveDataset: each next element from the dataset whose number another dataset gives.
#include "base/poll.h"
#include "data/dataset_ops.h"
#include "data/iterator_context.h"

namespace tracefn::data {
namespace {

class DirectedInterleaveIterator final : public Iterator {
 public:
  DirectedInterleaveIterator(std::unique_ptr<Iterator> selector, std::vector<std::unique_ptr<Iterator>> inputs,
                             bool stop_on_empty)
      : selector_(std::move(selector)),
        inputs_(std::move(inputs)),
        left_(inputs_.size()),
        stop_on_empty_(stop_on_empty) {}

  bool next(Element& out) override {
    for (PolledSteps polled; left_ > 0; polled.step()) {
      if (!selector_->next(selected_)) break;
      const std::int64_t at = selected_[0].item<std::int64_t>();
      if (at < 0 || at >= static_cast<std::int64_t>(inputs_.size()))
        invalid_argument("Selector index out of range: ", at, " >= ", inputs_.size());
      std::unique_ptr<Iterator>& input = inputs_[static_cast<std::size_t>(at)];
      if (!input) continue;
      if (input->next(out)) return true;
      input = nullptr;
      --left_;
      if (stop_on_empty_) break;
    }
    left_ = 0;
    return false;
  }

  void save(StateWriter& state) override {
    selector_->save(state);
    state.number(static_cast<std::int64_t>(left_));
    for (const auto& input : inputs_) {
      state.flag(input != nullptr);
      if (input) input->save(state);
    }
  }
  void restore(StateReader& state) override {
    selector_->restore(state);
    left_ = static_cast<std::size_t>(state.count(static_cast<std::int64_t>(inputs_.size())));
    for (auto& input : inputs_) {
      if (!state.flag()) {
        input = nullptr;
      } else if (input) {
        input->restore(state);
      } else {
        StateReader::fail_to_read();
      }
    }
  }

 private:
  const std::unique_ptr<Iterator> selector_;
  std::vector<std::unique_ptr<Iterator>> inputs_;  // null: at its end
  std::size_t left_;
  const bool stop_on_empty_;
  Element selected_;
};

// The selector is inputs()[0].
class DirectedInterleaveDataset final : public Dataset {
 public:
  DirectedInterleaveDataset(ElementSpec spec, std::vector<Ref<Dataset>> inputs, bool stop_on_empty)
      : Dataset("DirectedInterleave", std::move(spec), std::move(inputs)), stop_on_empty_(stop_on_empty) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    std::vector<std::unique_ptr<Iterator>> iterators;
    for (std::size_t i = 1; i < inputs().size(); ++i) iterators.push_back(inputs()[i]->make_iterator(context));
    return std::make_unique<DirectedInterleaveIterator>(input().make_iterator(context), std::move(iterators),
                                                        stop_on_empty_);
  }
  // As TensorFlow: the selector need not exhaust them, and may end first.
  std::int64_t cardinality() const override {
    for (std::size_t i = 1; i < inputs().size(); ++i)
      if (inputs()[i]->cardinality() == kInfinite) return kInfinite;
    return kUnknownCardinality;
  }

 private:
  const bool stop_on_empty_;
};

void directed_interleave(KernelContext& c) {
  std::vector<Ref<Dataset>> inputs{dataset_input(c, "selector_input_dataset")};
  const ElementSpec& selector = inputs[0]->spec();
  if (selector.dtypes.size() != 1 || selector.dtypes[0] != DType::kInt64 ||
      !selector.shapes[0].is_compatible_with(Shape()))
    invalid_argument("The selector input must be a dataset of scalar int64 elements.");
  ElementSpec spec;
  for (const Tensor& t : list_input(c, "data_input_datasets")) {
    inputs.push_back(dataset_in(t));
    const ElementSpec& one = inputs.back()->spec();
    if (inputs.size() == 2) {
      spec = one;
      continue;
    }
    if (one.dtypes != spec.dtypes)
      invalid_argument("All input datasets to DirectedInterleaveDataset must have the same output_types.");
    for (std::size_t i = 0; i < spec.shapes.size(); ++i)
      spec.shapes[i] = most_specific_common_supertype(spec.shapes[i], one.shapes[i]);
  }
  set_dataset(
      c, make_ref<DirectedInterleaveDataset>(std::move(spec), std::move(inputs), c.attr("stop_on_empty_dataset").b()));
}

}  // namespace

void register_directed_interleave(Registry& r) {
  add_dataset(
      r,
      {.name = "DirectedInterleaveDataset",
       .inputs = {"selector_input_dataset: variant", "data_input_datasets: N * variant"},
       .attrs = {"N: int >= 1", "stop_on_empty_dataset: bool = false"},
       .doc = "A dataset of elements of several others: the selector gives the number of the one that comes next.",
       .kernel = directed_interleave},
      {.metadata = false});
}

}  // namespace tracefn::data
