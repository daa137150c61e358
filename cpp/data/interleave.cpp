// InterleaveDataset, ParallelInterleaveDataset and its versions: the elements of several datasets at a time, in turn.
// In parallel, each dataset that is open and one of the first `num_parallel_calls` has a thread that reads it ahead.
#include "base/poll.h"
#include "data/dataset_ops.h"
#include "data/fetch_ahead.h"
#include "data/inner_dataset.h"

namespace tracefn::data {
namespace {

constexpr std::int64_t kTuned = -1;

struct Interleaving {
  std::int64_t cycle_length, block_length;
  std::int64_t parallel = 0, ahead = 0;  // threads, and elements that each reads ahead
  InOrder order = InOrder::kYes;
};

// An open dataset.
class Source {
 public:
  Source(std::unique_ptr<Iterator> iterator, std::int64_t ahead) {
    if (ahead) {
      ahead_ = std::make_unique<FetchAhead>(std::move(iterator), ahead);
    } else {
      iterator_ = std::move(iterator);
    }
  }
  bool next(Element& out) { return ahead_ ? ahead_->next(out) : iterator_->next(out); }
  void begin() {
    if (ahead_) ahead_->start();
  }
  // Whether next() need not wait for a thread.
  bool ready() const { return !ahead_ || ahead_->ready(); }
  void save(StateWriter& state) { ahead_ ? ahead_->save(state) : iterator_->save(state); }
  void restore(StateReader& state) { ahead_ ? ahead_->restore(state) : iterator_->restore(state); }

 private:
  std::unique_ptr<Iterator> iterator_;
  std::unique_ptr<FetchAhead> ahead_;
};

class InterleaveIterator final : public Iterator {
 public:
  InterleaveIterator(std::unique_ptr<Iterator> input, InnerDatasets maker, const Interleaving& how, bool in_order)
      : input_(std::move(input)),
        maker_(std::move(maker)),
        how_(how),
        in_order_(in_order),
        slots_(static_cast<std::size_t>(how.cycle_length)) {}

  bool next(Element& out) override {
    PolledSteps polled;
    for (; !ended_ || open_ > 0; polled.step()) {
      if (how_.parallel) open_all();
      if (!in_order_) take_ready_slot();
      Slot& slot = slots_[static_cast<std::size_t>(cycle_)];
      if (slot.source) {
        if (slot.source->next(out)) {
          if (++block_ == how_.block_length) next_in_cycle();
          return true;
        }
        slot.source = nullptr;
        --open_;
        next_in_cycle();
      } else if (!ended_) {
        open(static_cast<std::size_t>(cycle_));
      } else {
        next_in_cycle();
      }
    }
    return false;
  }

  void save(StateWriter& state) override {
    input_->save(state);
    state.number(cycle_);
    state.number(block_);
    state.number(number_);
    state.flag(ended_);
    for (Slot& slot : slots_) {
      state.flag(slot.source != nullptr);
      if (!slot.source) continue;
      state.number(slot.number);
      state.element(slot.made_of);
      slot.source->save(state);
    }
  }
  void restore(StateReader& state) override {
    input_->restore(state);
    cycle_ = state.count(how_.cycle_length - 1);
    block_ = state.count(how_.block_length);
    number_ = state.count();
    ended_ = state.flag();
    open_ = 0;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      slots_[i].source = nullptr;
      if (!state.flag()) continue;
      slots_[i].number = state.count();
      slots_[i].made_of = state.element();
      make_source(i);
      slots_[i].source->restore(state);
    }
  }

 private:
  struct Slot {
    std::unique_ptr<Source> source;
    Element made_of;  // the element of the input that it is made of
    std::int64_t number = 0;
  };

