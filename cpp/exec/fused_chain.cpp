// The walk: shapes checked, memory found, blocks or rows run through all steps.
#include "exec/fused_chain.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "ops/broadcast_plan.h"
#include "ops/fusable.h"

namespace tracefn {
namespace {

// What the scratch slots of a block may take: a part of the first-level cache.
constexpr std::size_t kBlockBytes = 6 * 1024;
constexpr std::int64_t kMostBlock = 4096, kLeastBlock = 128;
// Below this many nanoseconds of work nothing is gained by asking for threads.
constexpr double kInlineWork = 20'000;
// Between slots, so that equal offsets in two of them do not fall into one set of the cache.
constexpr std::size_t kSlotPadding = 192;

// Memory for slots, kept by each thread.
class Scratch {
 public:
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

thread_local Scratch scratch;

}  // namespace

class FusedChain::Run {
 public:
  Run(const FusedChain& chain, std::span<KernelContext::Operand> inputs)
      : chain_(chain), inputs_(inputs), sources_(inputs.size() + chain.constants_.size()) {
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
    for (const Step& step : chain_.steps_)
      if (!step_fits(step)) return false;
    return true;
  }

  void make_outputs(std::span<Tensor> outputs) {
    for (Source& source : sources_) {
      source.data = static_cast<const char*>(source.tensor->raw());
      source.element_size = static_cast<std::int64_t>(size_of(source.tensor->dtype()));
      if (source.mode != Mode::kExpanded) continue;
      const Tensor* operand = source.tensor;
      source.plan = make_broadcast_plan(shape_, std::span<const Tensor* const>(&operand, 1));
      source.slot = static_cast<std::uint32_t>(chain_.num_slots_) + num_expanded_++;
    }
    for (std::size_t j = 0; j < outputs.size(); ++j) {
      const Step& step = chain_.steps_[static_cast<std::size_t>(chain_.output_step_[j])];
      if (!take_input(step, chain_.output_step_[j], outputs[j])) outputs[j] = Tensor(step.dtype, shape_of(step.level));
      outputs_.push_back({outputs[j].mutable_data<char>(), static_cast<std::int64_t>(size_of(step.dtype)), step.level});
    }
    find_scalars();
  }

