// ShuffleDataset and its versions, ShuffleAndRepeatDataset: elements drawn at random from a buffer, in TensorFlow's
// order. If the elements are rows, the buffer holds row numbers.
#include <algorithm>
#include <deque>
#include <mutex>
#include <numeric>

#include "base/poll.h"
#include "data/dataset_ops.h"
#include "data/element_reader.h"
#include "data/iterator_context.h"
#include "data/seed_generator.h"

namespace tracefn::data {
namespace {

// Elements of some passes over the input at once, each pass a slice of a ring. Draws from the oldest slice.
template <typename Item>
class ShuffleBuffer {
 public:
  explicit ShuffleBuffer(std::int64_t capacity) : capacity_(capacity) {}

  bool full() const { return size_ >= capacity_; }
  std::int64_t size() const { return size_; }
  std::size_t num_slices() const { return slices_.size(); }
  void begin_slice() {
    const std::int64_t at = slices_.empty() ? end_ : slices_.back().end;
    slices_.push_back({at, at});
  }
  void add(Item item) {
    // The ring grows until it has been full once; until then nothing has wrapped around.
    const std::int64_t at = slices_.back().end++;
    if (at == static_cast<std::int64_t>(ring_.size()) && at < capacity_) {
      ring_.push_back(std::move(item));
    } else {
      slot(at) = std::move(item);
    }
    end_ = slices_.back().end;
    ++size_;
  }
  // Drops the oldest slice if it is empty. Precondition: size() > 0.
  bool drop_empty_slice() {
    if (slices_.front().begin != slices_.front().end) return false;
    slices_.pop_front();
    return true;
  }
  // Precondition: the oldest slice is not empty.
  Item draw(std::uint64_t random) {
    Slice& slice = slices_.front();
    const auto count = static_cast<std::uint64_t>(slice.end - slice.begin);
    Item& chosen = slot(slice.begin + static_cast<std::int64_t>(random % count));
    Item out = std::move(chosen);
    if (Item& first = slot(slice.begin); &first != &chosen) chosen = std::move(first);
    ++slice.begin;
    --size_;
    return out;
  }

  template <typename SaveItem>
  void save(StateWriter& state, SaveItem save_item) {
    state.number(static_cast<std::int64_t>(slices_.size()));
    for (const Slice& slice : slices_) {
      state.number(slice.end - slice.begin);
      for (std::int64_t at = slice.begin; at < slice.end; ++at) save_item(slot(at));
    }
  }
  template <typename RestoreItem>
  void restore(StateReader& state, RestoreItem restore_item) {
    ring_.clear();
    slices_.clear();
    end_ = size_ = 0;
    for (std::int64_t n = state.count(); n > 0; --n) {
      begin_slice();
      for (std::int64_t count = state.count(); count > 0; --count) {
        if (full()) StateReader::fail_to_read();
        add(restore_item());
      }
    }
  }

 private:
  struct Slice {
    std::int64_t begin, end;
  };

  Item& slot(std::int64_t at) {
    const auto n = static_cast<std::int64_t>(ring_.size());
    return ring_[static_cast<std::size_t>(at < n ? at : at % n)];
  }

  const std::int64_t capacity_;
  std::vector<Item> ring_;
  std::deque<Slice> slices_;
  std::int64_t end_ = 0, size_ = 0;
};

class ShuffleIterator final : public Iterator {
 public:
  ShuffleIterator(Ref<Dataset> input, std::int64_t buffer_size, std::int64_t count, Ref<SeedGenerator> seeds,
                  IteratorContext& context)
      : input_dataset_(std::move(input)),
        count_(count),
        seeds_(std::move(seeds)),
        context_(&context),
        numbers_(buffer_size),
        elements_(buffer_size),
        input_(input_dataset_->make_iterator(context)),
        rows_(input_->rows()),
        words_(Philox{}) {
    if (rows_) source_ = input_;
    reseed();
  }

  bool next(Element& out) override {
    if (rows_) {
      std::int64_t number;
      if (next_rows(1, &number) == 0) return false;
      rows_->get(number, out);
      return true;
    }
    fill(elements_, [&] {
      Element element;
      if (!input_->next(element)) return false;
      elements_.add(std::move(element));
      return true;
    });
    if (elements_.size() == 0) return false;
    out = draw(elements_);
    return true;
  }

