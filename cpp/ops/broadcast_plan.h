// BroadcastPlan: the strides of operands under the output they are broadcast to, for drivers that walk the output in
// order.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "tensor/tensor.h"

namespace tracefn {

// Output dimensions with compatible strides in all operands are merged, those of size one dropped. Strides are in
// elements; the innermost is 0 or 1. Rank 0 if the output has one element.
struct BroadcastPlan {
  static constexpr int kMaxOperands = 3;

  int operands = 0;
  int rank = 0;
  Dims dims;
  std::array<Dims, kMaxOperands> strides;
  std::array<std::int64_t, kMaxOperands> element_size{};

  bool is_scalar(int i) const {
    return std::all_of(strides[i].begin(), strides[i].end(), [](std::int64_t s) { return s == 0; });
  }
};

// Precondition: the operands, three at most, broadcast to `out`.
BroadcastPlan make_broadcast_plan(const Shape& out, std::span<const Tensor* const> operands);

// A position in the output: the index of a row (all but the innermost dimension) and the operands' offsets there.
class RowWalk {
 public:
  RowWalk(const BroadcastPlan& plan, std::int64_t row) : plan_(plan), index_(static_cast<std::size_t>(plan.rank - 1)) {
    for (int axis = plan.rank - 2; axis >= 0; --axis) {
      std::int64_t at = row % plan.dims[axis];
      row /= plan.dims[axis];
      index_[axis] = at;
      for (int i = 0; i < plan.operands; ++i) offset_[i] += at * plan.strides[i][axis];
    }
  }
  std::int64_t offset(int i) const { return offset_[i]; }
  void next() {
    for (int axis = plan_.rank - 2; axis >= 0; --axis) {
      for (int i = 0; i < plan_.operands; ++i) offset_[i] += plan_.strides[i][axis];
      if (++index_[axis] < plan_.dims[axis]) return;
      for (int i = 0; i < plan_.operands; ++i) offset_[i] -= plan_.dims[axis] * plan_.strides[i][axis];
      index_[axis] = 0;
    }
  }

 private:
  const BroadcastPlan& plan_;
  Dims index_;
  std::array<std::int64_t, BroadcastPlan::kMaxOperands> offset_{};
};

// Writes elements [begin, begin + n) of operand i, as broadcast to the output, consecutively. Precondition: the plan's
// rank is not 0.
void expand(const BroadcastPlan& plan, int i, const void* from, void* to, std::int64_t begin, std::int64_t n);

// Writes each of `count` elements `times` times.
void repeat_each(const void* from, void* to, std::int64_t count, std::int64_t times, std::int64_t element_size);

}  // namespace tracefn