  void next_in_cycle() {
    block_ = 0;
    cycle_ = (cycle_ + 1) % how_.cycle_length;
  }
  void open(std::size_t i) {
    if (!input_->next(slots_[i].made_of)) {
      ended_ = true;
      return;
    }
    slots_[i].number = number_++;
    make_source(i);
  }
  void make_source(std::size_t i) {
    Element args = slots_[i].made_of;
    const bool in_parallel = static_cast<std::int64_t>(i) < how_.parallel;
    slots_[i].source = std::make_unique<Source>(maker_.make(args, slots_[i].number), in_parallel ? how_.ahead : 0);
    ++open_;
  }
  // Threads begin with all that may be open: those from the current one on, in the order in which they will be asked.
  void open_all() {
    for (std::int64_t k = 0; k < how_.cycle_length && !ended_; ++k) {
      const auto i = static_cast<std::size_t>((cycle_ + k) % how_.cycle_length);
      if (slots_[i].source) continue;
      open(i);
      if (slots_[i].source) slots_[i].source->begin();
    }
  }
  // Goes to one that has an element, if there is one and the current one has not.
  void take_ready_slot() {
    for (std::int64_t k = 0; k < how_.cycle_length; ++k) {
      const std::int64_t at = (cycle_ + k) % how_.cycle_length;
      const Slot& slot = slots_[static_cast<std::size_t>(at)];
      if (!slot.source || !slot.source->ready()) continue;
      if (k) block_ = 0;
      cycle_ = at;
      return;
    }
  }

  const std::unique_ptr<Iterator> input_;
  const InnerDatasets maker_;
  const Interleaving how_;
  const bool in_order_;
  std::vector<Slot> slots_;
  std::int64_t cycle_ = 0, block_ = 0, open_ = 0, number_ = 0;
  bool ended_ = false;
};

class InterleaveDataset final : public Dataset {
 public:
  InterleaveDataset(std::string_view kind, ElementSpec spec, Ref<Dataset> input, CapturedFunction function,
                    const Interleaving& how)
      : Dataset(kind, std::move(spec), {std::move(input)}), function_(std::move(function)), how_(how) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<InterleaveIterator>(input().make_iterator(context),
                                                InnerDatasets(kind(), function_.bind(context), context, spec()), how_,
                                                context.keeps_order(how_.order));
  }
  std::int64_t cardinality() const override { return kUnknownCardinality; }
  void visit_owned(OwnedVisitor& visitor) const override {
    Dataset::visit_owned(visitor);
    function_.visit_owned(visitor);
  }

 private:
  const CapturedFunction function_;
  const Interleaving how_;
};

// A slot takes memory, whether it is used or not.
constexpr std::int64_t kMostSlots = std::int64_t{1} << 20;

void make(KernelContext& c, std::string_view kind, const Interleaving& how) {
  if (how.cycle_length > kMostSlots)
    fail(ErrorKind::kResourceExhausted, "A cycle_length of ", how.cycle_length, " is more than the ", kMostSlots,
         " that are supported.");
  set_dataset(c, make_ref<InterleaveDataset>(kind, spec_attrs(c), dataset_input(c),
                                             CapturedFunction(c, "f", "other_arguments"), how));
}

void interleave(KernelContext& c) {
  Interleaving how{scalar_input<std::int64_t>(c, "cycle_length"), scalar_input<std::int64_t>(c, "block_length")};
  if (how.cycle_length == kTuned) how.cycle_length = num_processors();
  if (how.cycle_length <= 0) invalid_argument("cycle_length must be greater than zero.");
  if (how.block_length <= 0) invalid_argument("block_length must be greater than zero.");
  make(c, "Interleave", how);
}

void in_parallel(KernelContext& c, InOrder order, std::int64_t buffer) {
  Interleaving how{scalar_input<std::int64_t>(c, "cycle_length"), scalar_input<std::int64_t>(c, "block_length")};
  const std::int64_t processors = num_processors();
  const auto parallel = scalar_input<std::int64_t>(c, "num_parallel_calls");
  if (how.cycle_length <= 0 && how.cycle_length != kTuned)
    invalid_argument("`cycle_length` must be `tf.data.AUTOTUNE` or greater than 0 but is ", how.cycle_length);
  if (how.block_length <= 0) invalid_argument("`block_length` must be > 0");
  if (parallel <= 0 && parallel != kTuned) invalid_argument("num_parallel_calls must be greater than zero.");
  if (how.cycle_length != kTuned && parallel > how.cycle_length)
    invalid_argument(
        "If `cycle_length` is set to a fixed value, `num_parallel_calls` must be either `tf.data.AUTOTUNE` or a value "
        "less than or equal to `cycle_length`. However, `num_parallel_calls` is ",
        parallel, " and `cycle_length` is ", how.cycle_length);
  // The order of the elements depends on it, so it is TensorFlow's, which has three threads for a dataset in mind.
  constexpr std::int64_t kThreads = 3;
  if (how.cycle_length == kTuned)
    how.cycle_length = parallel == kTuned ? (processors + kThreads - 1) / kThreads : parallel;
  how.parallel = parallel == kTuned ? std::min(how.cycle_length, processors) : parallel;
  how.ahead = buffer == kTuned ? FetchAhead::kTuned : buffer;
  how.order = order;
  make(c, "ParallelInterleave", how);
}

