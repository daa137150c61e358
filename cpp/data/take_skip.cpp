// TakeDataset, SkipDataset: the first elements of another dataset, or all but those.
#include "base/poll.h"
#include "data/dataset_ops.h"
#include "data/element_reader.h"
#include "data/iterator_context.h"

namespace tracefn::data {
namespace {

class TakeIterator final : public Iterator {
 public:
  TakeIterator(std::unique_ptr<Iterator> input, std::int64_t left) : input_(std::move(input)), left_(left) {}

  bool next(Element& out) override {
    if (left_ <= 0 || !input_) return false;
    --left_;
    if (input_->next(out)) return true;
    left_ = 0;
    return false;
  }
  std::int64_t skip(std::int64_t n) override {
    const std::int64_t skipped = input_->skip(std::min(n, left_));
    left_ -= skipped;
    return skipped;
  }
  RowSource* rows() override { return input_->rows(); }
  std::int64_t next_rows(std::int64_t n, std::int64_t* numbers) override {
    const std::int64_t got = input_->next_rows(std::min(n, left_), numbers);
    left_ -= got;
    return got;
  }

  void save(StateWriter& state) override {
    state.number(left_);
    input_->save(state);
  }
  void restore(StateReader& state) override {
    left_ = state.count();
    input_->restore(state);
  }

 private:
  const std::unique_ptr<Iterator> input_;
  std::int64_t left_;
};

class SkipIterator final : public Iterator {
 public:
  SkipIterator(std::unique_ptr<Iterator> input, std::int64_t left) : input_(std::move(input)), left_(left) {}

  bool next(Element& out) override {
    skip_first();
    return input_->next(out);
  }
  std::int64_t skip(std::int64_t n) override {
    skip_first();
    return input_->skip(n);
  }
  RowSource* rows() override { return input_->rows(); }
  std::int64_t next_rows(std::int64_t n, std::int64_t* numbers) override {
    skip_first();
    return input_->next_rows(n, numbers);
  }

  void save(StateWriter& state) override {
    state.number(left_);
    input_->save(state);
  }
  void restore(StateReader& state) override {
    left_ = state.count();
    input_->restore(state);
  }

 private:
  // One by one if that may fail: an element that fails is one of those that are skipped.
  void skip_first() {
    if (left_ == 0) return;
    if (input_->rows()) {
      input_->skip(std::exchange(left_, 0));
      return;
    }
    Element element;
    for (PolledSteps polled; left_ > 0; polled.step()) {
      --left_;
      if (!input_->next(element)) left_ = 0;
    }
  }

  const std::unique_ptr<Iterator> input_;
  std::int64_t left_;
};

class TakeDataset final : public Dataset {
 public:
  TakeDataset(ElementSpec spec, Ref<Dataset> input, std::int64_t count)
      : Dataset("Take", std::move(spec), {std::move(input)}), count_(count) {}
  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<TakeIterator>(input().make_iterator(context), count_ < 0 ? INT64_MAX : count_);
  }
  std::unique_ptr<ElementReader> make_reader(IteratorContext& context) const override {
    numbered_elements(*this);
    return input().make_reader(context);
  }
  std::int64_t cardinality() const override {
    const std::int64_t n = input().cardinality();
    if (n == kUnknownCardinality || count_ < 0) return n;
    return n == kInfinite ? count_ : std::min(n, count_);
  }

 private:
  const std::int64_t count_;
};

class SkipDataset final : public Dataset {
 public:
  SkipDataset(ElementSpec spec, Ref<Dataset> input, std::int64_t count)
      : Dataset("Skip", std::move(spec), {std::move(input)}), count_(count) {}
  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    std::unique_ptr<Iterator> input_iterator = input().make_iterator(context);
    // A negative count skips everything.
    if (count_ < 0) return std::make_unique<TakeIterator>(std::move(input_iterator), 0);
    return std::make_unique<SkipIterator>(std::move(input_iterator), count_);
  }
  std::unique_ptr<ElementReader> make_reader(IteratorContext& context) const override {
    numbered_elements(*this);
    return renumbered_reader(input().make_reader(context), [n = count_](std::int64_t i) { return i + n; });
  }
  std::int64_t cardinality() const override {
    const std::int64_t n = input().cardinality();
    if (n < 0) return n;
    return count_ < 0 ? 0 : std::max<std::int64_t>(n - count_, 0);
  }

 private:
  const std::int64_t count_;
};

template <typename Made>
void make(KernelContext& c) {
  Ref<Dataset> input = dataset_input(c);
  const auto count = scalar_input<std::int64_t>(c, "count");
  ElementSpec spec = input->spec();
  set_dataset(c, make_ref<Made>(std::move(spec), std::move(input), count));
}

}  // namespace

void register_take_skip(Registry& r) {
  add_dataset(r, {.name = "TakeDataset",
                  .inputs = {"input_dataset: variant", "count: int64"},
                  .doc = "A dataset of the first `count` elements of another; of all if `count` is negative.",
                  .kernel = make<TakeDataset>});
  add_dataset(r, {.name = "SkipDataset",
                  .inputs = {"input_dataset: variant", "count: int64"},
                  .doc = "A dataset of the elements of another behind the first `count`; empty if `count` is negative.",
                  .kernel = make<SkipDataset>});
}

}  // namespace tracefn::data
