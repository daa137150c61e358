// FusionGroup::Rows: runs a group over rows whose operands and results the caller has placed. It lives on the stack of
// one thread and borrows the group.
#pragma once

#include "exec/fusion/fusion_group_tile.h"

namespace tracefn {

class FusionGroup::Rows {
 public:
  // `ones`, by input: whether it is one element, for all of a row. Rows have n elements, and there will be `rows`.
  // Precondition: the group has no reductions, and every step reads something that is not one element.
  Rows(const FusionGroup& group, std::span<const char> ones, std::int64_t rows, std::int64_t n)
      : run_(group, ones, rows * n), tile_(run_, std::min(n, run_.block_size())), n_(n) {}

  // One row: addresses by input, and by output.
  void run(char* const* inputs, char* const* outputs) { tile_.run_placed(inputs, outputs, n_, run_.block_size()); }
  // Elements [done, n) of one row, if the group is one part, whose code has stopped there.
  void finish(char* const* inputs, char* const* outputs, std::int64_t done) {
    tile_.finish_placed(inputs, outputs, done, n_);
  }
  // Throws the error of a row.
  void end(const Node*& failed) {
    tile_.report();
    run_.end(failed);
  }

 private:
  Run run_;
  Run::Tile tile_;
  std::int64_t n_;
};

}  // namespace tracefn