std::int64_t element_count(const KernelContext& c, std::string_view name, std::int64_t least) {
  const auto n = scalar_input<std::int64_t>(c, name);
  if (n < least && n != kTuned)
    invalid_argument("`", name, "` must be `tf.data.AUTOTUNE` or >", least ? "" : "=", " 0 but is ", n);
  return n;
}

// All of the cycle at once.
void legacy(KernelContext& c, InOrder order) {
  Interleaving how{scalar_input<std::int64_t>(c, "cycle_length"), scalar_input<std::int64_t>(c, "block_length")};
  if (how.cycle_length <= 0) invalid_argument("`cycle_length` must be > 0");
  if (how.block_length <= 0) invalid_argument("`block_length` must be > 0");
  const auto buffer = scalar_input<std::int64_t>(c, "buffer_output_elements"),
             ahead = scalar_input<std::int64_t>(c, "prefetch_input_elements");
  if (buffer < 0 && buffer != kTuned)
    invalid_argument("`buffer_output_elements` must be `tf.data.AUTOTUNE` or >= 0 but is ", buffer);
  if (ahead < 0 && ahead != kTuned)
    invalid_argument("`prefetch_input_elements` must be `tf.data.AUTOTUNE` or >= 0 but is ", ahead);
  how.parallel = how.cycle_length;
  how.ahead = buffer == kTuned ? FetchAhead::kTuned : std::max<std::int64_t>(buffer, 1);
  how.order = order;
  make(c, "ParallelInterleave", how);
}

void parallel_v1(KernelContext& c) { legacy(c, order_of(scalar_input<bool>(c, "sloppy"))); }
void legacy_v2(KernelContext& c) { legacy(c, order_attr(c)); }
void parallel_v2(KernelContext& c) { in_parallel(c, order_of(c.attr("sloppy").b()), kTuned); }
void parallel_v3(KernelContext& c) { in_parallel(c, order_attr(c), kTuned); }
void parallel_v4(KernelContext& c) {
  const std::int64_t buffer = element_count(c, "buffer_output_elements", 1);
  element_count(c, "prefetch_input_elements", 0);
  in_parallel(c, order_attr(c), buffer);
}

}  // namespace

void register_interleave(Registry& r) {
  const std::vector<std::string_view> inputs = {"input_dataset: variant", "other_arguments: Targuments",
                                                "cycle_length: int64", "block_length: int64"};
  constexpr std::string_view kDoc =
      "A dataset of the elements of `cycle_length` datasets at a time, which `f` makes of elements: `block_length` of "
      "one, then of the next.";
  auto add = [&](std::string_view name, std::vector<std::string_view> more_inputs, std::vector<std::string_view> attrs,
                 KernelFn kernel) {
    OpRecord record{.name = name,
                    .inputs = inputs,
                    .attrs = {"f: func", "Targuments: list(type) >= 0"},
                    .doc = kDoc,
                    .kernel = kernel};
    record.inputs.insert(record.inputs.end(), more_inputs.begin(), more_inputs.end());
    record.attrs.insert(record.attrs.end(), attrs.begin(), attrs.end());
    add_dataset(r, std::move(record));
  };
  add("InterleaveDataset", {}, {}, interleave);
  add("ParallelInterleaveDataset", {"sloppy: bool", "buffer_output_elements: int64", "prefetch_input_elements: int64"},
      {}, parallel_v1);
  add("LegacyParallelInterleaveDatasetV2", {"buffer_output_elements: int64", "prefetch_input_elements: int64"},
      {"deterministic: string = 'default'"}, legacy_v2);
  add("ParallelInterleaveDatasetV2", {"num_parallel_calls: int64"}, {"sloppy: bool = false"}, parallel_v2);
  add("ParallelInterleaveDatasetV3", {"num_parallel_calls: int64"}, {"deterministic: string = 'default'"}, parallel_v3);
  add("ParallelInterleaveDatasetV4",
      {"buffer_output_elements: int64", "prefetch_input_elements: int64", "num_parallel_calls: int64"},
      {"deterministic: string = 'default'"}, parallel_v4);
}

}  // namespace tracefn::data
