// The walk: shapes checked, memory found, blocks or rows run through all steps.
#include "exec/fused_chain.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "base/poll.h"
#include "ops/broadcast_plan.h"
#include "ops/fusable.h"

namespace tracefn {

using vector_code::VectorCode;

namespace {

// What the scratch slots of a block may take: a part of the first-level cache.
constexpr std::size_t kBlockBytes = 6 * 1024;
constexpr std::int64_t kMostBlock = 4096, kLeastBlock = 128;
// Where parts keep what is in between in registers, and nothing else is in between.
constexpr std::int64_t kBlockOfParts = 1 << 16;
// What a tile of several rows takes.
constexpr std::int64_t kBlockOfRows = 16 * 1024;
// What a block takes of which all trips are made: most of the first-level cache.
constexpr std::size_t kBlockOfTrips = 24 * 1024;
// Nanoseconds of a chain's work after which its parts are translated, which takes some ten thousands.
constexpr std::int64_t kWorthTranslating = 50'000;
std::atomic<std::int64_t> worth_translating{kWorthTranslating};
// Below this many nanoseconds of work nothing is gained by asking for threads.
constexpr double kInlineWork = 20'000;
// Between slots, so that equal offsets in two of them do not fall into one set of the cache.
constexpr std::size_t kSlotPadding = 192;

// Memory for slots. Each thread keeps what its last tile had.
class Scratch {
 public:
  Scratch() = default;
  Scratch(Scratch&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Scratch& operator=(Scratch&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Scratch() { std::free(memory_); }
  char* at_least(std::size_t bytes) {
    if (bytes > bytes_) {
      std::free(memory_);
      bytes_ = (bytes + 63) / 64 * 64;
      memory_ = static_cast<char*>(std::aligned_alloc(64, bytes_));
      if (!memory_) {
        bytes_ = 0;
        throw std::bad_alloc();
      }
    }
    return memory_;
  }

 private:
  char* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

thread_local Scratch kept_scratch;

}  // namespace

class FusedChain::Run {
 public:
  Run(const FusedChain& chain, std::span<KernelContext::Operand> inputs, const Trips* trips)
      : chain_(chain), inputs_(inputs), trips_(trips), sources_(inputs.size() + chain.constants_.size()) {
    for (std::size_t i = 0; i < inputs.size(); ++i) sources_[i].tensor = inputs[i].tensor;
    for (std::size_t i = 0; i < chain.constants_.size(); ++i) sources_[inputs.size() + i].tensor = &chain.constants_[i];
  }

  // Whether all steps have the shapes that their levels say.
  bool fits() {
    if (!find_shape()) return false;
    elements_ = shape_.num_elements();
    n_ = 1;
    if (chain_.num_reductions_) {
      if (shape_.rank() < chain_.reduced_axes_) return false;
      int first = shape_.rank() - chain_.reduced_axes_;
      for (int axis = 0; axis < shape_.rank(); ++axis) {
        kept_.push_back(axis < first ? shape_[axis] : 1);
        if (axis < first) dropped_.push_back(shape_[axis]);
        if (axis >= first) n_ *= shape_[axis];
      }
      if (elements_ == 0) return false;
    }
    rows_ = n_ ? elements_ / n_ : 0;
    by_rows_ = chain_.goes_by_rows();
    if (by_rows_ && (n_ < kShortestRow || n_ > kLongestRow)) return false;
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (chain_.last_reader_[i] >= 0) sources_[i].mode = mode_of(*sources_[i].tensor, chain_.feeds_elements_[i]);
    if (by_rows_) take_many_rows();
    for (const Step& step : chain_.steps_)
      if (!step_fits(step)) return false;
    return !trips_ || keep_their_shape();
  }

  void make_outputs(std::span<Tensor> outputs) {
    for (Source& source : sources_) {
      source.data = static_cast<const char*>(source.tensor->raw());
      source.element_size = static_cast<std::int64_t>(size_of(source.tensor->dtype()));
      if (source.mode != Mode::kExpanded) continue;
      const Tensor* operand = source.tensor;
      source.plan = static_cast<std::uint32_t>(plans_.size());
      plans_.push_back(make_broadcast_plan(shape_, std::span<const Tensor* const>(&operand, 1)));
      source.slot = static_cast<std::uint32_t>(chain_.num_slots_) + num_expanded_++;
    }
    for (std::size_t j = 0; j < outputs.size(); ++j) {
      const Step& step = chain_.steps_[static_cast<std::size_t>(chain_.output_step_[j])];
      if (!take_input(j, step, chain_.output_step_[j], outputs[j]))
        outputs[j] = Tensor(step.dtype, shape_of(step.level));
      outputs_.push_back({outputs[j].mutable_data<char>(), static_cast<std::int64_t>(size_of(step.dtype)), step.level});
    }
    find_scalars();
  }

  void execute(ShardRunner& shards, const Node*& failed) {
    if (elements_ == 0) return;
    find_codes();
    if (trips_) {
      make_trips(shards);
    } else if (by_rows_) {
      parallel_for(shards, rows_, chain_.cost_ * static_cast<double>(n_), [&](std::int64_t begin, std::int64_t end) {
        Tile tile(*this, tile_rows_ * n_);
        for (std::int64_t row = begin; row < end; row += tile_rows_)
          tile.run(row * n_, std::min(tile_rows_, end - row) * n_, row);
        tile.report();
      });
    } else if (chain_.num_reductions_) {
      reduce(shards);
    } else {
      const std::int64_t block = block_size();
      parallel_for(shards, elements_, chain_.cost_, [&](std::int64_t begin, std::int64_t end) {
        Tile tile(*this, block);
        for (std::int64_t at = begin; at < end; at += block) tile.run(at, std::min(block, end - at), 0);
        tile.report();
      });
    }
    if (const Step* step = failed_.load(std::memory_order_acquire)) {
      failed = step->node;
      check_status(status_.load(std::memory_order_relaxed));
    }
  }

 private:
  // How a source is read: not at all (a reduction's axes), with the elements, as one number, as one number per row, or
  // expanded into a slot.
  enum class Mode : std::uint8_t { kUnused, kFull, kSplat, kPerRow, kExpanded };
  struct Source {
    const Tensor* tensor = nullptr;
    Mode mode = Mode::kUnused;
    const char* data = nullptr;
    std::int64_t element_size = 1;
    std::uint32_t slot = 0;
    std::uint32_t plan = 0;  // of plans_, for one that is expanded
  };
  struct Output {
    char* data;
    std::int64_t element_size;
    Level level;
  };

  // One thread's walk: the slots, and where every place is for the elements at hand.
  class Tile {
   public:
    // `asks`: on the thread of the call, which asks whether the user wants to stop.
    Tile(Run& run, std::int64_t most, bool asks = false)
        : run_(run),
          asks_(asks),
          chain_(run.chain_),
          slot_bytes_(run.slot_bytes(most)),
          chunk_(std::min(most, run.chunk_size())),
          scratch_(std::move(kept_scratch)),
          slots_(scratch_.at_least(slot_bytes_ * run.num_tile_slots() +
                                   run.slot_bytes(chunk_) * chain_.num_inner_slots_ + run.accumulator_bytes())),
          places_(run.first_output() + run.outputs_.size()),
          masks_(chain_.masks_.size()) {
      char** slots = places_.data() + run.sources_.size();
      for (std::size_t s = 0; s < chain_.num_slots_; ++s) slots[s] = slot(s);
      for (std::size_t s = 0; s < chain_.num_inner_slots_; ++s)
        slots[chain_.num_slots_ + s] = slot(run.num_tile_slots()) + s * run.slot_bytes(chunk_);
      accumulators_ = slot(run.num_tile_slots()) + chain_.num_inner_slots_ * run.slot_bytes(chunk_);
      if (run.many_rows())
        for (std::size_t s = 0; s < chain_.num_spreads_; ++s)
          places_[run.first_spread() + s] = slot(run.spread_slot(s));
      for (std::size_t i = 0; i < run.sources_.size(); ++i) places_[i] = const_cast<char*>(run.sources_[i].data);
    }

    ~Tile() { kept_scratch = std::move(scratch_); }
    Tile(const Tile&) = delete;
    Tile& operator=(const Tile&) = delete;

    // Elements [at, at + n) through all steps; `row` is theirs when the walk goes by rows.
    void run(std::int64_t at, std::int64_t n, std::int64_t row) {
      find_sources(at, n, row);
      char** outputs = places_.data() + run_.first_output();
      for (std::size_t j = 0; j < run_.outputs_.size(); ++j) {
        const Output& out = run_.outputs_[j];
        outputs[j] = out.data + (out.level == Level::kElement ? at : row) * out.element_size;
      }
      run_stages(n);
    }
    // Elements [at, at + n) through all steps again and again. What changes lies in the output's memory and in a slot
    // in turns, so that no step writes what another still reads, and ends in the output's memory.
    void make_trips(std::int64_t at, std::int64_t n) {
      find_sources(at, n, 0);
      char** outputs = places_.data() + run_.first_output();
      const Trips& trips = *run_.trips_;
      for (std::size_t j = 0; j < run_.outputs_.size(); ++j) {
        char*& input = places_[trips.changing[j]];
        if (trips.number % 2 == 0 || input != memory_of(j, at)) continue;
        std::memcpy(spare_slot(j), input, static_cast<std::size_t>(n * run_.outputs_[j].element_size));
        input = spare_slot(j);
      }
      for (std::int64_t left = trips.number; left > 0 && !run_.stopped(); --left) {
        if (asks_) run_.ask();
        for (std::size_t j = 0; j < run_.outputs_.size(); ++j) outputs[j] = left % 2 ? memory_of(j, at) : spare_slot(j);
        run_stages(n);
        for (std::size_t j = 0; j < run_.outputs_.size(); ++j) places_[trips.changing[j]] = outputs[j];
      }
    }
    // Where a tile has many rows, a number of each, repeated for its elements.
    void spread(const Step& step, std::int64_t n) const {
      if (!run_.many_rows() || step.spread < 0) return;
      repeat_each(places_[step.out], places_[run_.first_spread() + static_cast<std::size_t>(step.spread)], n / run_.n_,
                  run_.n_, static_cast<std::int64_t>(size_of(step.dtype)));
    }
    // Step `s` reduces `rows` rows of n elements, which the steps before it have made.
    void accumulate(std::size_t s, std::int64_t rows, std::int64_t n, char* acc) const {
      const Step& step = chain_.steps_[s];
      const void* in[2];
      for (std::uint32_t k = 0; k < step.num_in; ++k) in[k] = places_[run_.place_of(step, k)];
      step.accumulate(in, rows, n, run_.scalars_[s], acc);
    }
    void report() {
      if (!failed_) return;
      run_.status_.fetch_or(status_, std::memory_order_relaxed);
      run_.failed_.store(failed_, std::memory_order_release);
    }

   private:
    enum class MaskState : std::uint8_t { kUnknown, kMixed, kAllTrue, kAllFalse };
    void forget_masks() { std::fill(masks_.begin(), masks_.end(), MaskState::kUnknown); }

    void run_stages(std::int64_t n) {
      forget_masks();
      for (const Stage& stage : chain_.stages_) {
        if (stage.end - stage.first > 1) {
          run_part(stage, n);
          forget_masks();
        } else {
          run_step(stage.first, 0, n);
        }
      }
    }

    char* memory_of(std::size_t output, std::int64_t at) const {
      const Output& out = run_.outputs_[output];
      return out.data + at * out.element_size;
    }
    // Of the slots after those for expanded sources, one for each output.
    char* spare_slot(std::size_t output) const { return slot(chain_.num_slots_ + run_.num_expanded_ + output); }

    // By its code, where there is one; step by step what the code cannot do, a chunk at a time.
    void run_part(const Stage& stage, std::int64_t n) {
      const VectorCode* code = stage.part >= 0 ? run_.codes_[static_cast<std::size_t>(stage.part)].code : nullptr;
      for (std::int64_t done = 0; done < n;) {
        if (code) {
          done += run_code(stage.part, *code, done, n - done);
          if (done == n) return;
        }
        const std::int64_t m = std::min(chunk_, n - done);
        forget_masks();
        for (std::uint32_t s = stage.first; s < stage.end; ++s) run_step(s, done, m);
        done += m;
      }
    }

    // Elements [begin, begin + n) of the tile; how many of them were done.
    std::int64_t run_code(std::int32_t part, const VectorCode& code, std::int64_t begin, std::int64_t n) const {
      const std::span<const ChainPart::Operand> operands = chain_.parts_[static_cast<std::size_t>(part)]->operands();
      const std::uint64_t scalars = run_.codes_[static_cast<std::size_t>(part)].scalars;
      void* places[ChainPart::kMostOperands];
      for (std::size_t k = 0; k < operands.size(); ++k) {
        const std::int64_t step = scalars >> k & 1 ? 0 : static_cast<std::int64_t>(size_of(operands[k].dtype));
        places[k] = places_[run_.place_for_elements(operands[k].maker, operands[k].place)] + begin * step;
      }
      return code.run(places, n);
    }

    // Elements [begin, begin + n) of the tile.
    void run_step(std::uint32_t s, std::int64_t begin, std::int64_t n) {
      const Step& step = chain_.steps_[s];
      if (step.mask >= 0 && !takes_branch(step.mask, step.branch, begin, n)) return;
      if (step.reduces) {
        if (!run_.by_rows_) return;  // the one at the end, which the caller does
        accumulate(s, n / run_.n_, run_.n_, accumulators_);
        step.reduction.finish(accumulators_, n / run_.n_, run_.n_, places_[step.out]);
        return spread(step, n);
      }
      const bool of_elements = step.level == Level::kElement;
      const int scalars = run_.scalars_[s];
      const void* in[3];
      for (std::uint32_t k = 0; k < step.num_in; ++k)
        in[k] = places_[run_.place_of(step, k)] + (scalars >> k & 1 ? 0 : begin * step.in_bytes[k]);
      const int status =
          step.block.run(in, places_[step.out] + begin * step.out_bytes, of_elements ? n : n / run_.n_, scalars);
      if (!of_elements) spread(step, n);
      if (status != kBlockOk) {
        status_ |= status;
        failed_ = failed_ ? std::min(failed_, &step) : &step;
      }
    }

    // Whether any of the n elements takes that branch of the selections by the mask.
    bool takes_branch(std::int32_t mask, bool branch, std::int64_t begin, std::int64_t n) {
      MaskState& state = masks_[static_cast<std::size_t>(mask)];
      if (state == MaskState::kUnknown) {
        const auto selection = static_cast<std::size_t>(chain_.masks_[static_cast<std::size_t>(mask)]);
        const Step& step = chain_.steps_[selection];
        const bool one = run_.scalars_[selection] & 1;
        const char* flags = places_[run_.place_of(step, 0)] + (one ? 0 : begin * step.in_bytes[0]);
        const std::int64_t count = one ? 1 : n;
        const bool alike = std::memcmp(flags, flags + 1, static_cast<std::size_t>(count - 1)) == 0;
        state = !alike ? MaskState::kMixed : *flags ? MaskState::kAllTrue : MaskState::kAllFalse;
      }
      return state != (branch ? MaskState::kAllFalse : MaskState::kAllTrue);
    }

    char* slot(std::size_t i) const { return slots_ + i * slot_bytes_; }

    void find_sources(std::int64_t at, std::int64_t n, std::int64_t row) {
      for (std::size_t i = 0; i < run_.sources_.size(); ++i) {
        const Source& source = run_.sources_[i];
        switch (source.mode) {
          case Mode::kUnused:
          case Mode::kSplat:
            break;
          case Mode::kFull:
            places_[i] = const_cast<char*>(source.data + at * source.element_size);
            break;
          case Mode::kPerRow:
            places_[i] = const_cast<char*>(source.data + row * source.element_size);
            break;
          case Mode::kExpanded:
            places_[i] = expanded(source, at, n);
            break;
        }
      }
    }

    char* expanded(const Source& source, std::int64_t at, std::int64_t n) const {
      const BroadcastPlan& plan = run_.plans_[source.plan];
      const std::int64_t inner = plan.dims.back();
      const std::int64_t column = at % inner;
      if (plan.strides[0].back() == 1 && column + n <= inner) {
        std::int64_t offset = RowWalk(plan, at / inner).offset(0) + column;
        return const_cast<char*>(source.data + offset * source.element_size);
      }
      char* to = slot(source.slot);
      expand(plan, 0, source.data, to, at, n);
      return to;
    }

    Run& run_;
    bool asks_;
    const FusedChain& chain_;
    std::size_t slot_bytes_;
    std::int64_t chunk_;  // how many elements an inner slot holds
    Scratch scratch_;     // taken for so long: what asks for signals may run another chain on this thread
    char* slots_;
    char* accumulators_;
    SmallVector<char*, 16> places_;
    SmallVector<MaskState, 4> masks_;
    int status_ = kBlockOk;
    const Step* failed_ = nullptr;
  };

  template <typename Shard>
  static void parallel_for(ShardRunner& shards, std::int64_t n, double cost, const Shard& shard) {
    if (static_cast<double>(n) * cost < kInlineWork) {
      shard(0, n);
    } else {
      shards.parallel_for(n, cost, std::cref(shard));  // a reference needs no memory of std::function's
    }
  }

  const Shape& shape_of(Level level) const {
    return level == Level::kElement ? shape_ : level == Level::kKept ? kept_ : dropped_;
  }
  std::size_t slot_bytes(std::int64_t n) const {
    return (static_cast<std::size_t>(n) * chain_.element_bytes_ + 63) / 64 * 64 + kSlotPadding;
  }

  // The shape that the elements have together.
  bool find_shape() {
    bool first = true;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (!chain_.feeds_elements_[i]) continue;
      const Shape& shape = sources_[i].tensor->shape();
      if (first) {
        shape_ = shape;
        first = false;
      } else if (!(shape == shape_) && !shape.is_scalar()) {
        if (!can_broadcast(shape_, shape)) return false;
        shape_ = broadcast(shape_, shape);
      }
    }
    return !first;
  }

  Mode mode_of(const Tensor& t, bool feeds_elements) const {
    std::int64_t n = t.num_elements();
    if (n == elements_ && t.rank() <= shape_.rank()) return Mode::kFull;
    if (n == 1) return Mode::kSplat;
    // Under the elements, a shape without the reduced axes would lie along the last axes, not along the rows.
    if (by_rows_ && (t.shape() == kept_ || (!feeds_elements && t.shape() == dropped_))) return Mode::kPerRow;
    return Mode::kExpanded;
  }

  bool step_fits(const Step& step) const {
    if ((step.level != Level::kElement || step.reduces) && !step.pair_sum) {
      for (std::uint32_t k = 0; k < step.num_in; ++k) {
        if (step.maker[k] >= 0) continue;  // of the right level, as compiled
        const Source& source = sources_[step.in[k]];
        const Shape& shape = source.tensor->shape();
        if (step.reduces) {
          if (!(shape == shape_)) return false;
        } else if (!shape.is_scalar() && !(source.mode == Mode::kPerRow && shape == shape_of(step.level))) {
          return false;
        }
      }
      return true;
    }
    for (std::uint32_t k = 0; k < step.num_in; ++k) {
      if (step.maker[k] >= 0 ? chain_.steps_[static_cast<std::size_t>(step.maker[k])].level == Level::kElement
                             : sources_[step.in[k]].tensor->shape() == shape_)
        return true;
    }
    // No operand has the full shape by itself; together they may.
    Shape together;
    for (std::uint32_t k = 0; k < step.num_in; ++k)
      together = broadcast(together, step.maker[k] >= 0 ? kept_ : sources_[step.in[k]].tensor->shape());
    return together == shape_;
  }

  // Of results that change in trips, those that they replace.
  bool keep_their_shape() const {
    if (chain_.num_reductions_) return false;
    for (std::size_t j = 0; j < trips_->changing.size(); ++j) {
      const Tensor& before = *inputs_[trips_->changing[j]].tensor;
      const Step& step = chain_.steps_[static_cast<std::size_t>(chain_.output_step_[j])];
      if (step.level != Level::kElement || before.dtype() != step.dtype || !(before.shape() == shape_)) return false;
    }
    return true;
  }

  void make_trips(ShardRunner& shards) {
    std::size_t arrays = num_tile_slots();
    for (const Source& source : sources_) arrays += source.mode == Mode::kFull || source.mode == Mode::kExpanded;
    const auto fitting = static_cast<std::int64_t>(kBlockOfTrips / (arrays * chain_.element_bytes_));
    // Blocks of one size, since a block costs a little for each trip, however small it is.
    const std::int64_t most = std::clamp(fitting / 64 * 64, kLeastBlock, kMostBlock);
    const std::int64_t num_blocks = (elements_ + most - 1) / most;
    const std::int64_t block = ((elements_ + num_blocks - 1) / num_blocks + 63) / 64 * 64;
    const std::thread::id caller = std::this_thread::get_id();
    poll_.emplace();
    parallel_for(shards, num_blocks, chain_.cost_ * static_cast<double>(block * trips_->number),
                 [&](std::int64_t begin, std::int64_t end) {
                   Tile tile(*this, block, std::this_thread::get_id() == caller);
                   const std::int64_t stop = std::min(end * block, elements_);
                   for (std::int64_t at = begin * block; at < stop && !stopped(); at += block)
                     tile.make_trips(at, std::min(block, stop - at));
                   tile.report();
                 });
    if (interrupted_) std::rethrow_exception(interrupted_);
  }

  // On the thread of the call, whether the user wants to stop: what is thrown goes on from there, once all are done.
  void ask() {
    if (!trips_->interrupt || !poll_->due()) return;
    try {
      trips_->interrupt->check();
    } catch (...) {
      interrupted_ = std::current_exception();
      stopped_.store(true, std::memory_order_relaxed);
    }
  }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

  bool take_input(std::size_t output, const Step& step, std::int32_t at, Tensor& out) {
    if (step.level != Level::kElement) return false;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      Tensor& t = *inputs_[i].tensor;
      const bool free = trips_ ? i == trips_->changing[output] : chain_.last_reader_[i] <= at;
      if (!inputs_[i].last_use || !free || t.dtype() != step.dtype || !(t.shape() == shape_) || !t.writable()) continue;
      out = std::move(t);
      return true;
    }
    return false;
  }

