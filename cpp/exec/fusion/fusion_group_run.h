// FusionGroup::Run: one call of a fusion group with given operands. Internal to exec/fusion. It lives on the
// stack of the call, owns the plans, scalars and code picked for these shapes, and borrows the group, the operands and
// the outputs' memory. The calling thread sets all that up before execute(); the tiles of several threads then read it,
// and write only the status. Inline members without a body are defined, and called, in one of those files.
#pragma once

#include <algorithm>
#include <atomic>

#include "base/poll.h"
#include "exec/fusion/fusion_group.h"
#include "ops/broadcast_plan.h"

namespace tracefn {

class FusionGroup::Run {
 public:
  Run(const FusionGroup& group, std::span<TensorRef> inputs, const Iterations* iterations)
      : group_(group), inputs_(inputs), iterations_(iterations), sources_(inputs.size() + group.constants_.size()) {
    for (std::size_t i = 0; i < inputs.size(); ++i) sources_[i].tensor = inputs[i].tensor;
    for (std::size_t i = 0; i < group.constants_.size(); ++i) sources_[inputs.size() + i].tensor = &group.constants_[i];
  }

  // For rows that the caller places (fusion_group_rows.h), of this many elements all together.
  Run(const FusionGroup& group, std::span<const char> ones, std::int64_t elements);

  // Whether all steps have the shapes of their levels.
  bool fits();
  // Of the elements, if it fits.
  const Shape& shape() const { return shape_; }
  void make_outputs(std::span<Tensor> outputs);
  void execute(ShardRunner& shards, const Node*& failed);

  // Instead of these three, for elements that are computed block by block: makes the outputs; false, with nothing done,
  // if the elements have another shape.
  bool starts_blocks(const Shape& shape, std::span<Tensor> outputs);
  // Elements at + i * stride + j, for i < rows and j < columns. Several threads may run different blocks.
  void run_block(std::int64_t at, std::int64_t rows, std::int64_t columns, std::int64_t stride);
  // Throws the error of a block.
  void end(const Node*& failed) const;

 private:
  friend class Rows;
  class Tile;  // fusion_group_tile.h

  // How a source is read: not at all (a reduction's axes), with the elements, as a scalar, as one number per row, or
  // expanded into a slot.
  enum class Mode : std::uint8_t { kUnused, kFull, kSplat, kPerRow, kExpanded };
  struct Source {
    const Tensor* tensor = nullptr;
    Mode mode = Mode::kUnused;
    const char* data = nullptr;
    std::int64_t element_size = 1;
    std::uint32_t slot = 0;
    std::uint32_t plan = 0;  // of plans_, for an expanded source
    // Rows of this length, the last dimensions, all read the same elements of an expanded source; or 0.
    std::int64_t row_length = 0;
  };
  struct Output {
    char* data;
    std::int64_t element_size;
    Level level;
  };
  struct PartCode {
    const vector_code::VectorCode* code = nullptr;
    std::uint64_t scalars = 0;  // by operand
  };

  // The scratch slots' budget per block: a part of the L1 cache.
  static constexpr std::size_t kBlockBytes = 6 * 1024;
  static constexpr std::int64_t kMostBlock = 4096, kLeastBlock = 128;
  // The same if parts keep intermediates in registers, and there are no others.
  static constexpr std::int64_t kBlockOfParts = 1 << 16;
  // Shorter rows of a block are run several at once.
  static constexpr std::int64_t kShortRow = 256;
  // Below this many nanoseconds of work, threads do not pay off.
  static constexpr double kInlineWork = 20'000;
  // Padding between slots, so that equal offsets in two of them do not map to one cache set.
  static constexpr std::size_t kSlotPadding = 192;

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
    return (static_cast<std::size_t>(n) * group_.element_bytes_ + 63) / 64 * 64 + kSlotPadding;
  }