  RowSource* rows() override { return rows_; }
  std::int64_t next_rows(std::int64_t n, std::int64_t* numbers) override {
    std::int64_t done = 0;
    for (; done < n; ++done) {
      fill(numbers_, [&] { return add_next_number(); });
      if (numbers_.size() == 0) break;
      numbers[done] = draw(numbers_);
    }
    return done;
  }

  void save(StateWriter& state) override {
    state.number(seed_.seed);
    state.number(seed_.seed2);
    state.number(drawn_);
    state.number(seeds_->passes());
    state.number(epoch_);
    state.flag(any_);
    state.flag(input_ != nullptr);
    if (input_) input_->save(state);
    state.tensor(Tensor::vector(std::span<const std::int64_t>(ahead_).subspan(ahead_at_)));
    if (rows_) {
      numbers_.save(state, [&](std::int64_t number) { state.number(number); });
    } else {
      elements_.save(state, [&](const Element& element) { state.element(element); });
    }
  }
  void restore(StateReader& state) override {
    seed_.seed = state.number();
    seed_.seed2 = state.number();
    const std::int64_t drawn = state.count();
    restart_words();
    words_ = advanced(drawn);
    drawn_ = drawn;
    seeds_->set_passes(state.count());
    epoch_ = state.count();
    any_ = state.flag();
    if (state.flag()) {
      if (!input_) input_ = input_dataset_->make_iterator(*context_);
      input_->restore(state);
    } else {
      input_ = nullptr;
    }
    const Tensor ahead = state.tensor();
    if (ahead.dtype() != DType::kInt64 || (ahead.num_elements() && !rows_)) StateReader::fail_to_read();
    ahead_.assign(ahead.span<std::int64_t>().begin(), ahead.span<std::int64_t>().end());
    ahead_at_ = 0;
    const std::int64_t num_rows = rows_ ? rows_->num_rows() : 0;
    if (std::ranges::any_of(ahead_, [&](std::int64_t row) { return row < 0 || row >= num_rows; }))
      StateReader::fail_to_read();
    if (rows_) {
      numbers_.restore(state, [&] { return state.count(num_rows - 1); });
    } else {
      elements_.restore(state, [&] { return state.element(); });
    }
  }

 private:
  // As TensorFlow bounds the passes that are in the buffer at once.
  static constexpr std::size_t kMostSlices = 3;

  template <typename Item, typename Add>
  void fill(ShuffleBuffer<Item>& buffer, Add add) {
    PolledSteps polled(256);
    for (; should_fill(buffer); polled.step()) {
      if (!input_ || epoch_ == 0) {
        if (!input_) input_ = input_dataset_->make_iterator(*context_);
        buffer.begin_slice();
        ++epoch_;
      }
      if (add()) {
        any_ = true;
        continue;
      }
      input_ = nullptr;
      // An empty dataset that is repeated forever is empty.
      if (!any_ && count_ < 0) {
        finished_ = true;
        return;
      }
    }
  }
  template <typename Item>
  bool should_fill(const ShuffleBuffer<Item>& buffer) const {
    if (finished_ || buffer.full()) return false;
    if (!input_ && count_ >= 0 && epoch_ >= count_) return false;
    return !(buffer.num_slices() > kMostSlices && buffer.size() > 0);
  }
  // Numbers are read some at a time.
  bool add_next_number() {
    if (ahead_at_ == ahead_.size()) {
      constexpr std::int64_t kBlock = 256;
      ahead_.resize(kBlock);
      ahead_.resize(static_cast<std::size_t>(input_->next_rows(kBlock, ahead_.data())));
      ahead_at_ = 0;
      if (ahead_.empty()) return false;
    }
    numbers_.add(ahead_[ahead_at_++]);
    return true;
  }

  template <typename Item>
  Item draw(ShuffleBuffer<Item>& buffer) {
    while (buffer.drop_empty_slice()) reseed();
    ++drawn_;
    return buffer.draw(words_.next());
  }