  void find_scalars() {
    for (const Step& step : chain_.steps_) {
      int scalars = 0;
      const bool of_elements = step.level == Level::kElement || step.pair_sum;
      for (std::uint32_t k = 0; k < step.num_in; ++k) {
        const bool one = of_elements ? is_one(step.maker[k], step.in[k])
                                     : step.maker[k] < 0 && sources_[step.in[k]].mode == Mode::kSplat;
        scalars |= one << k;
      }
      scalars_.push_back(scalars);
    }
  }

  // Of whether each part can run as code, and where its operands are single elements.
  void find_codes() {
    if (chain_.parts_.empty()) return;
    const double passes = trips_ ? static_cast<double>(trips_->number) : 1.0;
    const auto work = static_cast<std::int64_t>(std::min(chain_.cost_ * static_cast<double>(elements_) * passes, 1e15));
    const std::int64_t least = worth_translating.load(std::memory_order_relaxed);
    bool worth = chain_.worked_.load(std::memory_order_relaxed) >= least;
    if (!worth) worth = chain_.worked_.fetch_add(work, std::memory_order_relaxed) + work >= least;
    for (const auto& part : chain_.parts_) {
      PartCode& found = codes_.emplace_back();
      const std::span<const ChainPart::Operand> operands = part->operands();
      for (std::size_t k = 0; k < operands.size(); ++k)
        if (is_one(operands[k].maker, operands[k].place)) found.scalars |= std::uint64_t{1} << k;
      if (worth) found.code = part->code(found.scalars);
    }
  }

