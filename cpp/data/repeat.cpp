// RepeatDataset: another dataset, several times.
#include "base/poll.h"
#include "data/dataset_ops.h"
#include "data/element_reader.h"
#include "data/iterator_context.h"

namespace tracefn::data {
namespace {

class RepeatIterator final : public Iterator {
 public:
  // `count` < 0: forever.
  RepeatIterator(Ref<Dataset> input, std::int64_t count, IteratorContext& context)
      : input_(std::move(input)), context_(&context), left_(count) {
    begin();
    has_rows_ = current_ && current_->rows() != nullptr;
    // Every pass makes its own iterator: what numbers rows must outlive it, and the first one stays for that.
    if (has_rows_) source_ = std::move(first_);
  }

  bool next(Element& out) override {
    PolledSteps polled;
    while (current_) {
      if (current_->next(out)) {
        any_ = true;
        return true;
      }
      advance();
      polled.step();
    }
    return false;
  }
  RowSource* rows() override { return has_rows_ ? source_->rows() : nullptr; }
  std::int64_t next_rows(std::int64_t n, std::int64_t* numbers) override {
    std::int64_t done = 0;
    PolledSteps polled;
    while (current_ && done < n) {
      const std::int64_t got = current_->next_rows(n - done, numbers + done);
      done += got;
      any_ |= got > 0;
      if (done < n) advance();
      polled.step();
    }
    return done;
  }

  void save(StateWriter& state) override {
    state.number(left_);
    state.flag(any_);
    state.flag(current_ != nullptr);
    if (current_) current_->save(state);
  }
  void restore(StateReader& state) override {
    left_ = state.number();
    any_ = state.flag();
    if (!state.flag()) {
      current_ = nullptr;
      return;
    }
    if (!current_) begin_anew();
    current_->restore(state);
  }

 private:
  void begin() {
    if (left_ == 0) return;
    if (left_ > 0) --left_;
    begin_anew();
  }
  void begin_anew() {
    std::shared_ptr<Iterator> made = input_->make_iterator(*context_);
    if (!first_) first_ = made;
    current_ = std::move(made);
    any_ = false;
  }
  void advance() {
    // An empty dataset that is repeated forever is empty.
    const bool forever_nothing = left_ < 0 && !any_;
    current_ = nullptr;
    if (!forever_nothing) begin();
  }

  const Ref<Dataset> input_;
  const Ref<IteratorContext> context_;
  std::int64_t left_;  // further passes
  bool any_ = false;   // the current pass has had an element
  bool has_rows_ = false;
  std::shared_ptr<Iterator> current_, first_, source_;
};

class RepeatDataset final : public Dataset {
 public:
  RepeatDataset(ElementSpec spec, Ref<Dataset> input, std::int64_t count)
      : Dataset("Repeat", std::move(spec), {std::move(input)}), count_(count) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<RepeatIterator>(inputs()[0], count_, context);
  }
  std::unique_ptr<ElementReader> make_reader(IteratorContext& context) const override {
    numbered_elements(*this);
    return renumbered_reader(input().make_reader(context),
                             [n = input().cardinality()](std::int64_t i) { return n == 0 ? 0 : i % n; });
  }
  std::int64_t cardinality() const override {
    const std::int64_t n = input().cardinality();
    if (count_ < 0) return n == 0 ? 0 : kInfinite;
    if (count_ == 0) return 0;
    if (n < 0) return n;
    std::int64_t all;
    return __builtin_mul_overflow(n, count_, &all) ? kUnknownCardinality : all;
  }

 private:
  const std::int64_t count_;
};

void repeat(KernelContext& c) {
  Ref<Dataset> input = dataset_input(c);
  const auto count = scalar_input<std::int64_t>(c, "count");
  ElementSpec spec = input->spec();
  set_dataset(c, make_ref<RepeatDataset>(std::move(spec), std::move(input), count));
}

}  // namespace

void register_repeat(Registry& r) {
  add_dataset(r, {.name = "RepeatDataset",
                  .inputs = {"input_dataset: variant", "count: int64"},
                  .doc = "A dataset of the elements of another, `count` times; forever if `count` is negative.",
                  .kernel = repeat});
}

}  // namespace tracefn::data