  void execute(ShardRunner& shards, const Node*& failed) {
    if (elements_ == 0) return;
    if (by_rows_) {
      parallel_for(shards, rows_, chain_.cost_ * static_cast<double>(n_), [&](std::int64_t begin, std::int64_t end) {
        Tile tile(*this, n_);
        for (std::int64_t row = begin; row < end; ++row) tile.run(row * n_, n_, row);
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
    BroadcastPlan plan;
  };
  struct Output {
    char* data;
    std::int64_t element_size;
    Level level;
  };

  // One thread's walk: the slots, and where every place is for the elements at hand.
  class Tile {
   public:
    Tile(Run& run, std::int64_t most)
        : run_(run),
          chain_(run.chain_),
          slot_bytes_(run.slot_bytes(most)),
          slots_(scratch.at_least(slot_bytes_ * (chain_.num_slots_ + run.num_expanded_))),
          places_(run.sources_.size() + chain_.num_slots_ + run.outputs_.size()),
          masks_(chain_.masks_.size()) {
      for (std::size_t s = 0; s < chain_.num_slots_; ++s) places_[run.sources_.size() + s] = slot(s);
      for (std::size_t i = 0; i < run.sources_.size(); ++i) places_[i] = const_cast<char*>(run.sources_[i].data);
    }

    // Elements [at, at + n) through all steps; `row` is theirs when the walk goes by rows.
    void run(std::int64_t at, std::int64_t n, std::int64_t row) {
      find_sources(at, n, row);
      char** outputs = places_.data() + run_.sources_.size() + chain_.num_slots_;
      for (std::size_t j = 0; j < run_.outputs_.size(); ++j) {
        const Output& out = run_.outputs_[j];
        outputs[j] = out.data + (out.level == Level::kElement ? at : row) * out.element_size;
      }
      std::fill(masks_.begin(), masks_.end(), MaskState::kUnknown);
      for (std::size_t s = 0; s < chain_.steps_.size(); ++s) {
        const Step& step = chain_.steps_[s];
        if (step.mask >= 0 && !takes_branch(step.mask, step.branch, n)) continue;
        if (step.reduces) {
          if (!run_.by_rows_) continue;  // the one at the end, which the caller does
          alignas(16) char acc[16];
          accumulate(s, 1, n, acc);
          step.reduction.finish(acc, 1, n, places_[step.out]);
          continue;
        }
        const void* in[3];
        for (std::uint32_t k = 0; k < step.num_in; ++k) in[k] = places_[step.in[k]];
        int status = step.block.run(in, places_[step.out], step.level == Level::kElement ? n : 1, run_.scalars_[s]);
        if (status != kBlockOk) {
          status_ |= status;
          failed_ = failed_ ? std::min(failed_, &step) : &step;
        }
      }
    }
    // Step `s` reduces `rows` rows of n elements, which the steps before it have made.
    void accumulate(std::size_t s, std::int64_t rows, std::int64_t n, char* acc) const {
      const Step& step = chain_.steps_[s];
      const void* in[2];
      for (std::uint32_t k = 0; k < step.num_in; ++k) in[k] = places_[step.in[k]];
      step.accumulate(in, rows, n, run_.scalars_[s], acc);
    }
    void report() {
      if (!failed_) return;
      run_.status_.fetch_or(status_, std::memory_order_relaxed);
      run_.failed_.store(failed_, std::memory_order_release);
    }

   private:
    enum class MaskState : std::uint8_t { kUnknown, kMixed, kAllTrue, kAllFalse };

    // Whether any of the n elements takes that branch of the selections by the mask.
    bool takes_branch(std::int32_t mask, bool branch, std::int64_t n) {
      MaskState& state = masks_[static_cast<std::size_t>(mask)];
      if (state == MaskState::kUnknown) {
        const auto selection = static_cast<std::size_t>(chain_.masks_[static_cast<std::size_t>(mask)]);
        const char* flags = places_[chain_.steps_[selection].in[0]];
        const std::int64_t count = run_.scalars_[selection] & 1 ? 1 : n;
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
      const std::int64_t inner = source.plan.dims.back();
      const std::int64_t column = at % inner;
      if (source.plan.strides[0].back() == 1 && column + n <= inner) {
        std::int64_t offset = RowWalk(source.plan, at / inner).offset(0) + column;
        return const_cast<char*>(source.data + offset * source.element_size);
      }
      char* to = slot(source.slot);
      expand(source.plan, 0, source.data, to, at, n);
      return to;
    }

    Run& run_;
    const FusedChain& chain_;
    std::size_t slot_bytes_;
    char* slots_;
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
      shards.parallel_for(n, cost, shard);
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

  bool take_input(const Step& step, std::int32_t at, Tensor& out) {
    if (step.level != Level::kElement) return false;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      Tensor& t = *inputs_[i].tensor;
      if (!inputs_[i].last_use || chain_.last_reader_[i] > at || t.dtype() != step.dtype || !(t.shape() == shape_) ||
          !t.writable())
        continue;
      out = std::move(t);
      return true;
    }
    return false;
  }

  void find_scalars() {
    for (const Step& step : chain_.steps_) {
      int scalars = 0;
      const bool of_elements = step.level == Level::kElement || step.pair_sum;
      for (std::uint32_t k = 0; k < step.num_in && of_elements; ++k) {
        bool one = step.maker[k] >= 0
                       ? chain_.steps_[static_cast<std::size_t>(step.maker[k])].level != Level::kElement
                       : sources_[step.in[k]].mode == Mode::kSplat || sources_[step.in[k]].mode == Mode::kPerRow;
        scalars |= one << k;
      }
      scalars_.push_back(scalars);
    }
  }

  std::int64_t block_size() const {
    std::int64_t fitting =
        static_cast<std::int64_t>(kBlockBytes / ((chain_.num_slots_ + num_expanded_ + 1) * chain_.element_bytes_));
    return std::clamp(fitting / 64 * 64, kLeastBlock, kMostBlock);
  }

  // The reduction at the end, over rows of any length. Rows are halved as the kernel halves them, so that the result
  // has the same bits as that of a row in memory.
  void reduce(ShardRunner& shards) {
    const std::size_t end = chain_.steps_.size() - 1;
    const Step& last = chain_.steps_[end];
    const std::int64_t leaf = 64 * 64 / last.reduction.accumulator_bytes;
    // With nothing in between there are no blocks.
    const std::int64_t block = end == 0 && num_expanded_ == 0 ? elements_ : std::max(leaf, block_size() / leaf * leaf);
    RowAccumulator accumulate = [&](std::int64_t begin, std::int64_t rows, std::int64_t n, char* acc) {
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
                last.reduction, accumulate, rows_, n_, chain_.cost_, out.data, out.element_size);
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
  SmallVector<Source, 8> sources_;
  SmallVector<Output, 2> outputs_;
  SmallVector<int, 16> scalars_;
  Shape shape_, kept_, dropped_;
  std::int64_t elements_ = 0, n_ = 1, rows_ = 0;
  bool by_rows_ = false;
  std::uint32_t num_expanded_ = 0;
  std::atomic<int> status_{kBlockOk};
  std::atomic<const Step*> failed_{nullptr};
};

bool FusedChain::run(std::span<KernelContext::Operand> inputs, std::span<Tensor> outputs, ShardRunner& shards,
                     const Node*& failed) const {
  Run run(*this, inputs);
  if (!run.fits()) return false;
  run.make_outputs(outputs);
  run.execute(shards, failed);
  return true;
}

}  // namespace tracefn
