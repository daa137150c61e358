// Range: an interval of integers, and what operations and comparisons make of intervals. Bounds are within int64.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "jit/x64/operation.h"

namespace tracefn::machine_code {

struct Range {
  std::int64_t low, high;

  bool operator==(const Range&) const = default;
  bool is_empty() const { return low > high; }
};

inline Range all_of(Type t) {
  if (t == Type::kInt32) return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
  return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
}
inline Range both(const Range& a, const Range& b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }
inline Range either(const Range& a, const Range& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

// Of a function that grows, or falls, in each operand: by the ends of their ranges. Nothing if one overflows.
template <typename F>
std::optional<Range> by_ends(const Range& a, const Range& b, F&& overflows) {
  std::optional<Range> all;
  for (const std::int64_t x : {a.low, a.high})
    for (const std::int64_t y : {b.low, b.high}) {
      std::int64_t result;
      if (overflows(x, y, &result)) return std::nullopt;
      all = all ? either(*all, {result, result}) : Range{result, result};
    }
  return all;
}

inline std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); }  // b > 0

inline MachineOp opposite(MachineOp comparison) {
  switch (comparison) {
    case MachineOp::kLess:
      return MachineOp::kGreaterEqual;
    case MachineOp::kLessEqual:
      return MachineOp::kGreater;
    case MachineOp::kGreater:
      return MachineOp::kLessEqual;
    case MachineOp::kGreaterEqual:
      return MachineOp::kLess;
    case MachineOp::kEqual:
      return MachineOp::kNotEqual;
    case MachineOp::kNotEqual:
      return MachineOp::kEqual;
    default:
      return MachineOp::kNone;
  }
}

// What the comparison says of its operands.
inline void refine(MachineOp op, Range& a, Range& b) {
  const auto less = [](Range& x, Range& y, std::int64_t by) {
    if (y.high != std::numeric_limits<std::int64_t>::min()) x.high = std::min(x.high, y.high - by);
    if (x.low != std::numeric_limits<std::int64_t>::max()) y.low = std::max(y.low, x.low + by);
  };
  const auto without = [](Range& x, const Range& y) {
    if (y.low != y.high || x.low == x.high) return;
    x.low += x.low == y.low;
    x.high -= x.high == y.low;
  };
  switch (op) {
    case MachineOp::kLess:
      return less(a, b, 1);
    case MachineOp::kLessEqual:
      return less(a, b, 0);
    case MachineOp::kGreater:
      return less(b, a, 1);
    case MachineOp::kGreaterEqual:
      return less(b, a, 0);
    case MachineOp::kEqual:
      a = b = both(a, b);
      return;
    case MachineOp::kNotEqual:
      without(a, b);
      return without(b, a);
    default:
      return;
  }
}

}  // namespace tracefn::machine_code