  // Whether an operand of elements is one, for all of them or for a row.
  bool is_one(std::int32_t maker, Place place) const {
    if (maker >= 0) return !many_rows() && chain_.steps_[static_cast<std::size_t>(maker)].level != Level::kElement;
    return sources_[place].mode == Mode::kSplat || (sources_[place].mode == Mode::kPerRow && !many_rows());
  }

  bool many_rows() const { return tile_rows_ > 1; }
  // As many rows as fit into a block, if they are short. Numbers of rows are then repeated for the elements.
  void take_many_rows() {
    std::size_t repeated = chain_.num_spreads_;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const bool of_rows = sources_[i].mode == Mode::kPerRow && chain_.feeds_elements_[i];
      if (of_rows && chain_.feeds_rows_[i]) return;  // it would have to be read in both ways
      repeated += of_rows || sources_[i].mode == Mode::kExpanded;
    }
    const auto row_bytes = static_cast<std::int64_t>((chain_.num_slots_ + repeated + 1) * chain_.element_bytes_) * n_;
    tile_rows_ = std::clamp<std::int64_t>(kBlockOfRows / row_bytes, 1, rows_);
    if (!many_rows()) return;
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (sources_[i].mode == Mode::kPerRow && chain_.feeds_elements_[i]) sources_[i].mode = Mode::kExpanded;
  }
  Place place_for_elements(std::int32_t maker, Place place) const {
    if (!many_rows() || maker < 0) return place;
    const std::int32_t spread = chain_.steps_[static_cast<std::size_t>(maker)].spread;
    return spread < 0 ? place : static_cast<Place>(first_spread()) + static_cast<Place>(spread);
  }
  Place place_of(const Step& step, std::uint32_t k) const {
    return step.level == Level::kElement || step.pair_sum ? place_for_elements(step.maker[k], step.in[k]) : step.in[k];
  }

