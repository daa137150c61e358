// Iterations of a fusion group, all of them per block.
#include "base/poll.h"
#include "exec/fusion/fusion_group_tile.h"

namespace tracefn {
namespace {

// The block size for iterations: most of the L1 cache.
constexpr std::size_t kBlockOfIterations = 24 * 1024;

}  // namespace

bool FusionGroup::Run::keep_their_shape() const {
  if (group_.num_reductions_) return false;
  for (std::size_t j = 0; j < iterations_->changing.size(); ++j) {
    const Tensor& before = *inputs_[iterations_->changing[j]].tensor;
    const Step& step = group_.steps_[static_cast<std::size_t>(group_.output_step_[j])];
    if (step.level != Level::kElement || before.dtype() != step.dtype || !(before.shape() == shape_)) return false;
  }
  return true;
}

void FusionGroup::Run::run_iterations(ShardRunner& shards) {
  std::size_t arrays = num_tile_slots();
  for (const Source& source : sources_) arrays += source.mode == Mode::kFull || source.mode == Mode::kExpanded;
  const auto fitting = static_cast<std::int64_t>(kBlockOfIterations / (arrays * group_.element_bytes_));
  // Blocks of equal size, since each block has a fixed cost per iteration.
  const std::int64_t most = std::clamp(fitting / 64 * 64, kLeastBlock, kMostBlock);
  const std::int64_t num_blocks = (elements_ + most - 1) / most;
  const std::int64_t block = ((elements_ + num_blocks - 1) / num_blocks + 63) / 64 * 64;
  parallel_for(shards, num_blocks, group_.cost_ * static_cast<double>(block * iterations_->number),
               [&](std::int64_t begin, std::int64_t end) {
                 Tile tile(*this, block);
                 const std::int64_t stop = std::min(end * block, elements_);
                 for (std::int64_t at = begin * block; at < stop; at += block)
                   tile.run_iterations(at, std::min(block, stop - at));
                 tile.report();
               });
}

}  // namespace tracefn
