// AssertCardinalityDataset: an error at the end if there are more or fewer elements. IgnoreErrorsDataset: leaves out
// elements that cannot be computed. UniqueDataset: each value once.
#include <unordered_set>

#include "base/poll.h"
#include "data/dataset_ops.h"
#include "data/element_reader.h"
#include "data/iterator_context.h"

namespace tracefn::data {
namespace {

std::string elements_text(std::int64_t n) {
  if (n == kInfinite) return "an infinite number of elements";
  if (n == kUnknownCardinality) return "an unknown number of elements";
  return concat(n, n == 1 ? " element" : " elements");
}

class AssertCardinalityIterator final : public Iterator {
 public:
  AssertCardinalityIterator(std::unique_ptr<Iterator> input, std::int64_t expected)
      : input_(std::move(input)), expected_(expected) {}
  bool next(Element& out) override {
    if (!input_->next(out)) {
      if (expected_ != kUnknownCardinality && expected_ != number_) wrong("only", number_);
      return false;
    }
    ++number_;
    if (expected_ >= 0 && number_ > expected_) wrong("at least", number_);
    return true;
  }
  void save(StateWriter& state) override {
    input_->save(state);
    state.number(number_);
  }
  void restore(StateReader& state) override {
    input_->restore(state);
    number_ = state.count();
  }

 private:
  [[noreturn]] void wrong(std::string_view how, std::int64_t n) const {
    fail(ErrorKind::kFailedPrecondition, "Input dataset was expected to contain ", elements_text(expected_),
         " but contained ", how, " ", elements_text(n), ".");
  }

  const std::unique_ptr<Iterator> input_;
  const std::int64_t expected_;
  std::int64_t number_ = 0;
};

class AssertCardinalityDataset final : public Dataset {
 public:
  AssertCardinalityDataset(ElementSpec spec, Ref<Dataset> input, std::int64_t expected)
      : Dataset("AssertCardinality", std::move(spec), {std::move(input)}), expected_(expected) {}
  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<AssertCardinalityIterator>(input().make_iterator(context), expected_);
  }
  std::unique_ptr<ElementReader> make_reader(IteratorContext& context) const override {
    return input().make_reader(context);
  }
  std::int64_t cardinality() const override { return expected_; }

 private:
  const std::int64_t expected_;
};

class IgnoreErrorsIterator final : public Iterator {
 public:
  explicit IgnoreErrorsIterator(std::unique_ptr<Iterator> input) : input_(std::move(input)) {}
  bool next(Element& out) override {
    for (PolledSteps polled;; polled.step()) {
      try {
        return input_->next(out);
      } catch (const Error& e) {
        // What the user did to the process is not an element's.
        if (!is_status(e.kind()) || e.kind() == ErrorKind::kCancelled) throw;
      }
    }
  }
  void save(StateWriter& state) override { input_->save(state); }
  void restore(StateReader& state) override { input_->restore(state); }

 private:
  const std::unique_ptr<Iterator> input_;
};

class IgnoreErrorsDataset final : public Dataset {
 public:
  IgnoreErrorsDataset(ElementSpec spec, Ref<Dataset> input)
      : Dataset("IgnoreErrors", std::move(spec), {std::move(input)}) {}
  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<IgnoreErrorsIterator>(input().make_iterator(context));
  }
  std::int64_t cardinality() const override { return kUnknownCardinality; }
};

// The bytes of a tensor and its shape: equal for equal ones.
std::string key_of(const Tensor& t) {
  std::string key(reinterpret_cast<const char*>(t.shape().dims().begin()),
                  t.shape().dims().size() * sizeof(std::int64_t));
  if (t.dtype() != DType::kString) return key.append(static_cast<const char*>(t.raw()), t.bytes());
  for (const std::string& s : t.span<std::string>()) {
    const std::size_t n = s.size();
    key.append(reinterpret_cast<const char*>(&n), sizeof n).append(s);
  }
  return key;
}

class UniqueIterator final : public Iterator {
 public:
  explicit UniqueIterator(std::unique_ptr<Iterator> input) : input_(std::move(input)) {}
  bool next(Element& out) override {
    for (PolledSteps polled;; polled.step()) {
      if (!input_->next(out)) {
        seen_.clear();
        return false;
      }
      if (seen_.insert(key_of(out[0])).second) return true;
    }
  }
  void save(StateWriter& state) override {
    input_->save(state);
    Tensor seen(DType::kString, Shape({static_cast<std::int64_t>(seen_.size())}));
    std::copy(seen_.begin(), seen_.end(), seen.mutable_data<std::string>());
    state.tensor(std::move(seen));
  }
  void restore(StateReader& state) override {
    input_->restore(state);
    const Tensor seen = state.tensor();
    if (seen.dtype() != DType::kString) StateReader::fail_to_read();
    seen_.clear();
    seen_.insert(seen.span<std::string>().begin(), seen.span<std::string>().end());
  }

 private:
  const std::unique_ptr<Iterator> input_;
  std::unordered_set<std::string> seen_;
};

class UniqueDataset final : public Dataset {
 public:
  UniqueDataset(ElementSpec spec, Ref<Dataset> input) : Dataset("Unique", std::move(spec), {std::move(input)}) {}
  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<UniqueIterator>(input().make_iterator(context));
  }
  std::int64_t cardinality() const override { return kUnknownCardinality; }
};

void assert_cardinality(KernelContext& c) {
  Ref<Dataset> input = dataset_input(c);
  ElementSpec spec = input->spec();
  set_dataset(c, make_ref<AssertCardinalityDataset>(std::move(spec), std::move(input),
                                                    scalar_input<std::int64_t>(c, "cardinality")));
}

void ignore_errors(KernelContext& c) {
  Ref<Dataset> input = dataset_input(c);
  ElementSpec spec = input->spec();
  set_dataset(c, make_ref<IgnoreErrorsDataset>(std::move(spec), std::move(input)));
}

void unique(KernelContext& c) {
  Ref<Dataset> input = dataset_input(c);
  ElementSpec spec = input->spec();
  const bool fits = spec.dtypes.size() == 1 && (spec.dtypes[0] == DType::kInt32 || spec.dtypes[0] == DType::kInt64 ||
                                                spec.dtypes[0] == DType::kString);
  if (!fits)
    invalid_argument(
        "UniqueDataset only supports inputs with a single `tf.int32`, `tf.int64`, or `tf.string` component.");
  set_dataset(c, make_ref<UniqueDataset>(std::move(spec), std::move(input)));
}

}  // namespace

void register_checking(Registry& r) {
  const DatasetRecord plain{.metadata = false};
  add_dataset(r,
              {.name = "AssertCardinalityDataset",
               .inputs = {"input_dataset: variant", "cardinality: int64"},
               .doc = "The same dataset, with a FailedPreconditionError if it has another number of elements.",
               .kernel = assert_cardinality},
              plain);
  add_dataset(r,
              {.name = "IgnoreErrorsDataset",
               .inputs = {"input_dataset: variant"},
               .attrs = {"log_warning: bool = false"},
               .doc = "The same dataset without the elements that cannot be computed.",
               .kernel = ignore_errors},
              plain);
  add_dataset(r, {.name = "UniqueDataset",
                  .inputs = {"input_dataset: variant"},
                  .doc = "A dataset of the values of another, each once.",
                  .kernel = unique});
}

}  // namespace tracefn::data