  void reseed() {
    seed_ = seeds_->next();
    restart_words();
  }
  Philox generator() const {
    return Philox::of(static_cast<std::uint64_t>(seed_.seed), 0, static_cast<std::uint64_t>(seed_.seed2));
  }
  void restart_words() {
    words_ = PhiloxWords(generator());
    drawn_ = 0;
  }
  PhiloxWords advanced(std::int64_t drawn) const {
    Philox at = generator();
    at.skip(static_cast<std::uint64_t>(drawn / 4));
    PhiloxWords words(at);
    for (std::int64_t i = 0; i < drawn % 4; ++i) words.next();
    return words;
  }

  const Ref<Dataset> input_dataset_;
  const std::int64_t count_;  // passes; < 0: forever
  const Ref<SeedGenerator> seeds_;
  const Ref<IteratorContext> context_;
  ShuffleBuffer<std::int64_t> numbers_;
  ShuffleBuffer<Element> elements_;
  std::shared_ptr<Iterator> input_;
  std::shared_ptr<Iterator> source_;  // numbers the rows
  RowSource* const rows_;
  SeedPair seed_;
  PhiloxWords words_;
  std::int64_t drawn_ = 0, epoch_ = 0;
  bool any_ = false, finished_ = false;
  std::vector<std::int64_t> ahead_;  // row numbers that the buffer has not taken yet
  std::size_t ahead_at_ = 0;
};

class ShuffleDataset final : public Dataset {
 public:
  ShuffleDataset(std::string_view kind, ElementSpec spec, Ref<Dataset> input, std::int64_t buffer_size,
                 std::int64_t count, Ref<SeedGenerator> seeds)
      : Dataset(kind, std::move(spec), {std::move(input)}),
        buffer_size_(buffer_size),
        count_(count),
        seeds_(std::move(seeds)) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<ShuffleIterator>(inputs()[0], buffer_size_, count_, seeds_, context);
  }
  // Their numbers are shuffled as a whole, once.
  std::unique_ptr<ElementReader> make_reader(IteratorContext& context) const override {
    const std::int64_t n = numbered_elements(*this);
    std::unique_ptr<ElementReader> reader = input().make_reader(context);
    if (count_ != 1) return Dataset::make_reader(context);
    return renumbered_reader(std::move(reader),
                             [order = order(n)](std::int64_t i) { return (*order)[static_cast<std::size_t>(i)]; });
  }
  std::int64_t cardinality() const override {
    const std::int64_t n = input().cardinality();
    if (count_ == 1) return n;
    if (count_ < 0) return n == 0 ? 0 : kInfinite;
    if (count_ == 0) return 0;
    std::int64_t all;
    return n < 0 ? n : __builtin_mul_overflow(n, count_, &all) ? kUnknownCardinality : all;
  }

 private:
  using Order = std::shared_ptr<const std::vector<std::int64_t>>;

  Order order(std::int64_t n) const {
    std::lock_guard lock(mutex_);
    if (order_) return order_;
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0);
    const SeedPair seed = seeds_->seeds();
    PhiloxWords words(Philox::of(static_cast<std::uint64_t>(seed.seed), 0, static_cast<std::uint64_t>(seed.seed2)));
    for (std::size_t i = 0; i < numbers.size(); ++i)
      std::swap(numbers[i], numbers[i + words.next() % (numbers.size() - i)]);
    order_ = std::make_shared<const std::vector<std::int64_t>>(std::move(numbers));
    return order_;
  }

  const std::int64_t buffer_size_, count_;
  const Ref<SeedGenerator> seeds_;
  mutable std::mutex mutex_;
  mutable Order order_;  // by number; null: nobody has asked
};

std::int64_t buffer_size_input(const KernelContext& c) {
  const auto n = scalar_input<std::int64_t>(c, "buffer_size");
  if (n == kUnknownCardinality) return INT64_MAX;  // everything
  if (n <= 0) invalid_argument("buffer_size must be greater than zero or UNKNOWN_CARDINALITY");
  return n;
}

SeedPair seed_inputs(const KernelContext& c) {
  return {scalar_input<std::int64_t>(c, "seed"), scalar_input<std::int64_t>(c, "seed2")};
}

