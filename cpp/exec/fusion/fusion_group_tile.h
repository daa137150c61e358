// FusionGroup::Run::Tile: one thread's walk. Internal to fusion_group*.cpp. It lives on its thread's stack, owns its
// slots and borrows the run. Inline members without a body are defined, and called, in fusion_group_walk.cpp.
#pragma once

#include "base/poll.h"
#include "exec/fusion/fusion_group_run.h"
#include "exec/scratch.h"

namespace tracefn {

// The slots, and the address of every place for the current elements.
class FusionGroup::Run::Tile {
 public:
  Tile(Run& run, std::int64_t most);
  ~Tile();
  Tile(const Tile&) = delete;
  Tile& operator=(const Tile&) = delete;

  // Runs elements [at, at + n) through all steps; `row` is theirs in a row walk.
  inline void run(std::int64_t at, std::int64_t n, std::int64_t row);
  // Runs elements at + i * stride + j, for i < rows and j < columns, row by row.
  inline void run_rows(std::int64_t at, std::int64_t rows, std::int64_t columns, std::int64_t stride);
  // Runs n elements, at most `block` at once, whose operands and results lie at these addresses.
  void run_placed(char* const* inputs, char* const* outputs, std::int64_t n, std::int64_t block);
  // Elements [done, n) of the same, if the group is one part.
  void finish_placed(char* const* inputs, char* const* outputs, std::int64_t done, std::int64_t n);
  // Runs elements [at, at + n) through all iterations. Changing values alternate between the output's memory and a
  // slot, so that no step overwrites what another still reads, and end in the output's memory.
  void run_iterations(std::int64_t at, std::int64_t n);
  // Step `s` reduces `rows` rows of n elements, which the steps before it produced.
  inline void accumulate(std::size_t s, std::int64_t rows, std::int64_t n, char* acc) const;
  // Reports the failure to the run.
  void report() {
    if (!failed_) return;
    run_.status_.fetch_or(status_, std::memory_order_relaxed);
    run_.failed_.store(failed_, std::memory_order_release);
  }

 private:
  enum class MaskState : std::uint8_t { kUnknown, kMixed, kAllTrue, kAllFalse };
  void forget_masks() { std::fill(masks_.begin(), masks_.end(), MaskState::kUnknown); }

  inline void run_stages(std::int64_t n);
  // Elements [done, n): by its code, if it has any; step by step, a chunk at a time, what the code cannot do.
  inline void run_part(const Stage& stage, std::int64_t done, std::int64_t n);
  // Goes on from one row of run_rows() to the next.
  inline void next_row(std::int64_t at, std::int64_t columns, std::int64_t stride);
  // The rows of a group that is one part, by its code; false, with nothing done, if it has none or some operand moves
  // irregularly from row to row.
  inline bool run_code_rows(std::int64_t at, std::int64_t rows, std::int64_t columns, std::int64_t stride);
  // Elements [begin, begin + n) of the tile; returns how many were done.
  inline std::int64_t run_code(std::int32_t part, const vector_code::VectorCode& code, std::int64_t begin,
                               std::int64_t n) const;
  // Elements [begin, begin + n) of the tile.
  inline void run_step(std::uint32_t s, std::int64_t begin, std::int64_t n);
  // Whether any of the n elements takes that branch of the selects by the mask.
  inline bool takes_branch(std::int32_t mask, bool branch, std::int64_t begin, std::int64_t n);
  // Repeats row values for the elements, if a tile has many rows.
  inline void spread(const Step& step, std::int64_t n) const;

  char* memory_of(std::size_t output, std::int64_t at) const {
    const Output& out = run_.outputs_[output];
    return out.data + at * out.element_size;
  }
  // The slots after those of expanded sources, one for each output.
  char* spare_slot(std::size_t output) const { return slot(group_.num_slots_ + run_.num_expanded_ + output); }
  char* slot(std::size_t i) const { return slots_ + i * slot_bytes_; }

  inline void find_sources(std::int64_t at, std::int64_t n, std::int64_t row);
  inline void find_outputs(std::int64_t at, std::int64_t row);
  inline char* expanded(const Source& source, std::int64_t at, std::int64_t n) const;

  Run& run_;
  PolledSteps polled_;  // of iterations
  const FusionGroup& group_;
  std::size_t slot_bytes_;
  std::int64_t chunk_;  // the number of elements in an inner slot
  Scratch scratch_;     // held for the whole tile: a poll may run another group on this thread
  char* slots_;
  char* accumulators_;
  SmallVector<char*, 16> places_;
  SmallVector<MaskState, 4> masks_;
  int status_ = kBlockOk;
  const Step* failed_ = nullptr;
};

}  // namespace tracefn