  // Slots of a tile: of values, expanded sources, results of trips, and repeated numbers of rows.
  std::size_t num_tile_slots() const { return spread_slot(many_rows() ? chain_.num_spreads_ : 0); }
  std::size_t spread_slot(std::size_t spread) const {
    return chain_.num_slots_ + num_expanded_ + (trips_ ? outputs_.size() : 0) + spread;
  }
  std::size_t accumulator_bytes() const { return by_rows_ ? static_cast<std::size_t>(tile_rows_) * 16 : 0; }
  std::size_t first_spread() const { return sources_.size() + chain_.num_slots_ + chain_.num_inner_slots_; }
  std::size_t first_output() const { return first_spread() + chain_.num_spreads_; }

  std::int64_t size_for(std::size_t slots) const {
    const auto fitting = static_cast<std::int64_t>(kBlockBytes / ((slots + 1) * chain_.element_bytes_));
    return std::clamp(fitting / 64 * 64, kLeastBlock, kMostBlock);
  }
  std::int64_t block_size() const {
    return num_tile_slots() == 0 && !chain_.parts_.empty() ? kBlockOfParts : size_for(num_tile_slots());
  }
  std::int64_t chunk_size() const { return size_for(num_tile_slots() + chain_.num_inner_slots_); }

  // The reduction at the end, over rows of any length. Rows are halved as the kernel halves them, so that the result
  // has the same bits as that of a row in memory.
  void reduce(ShardRunner& shards) {
    const std::size_t end = chain_.steps_.size() - 1;
    const Step& last = chain_.steps_[end];
    const std::int64_t leaf = 64 * 64 / last.reduction.accumulator_bytes;
    // With nothing in between there are no blocks.
    const std::int64_t block = end == 0 && num_expanded_ == 0 ? elements_ : std::max(leaf, block_size() / leaf * leaf);
    const auto accumulate = [&](std::int64_t begin, std::int64_t rows, std::int64_t n, char* acc) {
      Tile tile(*this, block);
      const std::int64_t acc_size = last.reduction.accumulator_bytes;
      if (n <= block) {
        const std::int64_t at_once = std::max<std::int64_t>(1, block / std::max<std::int64_t>(n, 1));
        for (std::int64_t row = 0; row < rows; row += at_once) {
          std::int64_t count = std::min(at_once, rows - row);
          tile.run(begin + row * n, count * n, 0);
          tile.accumulate(end, count, n, acc + row * acc_size);
        }
      } else {
        for (std::int64_t row = 0; row < rows; ++row) halve(tile, end, leaf, begin + row * n, n, acc + row * acc_size);
      }
      tile.report();
    };
    const Output& out = outputs_[static_cast<std::size_t>(last.output)];
    reduce_rows([&](std::int64_t n, double cost, const auto& shard) { parallel_for(shards, n, cost, shard); },
                last.reduction, std::cref(accumulate), rows_, n_, chain_.cost_, out.data, out.element_size);
  }