void make(KernelContext& c, std::string_view kind, std::int64_t buffer_size, std::int64_t count,
          Ref<SeedGenerator> seeds) {
  Ref<Dataset> input = dataset_input(c);
  ElementSpec spec = input->spec();
  set_dataset(c,
              make_ref<ShuffleDataset>(kind, std::move(spec), std::move(input), buffer_size, count, std::move(seeds)));
}

void shuffle(KernelContext& c) {
  const std::int64_t buffer_size = buffer_size_input(c);
  make(c, "Shuffle", buffer_size, 1, make_ref<SeedGenerator>(seed_inputs(c), c.attr("reshuffle_each_iteration").b()));
}
void shuffle_v2(KernelContext& c) {
  const std::int64_t buffer_size = buffer_size_input(c);
  make(c, "Shuffle", buffer_size, 1, seed_generator_input(c, {}, true));
}
void shuffle_v3(KernelContext& c) {
  const std::int64_t buffer_size = buffer_size_input(c);
  make(c, "Shuffle", buffer_size, 1, seed_generator_input(c, seed_inputs(c), c.attr("reshuffle_each_iteration").b()));
}

std::int64_t count_input(const KernelContext& c) {
  const auto count = scalar_input<std::int64_t>(c, "count");
  if (count <= 0 && count != -1) invalid_argument("count must be greater than zero or equal to -1.");
  return count;
}
void shuffle_and_repeat(KernelContext& c) {
  const std::int64_t buffer_size = buffer_size_input(c), count = count_input(c);
  make(c, "ShuffleAndRepeat", buffer_size, count,
       make_ref<SeedGenerator>(seed_inputs(c), c.attr("reshuffle_each_iteration").b()));
}
void shuffle_and_repeat_v2(KernelContext& c) {
  const std::int64_t buffer_size = buffer_size_input(c), count = count_input(c);
  make(c, "ShuffleAndRepeat", buffer_size, count,
       seed_generator_input(c, seed_inputs(c), c.attr("reshuffle_each_iteration").b()));
}

}  // namespace

void register_shuffle_dataset(Registry& r) {
  constexpr std::string_view kDoc =
      "A dataset of the elements of another in random order: each is drawn from a buffer of the next `buffer_size` "
      "ones.\n\nWith the same seeds the order is TensorFlow's.";
  constexpr std::string_view kReshuffle = "reshuffle_each_iteration: bool = true";
  add_dataset(r, {.name = "ShuffleDataset",
                  .inputs = {"input_dataset: variant", "buffer_size: int64", "seed: int64", "seed2: int64"},
                  .attrs = {kReshuffle},
                  .doc = kDoc,
                  .kernel = shuffle});
  add_dataset(r, {.name = "ShuffleDatasetV2",
                  .inputs = {"input_dataset: variant", "buffer_size: int64", "seed_generator: resource"},
                  .stateful = true,
                  .doc = kDoc,
                  .kernel = shuffle_v2});
  add_dataset(r, {.name = "ShuffleDatasetV3",
                  .inputs = {"input_dataset: variant", "buffer_size: int64", "seed: int64", "seed2: int64",
                             "seed_generator: resource"},
                  .attrs = {kReshuffle},
                  .stateful = true,
                  .doc = kDoc,
                  .kernel = shuffle_v3});
  constexpr std::string_view kRepeatedDoc =
      "A dataset of the elements of another in random order, `count` times; forever if `count` is -1.";
  add_dataset(
      r, {.name = "ShuffleAndRepeatDataset",
          .inputs = {"input_dataset: variant", "buffer_size: int64", "seed: int64", "seed2: int64", "count: int64"},
          .attrs = {kReshuffle},
          .doc = kRepeatedDoc,
          .kernel = shuffle_and_repeat});
  add_dataset(r, {.name = "ShuffleAndRepeatDatasetV2",
                  .inputs = {"input_dataset: variant", "buffer_size: int64", "seed: int64", "seed2: int64",
                             "count: int64", "seed_generator: resource"},
                  .attrs = {kReshuffle},
                  .stateful = true,
                  .doc = kRepeatedDoc,
                  .kernel = shuffle_and_repeat_v2});
}

}  // namespace tracefn::data
