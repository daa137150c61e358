// FusedChain::Run::Tile: one thread's walk. Internal to fused_chain*.cpp. It lives on the stack of the thread that it
// is for, owns its slots and borrows the run.
// Members declared inline without a body are defined, and called, in fused_chain_walk.cpp.
#pragma once

#include "base/poll.h"
#include "exec/fused_chain_run.h"
#include "exec/scratch.h"

namespace tracefn {

// The slots, and where every place is for the elements at hand.
class FusedChain::Run::Tile {
 public:
  Tile(Run& run, std::int64_t most);
  ~Tile();
  Tile(const Tile&) = delete;
  Tile& operator=(const Tile&) = delete;

  // Elements [at, at + n) through all steps; `row` is theirs when the walk goes by rows.
  inline void run(std::int64_t at, std::int64_t n, std::int64_t row);
  // Elements [at, at + n) through all steps again and again. What changes lies in the output's memory and in a slot
  // in turns, so that no step writes what another still reads, and ends in the output's memory.
  void make_trips(std::int64_t at, std::int64_t n);
  // Step `s` reduces `rows` rows of n elements, which the steps before it have made.
  inline void accumulate(std::size_t s, std::int64_t rows, std::int64_t n, char* acc) const;
  // What failed, to the run.
  void report() {
    if (!failed_) return;
    run_.status_.fetch_or(status_, std::memory_order_relaxed);
    run_.failed_.store(failed_, std::memory_order_release);
  }

 private:
  enum class MaskState : std::uint8_t { kUnknown, kMixed, kAllTrue, kAllFalse };
  void forget_masks() { std::fill(masks_.begin(), masks_.end(), MaskState::kUnknown); }

  inline void run_stages(std::int64_t n);
  // By its code, where there is one; step by step what the code cannot do, a chunk at a time.
  inline void run_part(const Stage& stage, std::int64_t n);
  // Elements [begin, begin + n) of the tile; how many of them were done.
  inline std::int64_t run_code(std::int32_t part, const vector_code::VectorCode& code, std::int64_t begin,
                               std::int64_t n) const;
  // Elements [begin, begin + n) of the tile.
  inline void run_step(std::uint32_t s, std::int64_t begin, std::int64_t n);
  // Whether any of the n elements takes that branch of the selections by the mask.
  inline bool takes_branch(std::int32_t mask, bool branch, std::int64_t begin, std::int64_t n);
  // Where a tile has many rows, a number of each, repeated for its elements.
  inline void spread(const Step& step, std::int64_t n) const;

  char* memory_of(std::size_t output, std::int64_t at) const {
    const Output& out = run_.outputs_[output];
    return out.data + at * out.element_size;
  }
  // Of the slots after those for expanded sources, one for each output.
  char* spare_slot(std::size_t output) const { return slot(chain_.num_slots_ + run_.num_expanded_ + output); }
  char* slot(std::size_t i) const { return slots_ + i * slot_bytes_; }

  inline void find_sources(std::int64_t at, std::int64_t n, std::int64_t row);
  inline char* expanded(const Source& source, std::int64_t at, std::int64_t n) const;

  Run& run_;
  PolledSteps polled_;  // of trips
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

}  // namespace tracefn