  void halve(Tile& tile, std::size_t end, std::int64_t leaf, std::int64_t begin, std::int64_t n, char* acc) const {
    if (n <= leaf) {
      tile.run(begin, n, 0);
      tile.accumulate(end, 1, n, acc);
      return;
    }
    const ReduceKernel& reduction = chain_.steps_[end].reduction;
    const std::int64_t half = (n / 2 + leaf - 1) / leaf * leaf;
    alignas(16) char both[32];
    halve(tile, end, leaf, begin, half, both);
    halve(tile, end, leaf, begin + half, n - half, both + reduction.accumulator_bytes);
    reduction.merge(both, 2, 1, 1, acc);
  }

  const FusedChain& chain_;
  std::span<KernelContext::Operand> inputs_;
  const Trips* trips_;  // null: one run
  SmallVector<Source, 8> sources_;
  SmallVector<BroadcastPlan, 2> plans_;
  SmallVector<Output, 2> outputs_;
  SmallVector<int, 16> scalars_;
  struct PartCode {
    const VectorCode* code = nullptr;
    std::uint64_t scalars = 0;  // by operand
  };
  SmallVector<PartCode, 4> codes_;
  Shape shape_, kept_, dropped_;
  std::int64_t elements_ = 0, n_ = 1, rows_ = 0;
  std::int64_t tile_rows_ = 1;  // of a walk by rows
  bool by_rows_ = false;
  std::uint32_t num_expanded_ = 0;
  std::optional<Poll> poll_;  // of trips
  std::exception_ptr interrupted_;
  std::atomic<bool> stopped_{false};
  std::atomic<int> status_{kBlockOk};
  std::atomic<const Step*> failed_{nullptr};
};

void FusedChain::translate_after(std::optional<std::int64_t> nanoseconds) {
  worth_translating.store(nanoseconds.value_or(kWorthTranslating), std::memory_order_relaxed);
}

bool FusedChain::run(std::span<KernelContext::Operand> inputs, std::span<Tensor> outputs, ShardRunner& shards,
                     const Node*& failed, const Trips* trips) const {
  Run run(*this, inputs, trips);
  if (!run.fits()) return false;
  run.make_outputs(outputs);
  run.execute(shards, failed);
  return true;
}

}  // namespace tracefn
