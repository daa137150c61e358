// Side by side: instructions that do not need each other and may each work for long (OpFacts::contracts, serial). One
// that leaves cores idle - a small product, the decomposition of one matrix, the sort of one row - runs on one thread
// while the others run on further ones. Program::compile finds such rows of instructions; how long each works alone is
// measured while the program runs. Results do not depend on it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "ir/graph.h"

namespace tracefn {

inline constexpr std::size_t kMostSideBySide = 16;

// The nodes to run, in an order that `live_nodes` may be replaced by, with rows of nodes that do not need each other.
struct SideBySideOrder {
  struct Row {
    std::size_t first;  // index into nodes
    std::size_t count;  // 2 to kMostSideBySide
  };
  std::vector<NodeId> nodes;
  std::vector<Row> rows;
};
SideBySideOrder order_side_by_side(const Graph& graph);

// What runs of one row have shown. Any number of threads may use it; a lost update costs nothing but time.
class RowTimes {
 public:
  // Whether this run measures: its members run one after the other, and the time of each is noted.
  bool next_run_measures();
  // How long member i kept this thread busy, and how long other threads worked for it, in nanoseconds.
  void note(std::size_t i, std::int64_t nanoseconds, std::int64_t helped, int threads);
  // Bit i: member i leaves cores idle for long enough. 0 unless there are two.
  std::uint32_t alone() const;

 private:
  std::atomic<std::uint32_t> runs_{0};
  std::atomic<std::uint32_t> alone_{0};
};

}  // namespace tracefn
