// Iterations of a fusion group, all of them per block.
#include "base/poll.h"
#include "exec/fused_chain_tile.h"

namespace tracefn {
namespace {

// The block size for iterations: most of the L1 cache.
constexpr std::size_t kBlockOfTrips = 24 * 1024;

}  // namespace

bool FusedChain::Run::keep_their_shape() const {
  if (chain_.num_reductions_) return false;
  for (std::size_t j = 0; j < trips_->changing.size(); ++j) {
    const Tensor& before = *inputs_[trips_->changing[j]].tensor;
    const Step& step = chain_.steps_[static_cast<std::size_t>(chain_.output_step_[j])];
    if (step.level != Level::kElement || before.dtype() != step.dtype || !(before.shape() == shape_)) return false;
  }
  return true;
}

void FusedChain::Run::make_trips(ShardRunner& shards) {
  std::size_t arrays = num_tile_slots();
  for (const Source& source : sources_) arrays += source.mode == Mode::kFull || source.mode == Mode::kExpanded;
  const auto fitting = static_cast<std::int64_t>(kBlockOfTrips / (arrays * chain_.element_bytes_));
  // Blocks of equal size, since each block has a fixed cost per iteration.
  const std::int64_t most = std::clamp(fitting / 64 * 64, kLeastBlock, kMostBlock);
  const std::int64_t num_blocks = (elements_ + most - 1) / most;
  const std::int64_t block = ((elements_ + num_blocks - 1) / num_blocks + 63) / 64 * 64;
  parallel_for(shards, num_blocks, chain_.cost_ * static_cast<double>(block * trips_->number),
               [&](std::int64_t begin, std::int64_t end) {
                 Tile tile(*this, block);
                 const std::int64_t stop = std::min(end * block, elements_);
                 for (std::int64_t at = begin * block; at < stop; at += block)
                   tile.make_trips(at, std::min(block, stop - at));
                 tile.report();
               });
}

}  // namespace tracefn
