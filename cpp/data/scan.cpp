// ScanDataset: a function of a state and each element, which returns the next state and an element.
#include "data/captured_function.h"
#include "data/dataset_ops.h"

namespace tracefn::data {
namespace {

class ScanIterator final : public Iterator {
 public:
  ScanIterator(std::unique_ptr<Iterator> input, std::unique_ptr<BoundFunction> function, Element state,
               bool preserve_cardinality)
      : input_(std::move(input)),
        function_(std::move(function)),
        state_(std::move(state)),
        preserve_cardinality_(preserve_cardinality) {}

  bool next(Element& out) override {
    if (!input_->next(element_)) return false;
    const std::int64_t number = number_++;
    const std::size_t n = state_.size();
    args_.resize(n + element_.size());
    // An error leaves the state as it was.
    for (std::size_t i = 0; i < n; ++i) args_[i] = state_[i];
    for (std::size_t i = 0; i < element_.size(); ++i) args_[n + i] = std::move(element_[i]);
    try {
      function_->run(args_, results_);
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::kOutOfRange) {
        if (!preserve_cardinality_) return false;
        invalid_argument("Function invocation produced OutOfRangeError: ", e.message());
      }
      rethrow_for_element(e, "Scan", number);
    }
    if (results_.size() < n) invalid_argument("The scan function must return the state and an element.");
    out.resize(results_.size() - n);
    for (std::size_t i = 0; i < n; ++i) {
      if (results_[i].dtype() != state_[i].dtype())
        invalid_argument("Got wrong type for scan state ", i, ": expected ", runtime_name(state_[i].dtype()), ", got ",
                         runtime_name(results_[i].dtype()));
      state_[i] = std::move(results_[i]);
    }
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::move(results_[n + i]);
    return true;
  }

  void save(StateWriter& state) override {
    input_->save(state);
    state.number(number_);
    state.element(state_);
  }
  void restore(StateReader& state) override {
    input_->restore(state);
    number_ = state.count();
    Element saved = state.element();
    if (saved.size() != state_.size()) StateReader::fail_to_read();
    state_ = std::move(saved);
  }

 private:
  const std::unique_ptr<Iterator> input_;
  const std::unique_ptr<BoundFunction> function_;
  Element state_, args_, element_, results_;
  const bool preserve_cardinality_;
  std::int64_t number_ = 0;
};

class ScanDataset final : public Dataset {
 public:
  ScanDataset(ElementSpec spec, Ref<Dataset> input, CapturedFunction function, Element state, bool preserve_cardinality)
      : Dataset("Scan", std::move(spec), {std::move(input)}),
        function_(std::move(function)),
        state_(std::move(state)),
        preserve_cardinality_(preserve_cardinality) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<ScanIterator>(input().make_iterator(context), function_.bind(context), state_,
                                          preserve_cardinality_);
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
  const Element state_;
  const bool preserve_cardinality_;
};

void scan(KernelContext& c) {
  set_dataset(c, make_ref<ScanDataset>(spec_attrs(c), dataset_input(c), CapturedFunction(c, "f", "other_arguments"),
                                       list_input(c, "initial_state"), c.attr("preserve_cardinality").b()));
}

}  // namespace

void register_scan_dataset(Registry& r) {
  add_dataset(r, {.name = "ScanDataset",
                  .inputs = {"input_dataset: variant", "initial_state: Tstate", "other_arguments: Targuments"},
                  .attrs = {"f: func", "Tstate: list(type) >= 1", "Targuments: list(type) >= 0",
                            "preserve_cardinality: bool = false", "use_default_device: bool = true"},
                  .doc = "A dataset of what `f(state, element)` returns behind the next state.",
                  .kernel = scan});
}

}  // namespace tracefn::data