  // The broadcast shape of the elements.
  bool find_shape();
  inline Mode mode_of(const Tensor& t, bool feeds_elements) const;
  inline bool step_fits(const Step& step) const;
  inline bool take_input(std::size_t output, const Step& step, std::int32_t at, Tensor& out);
  void find_scalars();
  // Decides whether each part can run as code, and where its operands are single elements.
  void find_codes();
  // Whether an elementwise operand is a single element, for all of them or for a row.
  bool is_one(std::int32_t maker, Place place) const {
    if (maker >= 0) return !many_rows() && group_.steps_[static_cast<std::size_t>(maker)].level != Level::kElement;
    return sources_[place].mode == Mode::kSplat || (sources_[place].mode == Mode::kPerRow && !many_rows());
  }

  bool many_rows() const { return tile_rows_ > 1; }
  // As many rows as fit into a block, if they are short. Row values are then repeated for the elements.
  inline void take_many_rows();
  Place place_for_elements(std::int32_t maker, Place place) const {
    if (!many_rows() || maker < 0) return place;
    const std::int32_t spread = group_.steps_[static_cast<std::size_t>(maker)].spread;
    return spread < 0 ? place : static_cast<Place>(first_spread()) + static_cast<Place>(spread);
  }
  Place place_of(const Step& step, std::uint32_t k) const {
    return step.level == Level::kElement || step.pair_sum ? place_for_elements(step.maker[k], step.in[k]) : step.in[k];
  }

  // A tile's slots: values, expanded sources, iteration results, and repeated row values.
  std::size_t num_tile_slots() const { return spread_slot(many_rows() ? group_.num_spreads_ : 0); }
  std::size_t spread_slot(std::size_t spread) const {
    return group_.num_slots_ + num_expanded_ + (iterations_ ? outputs_.size() : 0) + spread;
  }
  std::size_t accumulator_bytes() const { return by_rows_ ? static_cast<std::size_t>(tile_rows_) * 16 : 0; }
  std::size_t first_spread() const { return sources_.size() + group_.num_slots_ + group_.num_inner_slots_; }
  std::size_t first_output() const { return first_spread() + group_.num_spreads_; }

  std::int64_t size_for(std::size_t slots) const {
    const auto fitting = static_cast<std::int64_t>(kBlockBytes / ((slots + 1) * group_.element_bytes_));
    return std::clamp(fitting / 64 * 64, kLeastBlock, kMostBlock);
  }
  std::int64_t block_size() const {
    return num_tile_slots() == 0 && !group_.parts_.empty() ? kBlockOfParts : size_for(num_tile_slots());
  }
  std::int64_t chunk_size() const { return size_for(num_tile_slots() + group_.num_inner_slots_); }

  // For results that change per iteration, the operands they replace.
  bool keep_their_shape() const;
  void run_iterations(ShardRunner& shards);

  // The reduction at the end, over rows of any length. Rows are halved as the kernel halves them, so that the result
  // has the same bits as for a row in memory.
  void reduce(ShardRunner& shards);
  void halve(Tile& tile, std::size_t end, std::int64_t leaf, std::int64_t begin, std::int64_t n, char* acc) const;

  const FusionGroup& group_;
  std::span<TensorRef> inputs_;
  const Iterations* iterations_;  // null: one run
  SmallVector<Source, 8> sources_;
  SmallVector<BroadcastPlan, 2> plans_;
  SmallVector<Output, 2> outputs_;
  SmallVector<int, 16> scalars_;
  SmallVector<PartCode, 4> codes_;
  Shape shape_, kept_, dropped_;
  std::int64_t elements_ = 0, n_ = 1, rows_ = 0;
  std::int64_t tile_rows_ = 1;  // in a row walk
  bool by_rows_ = false;
  std::uint32_t num_expanded_ = 0;
  std::atomic<int> status_{kBlockOk};
  std::atomic<const Step*> failed_{nullptr};
};

}  // namespace tracefn
