// FlatMapDataset: the elements of the datasets that a function makes of the elements of another.
#include "base/poll.h"
#include "data/captured_function.h"
#include "data/dataset_ops.h"
#include "data/inner_dataset.h"

namespace tracefn::data {
namespace {

class FlatMapIterator final : public Iterator {
 public:
  FlatMapIterator(std::unique_ptr<Iterator> input, std::shared_ptr<BoundFunction> function, IteratorContext& context,
                  ElementSpec spec)
      : input_(std::move(input)), maker_("FlatMap", std::move(function), context, std::move(spec)) {}

  bool next(Element& out) override {
    PolledSteps polled;
    for (;; polled.step()) {
      if (inner_) {
        if (inner_->next(out)) return true;
        inner_ = nullptr;
      }
      if (!input_->next(args_)) return false;
      made_of_ = args_;
      inner_ = maker_.make(args_, number_++);
    }
  }

  void save(StateWriter& state) override {
    input_->save(state);
    state.number(number_);
    state.flag(inner_ != nullptr);
    if (!inner_) return;
    state.element(made_of_);
    inner_->save(state);
  }
  void restore(StateReader& state) override {
    input_->restore(state);
    number_ = state.count();
    inner_ = nullptr;
    if (!state.flag()) return;
    made_of_ = state.element();
    args_ = made_of_;
    inner_ = maker_.make(args_, number_ - 1);
    inner_->restore(state);
  }

 private:
  const std::unique_ptr<Iterator> input_;
  const InnerDatasets maker_;
  std::unique_ptr<Iterator> inner_;
  Element args_, made_of_;  // the element that the current inner dataset is made of
  std::int64_t number_ = 0;
};

class FlatMapDataset final : public Dataset {
 public:
  FlatMapDataset(ElementSpec spec, Ref<Dataset> input, CapturedFunction function)
      : Dataset("FlatMap", std::move(spec), {std::move(input)}), function_(std::move(function)) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<FlatMapIterator>(input().make_iterator(context), function_.bind(context), context, spec());
  }
  std::int64_t cardinality() const override { return kUnknownCardinality; }
  void visit_owned(OwnedVisitor& visitor) const override {
    Dataset::visit_owned(visitor);
    function_.visit_owned(visitor);
  }

 private:
  const CapturedFunction function_;
};

void flat_map(KernelContext& c) {
  set_dataset(c,
              make_ref<FlatMapDataset>(spec_attrs(c), dataset_input(c), CapturedFunction(c, "f", "other_arguments")));
}

}  // namespace

void register_flat_map(Registry& r) {
  add_dataset(r, {.name = "FlatMapDataset",
                  .inputs = {"input_dataset: variant", "other_arguments: Targuments"},
                  .attrs = {"f: func", "Targuments: list(type) >= 0"},
                  .doc = "A dataset of the elements of `f(element)`, a dataset, for each element of another.",
                  .kernel = flat_map});
}

}  // namespace tracefn::data
