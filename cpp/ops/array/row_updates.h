// Rows of a tensor updated by rows of another one, in order: scatters and sums by segment.
#pragma once

#include <cstdint>

#include "ops/kernel.h"

namespace tracefn {

// What a row of the result becomes: an update, or itself combined with it. Integers wrap around; extremes propagate
// NaN.
enum class RowUpdate { kAssign, kAdd, kSub, kMul, kMin, kMax };

struct RowUpdates {
  std::int64_t n = 0;
  // The row of the result that update i changes; none if it is negative.
  const std::int64_t* to = nullptr;
  // The row of the source that update i is; null: row i.
  const std::int64_t* from = nullptr;
  // Elements of a row.
  std::int64_t length = 1;
};

// Precondition: rows of `to` and `from` are inside `out` and `source`; `out` is writable and of the source's dtype, or
// has floats for a source of 16-bit floats. Several updates of one row are made in order, so the result does not depend
// on the number of threads.
void update_rows(const KernelContext& c, RowUpdate how, Tensor& out, const Tensor& source, const RowUpdates& updates);

}  // namespace tracefn
