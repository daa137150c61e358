// FilterDataset: the elements for which a function is true. Rows stay rows: if the predicate works on many at once, it
// is asked for a block of them. TakeWhileDataset: the elements up to the first one for which a function is false.
#include "base/poll.h"
#include "data/captured_function.h"
#include "data/dataset_ops.h"

namespace tracefn::data {
namespace {

class FilterIterator final : public Iterator {
 public:
  FilterIterator(std::unique_ptr<Iterator> input, std::unique_ptr<BoundFunction> predicate)
      : input_(std::move(input)),
        predicate_(std::move(predicate)),
        rows_(input_->rows() && predicate_->works_on_rows() && predicate_->num_results() == 1 ? input_->rows()
                                                                                              : nullptr) {}

  bool next(Element& out) override {
    if (rows_) {
      std::int64_t number;
      if (next_rows(1, &number) == 0) return false;
      rows_->get(number, out);
      return true;
    }
    PolledSteps polled;
    for (;; polled.step()) {
      if (!input_->next(out)) return false;
      const std::int64_t number = number_++;
      args_ = out;
      try {
        predicate_->run(args_, results_);
        if (predicate_result(results_)) return true;
      } catch (const Error& e) {
        if (e.kind() == ErrorKind::kOutOfRange) return false;
        rethrow_for_element(e, "Filter", number);
      }
    }
  }

  RowSource* rows() override { return rows_; }
  std::int64_t next_rows(std::int64_t n, std::int64_t* numbers) override {
    std::int64_t done = 0;
    PolledSteps polled;
    while (done < n) {
      if (found_at_ == found_.size() && !find_more()) break;
      while (done < n && found_at_ < found_.size()) numbers[done++] = found_[found_at_++];
      polled.step();
    }
    return done;
  }

  void save(StateWriter& state) override {
    input_->save(state);
    state.number(number_);
    state.tensor(Tensor::vector(std::span<const std::int64_t>(found_).subspan(found_at_)));
  }
  void restore(StateReader& state) override {
    input_->restore(state);
    number_ = state.count();
    const Tensor found = state.tensor();
    if (found.dtype() != DType::kInt64 || (found.num_elements() && !rows_)) StateReader::fail_to_read();
    found_.assign(found.span<std::int64_t>().begin(), found.span<std::int64_t>().end());
    found_at_ = 0;
  }

 private:
  // A block of the input; it may have no element that is wanted. False at the end.
  bool find_more() {
    constexpr std::int64_t kBlock = 256;
    std::int64_t numbers[kBlock];
    const std::int64_t n = input_->next_rows(kBlock, numbers);
    found_.clear();
    found_at_ = 0;
    if (n == 0) return false;
    rows_->gather({numbers, static_cast<std::size_t>(n)}, args_);
    predicate_->run_rows(args_, results_);
    if (results_[0].dtype() != DType::kBool || results_[0].num_elements() != n)
      invalid_argument("`predicate` must returns a scalar bool tensor.");
    const bool* wanted = results_[0].data<bool>();
    for (std::int64_t i = 0; i < n; ++i)
      if (wanted[i]) found_.push_back(numbers[i]);
    return true;
  }

  const std::unique_ptr<Iterator> input_;
  const std::unique_ptr<BoundFunction> predicate_;
  RowSource* const rows_;
  Element args_, results_;
  std::int64_t number_ = 0;
  std::vector<std::int64_t> found_;  // row numbers that come next
  std::size_t found_at_ = 0;
};

class TakeWhileIterator final : public Iterator {
 public:
  TakeWhileIterator(std::unique_ptr<Iterator> input, std::unique_ptr<BoundFunction> predicate)
      : input_(std::move(input)), predicate_(std::move(predicate)) {}

  bool next(Element& out) override {
    if (done_ || !input_->next(out)) return false;
    const std::int64_t number = number_++;
    args_ = out;
    try {
      predicate_->run(args_, results_);
      done_ = !predicate_result(results_);
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::kOutOfRange) return false;
      rethrow_for_element(e, "TakeWhile", number);
    }
    return !done_;
  }

  void save(StateWriter& state) override {
    state.flag(done_);
    state.number(number_);
    input_->save(state);
  }
  void restore(StateReader& state) override {
    done_ = state.flag();
    number_ = state.count();
    input_->restore(state);
  }

 private:
  const std::unique_ptr<Iterator> input_;
  const std::unique_ptr<BoundFunction> predicate_;
  Element args_, results_;
  bool done_ = false;
  std::int64_t number_ = 0;
};

// A dataset whose iterators, of the class `Made`, ask a function about each element.
template <typename Made>
class PredicateDataset final : public Dataset {
 public:
  PredicateDataset(std::string_view kind, ElementSpec spec, Ref<Dataset> input, CapturedFunction predicate)
      : Dataset(kind, std::move(spec), {std::move(input)}), predicate_(std::move(predicate)) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<Made>(input().make_iterator(context), predicate_.bind(context));
  }
  std::int64_t cardinality() const override { return kUnknownCardinality; }
  void visit_owned(OwnedVisitor& visitor) const override {
    Dataset::visit_owned(visitor);
    predicate_.visit_owned(visitor);
  }

 private:
  const CapturedFunction predicate_;
};

template <typename Made>
void make(KernelContext& c, std::string_view kind) {
  set_dataset(c, make_ref<PredicateDataset<Made>>(kind, spec_attrs(c), dataset_input(c),
                                                  CapturedFunction(c, "predicate", "other_arguments")));
}
void filter(KernelContext& c) { make<FilterIterator>(c, "Filter"); }
void take_while(KernelContext& c) { make<TakeWhileIterator>(c, "TakeWhile"); }

}  // namespace

void register_filter(Registry& r) {
  add_dataset(r, {.name = "FilterDataset",
                  .inputs = {"input_dataset: variant", "other_arguments: Targuments"},
                  .attrs = {"predicate: func", "Targuments: list(type) >= 0"},
                  .doc = "A dataset of the elements of another for which `predicate` is true.",
                  .kernel = filter});
  add_dataset(r, {.name = "ParallelFilterDataset",
                  .inputs = {"input_dataset: variant", "other_arguments: Targuments", "num_parallel_calls: int64"},
                  .attrs = {"predicate: func", "deterministic: string = 'default'", "Targuments: list(type) >= 0"},
                  .doc = "A dataset of the elements of another for which `predicate` is true.",
                  .kernel = filter});
  add_dataset(r, {.name = "TakeWhileDataset",
                  .inputs = {"input_dataset: variant", "other_arguments: Targuments"},
                  .attrs = {"predicate: func", "Targuments: list(type) >= 0"},
                  .doc = "A dataset of the elements of another before the first one for which `predicate` is false.",
                  .kernel = take_while});
}

}  // namespace tracefn::data
