// Merges dimensions and expands repeated operands.
#include "ops/broadcast_plan.h"

#include <algorithm>
#include <cstring>

namespace tracefn {
namespace {

// Fills with one element. Long runs are written in blocks of a cache line, which compilers turn into wide stores.
template <typename Element>
Element* fill(Element* to, std::int64_t n, const Element& element) {
  constexpr std::int64_t kBlock = 64 / sizeof(Element);
  if (n >= 2 * kBlock) {
    Element block[kBlock];
    std::fill_n(block, kBlock, element);
    for (; n >= kBlock; n -= kBlock, to += kBlock) std::memcpy(to, block, sizeof block);
  }
  return std::fill_n(to, n, element);
}

template <typename Element>
void expand(const BroadcastPlan& plan, int i, const void* from, void* to, std::int64_t begin, std::int64_t n) {
  const Element* source = static_cast<const Element*>(from);
  Element* target = static_cast<Element*>(to);
  const std::int64_t inner = plan.dims.back();
  const bool repeats = plan.strides[i].back() == 0;  // else the elements are adjacent
  RowWalk walk(plan, begin / inner);
  std::int64_t column = begin % inner;
  while (n > 0) {
    const Element* row = source + walk.offset(i);
    std::int64_t stop = std::min(inner, column + n);
    n -= stop - column;
    target = repeats ? fill(target, stop - column, *row) : std::copy(row + column, row + stop, target);
    column = 0;
    walk.next();
  }
}

struct alignas(8) Wide {
  std::uint64_t half[2];
};

// write(Element{}) for the type of that element size.
template <typename Write>
void by_size(std::int64_t element_size, Write write) {
  switch (element_size) {
    case 1:
      return write(std::uint8_t{});
    case 2:
      return write(std::uint16_t{});
    case 4:
      return write(std::uint32_t{});
    case 8:
      return write(std::uint64_t{});
    default:
      return write(Wide{});
  }
}

}  // namespace

BroadcastPlan make_broadcast_plan(const Shape& out, std::span<const Tensor* const> operands) {
  BroadcastPlan plan;
  plan.operands = static_cast<int>(operands.size());
  std::array<std::int64_t, BroadcastPlan::kMaxOperands> step;
  for (int i = 0; i < plan.operands; ++i) {
    step[i] = 1;
    plan.element_size[i] = static_cast<std::int64_t>(size_of(operands[i]->dtype()));
  }
  // Innermost dimension first; reversed at the end.
  for (int axis = out.rank() - 1; axis >= 0; --axis) {
    if (out[axis] == 1) continue;
    std::array<std::int64_t, BroadcastPlan::kMaxOperands> stride{};
    for (int i = 0; i < plan.operands; ++i) {
      const Shape& shape = operands[i]->shape();
      int own = axis - (out.rank() - shape.rank());
      if (own < 0 || shape[own] == 1) continue;
      stride[i] = step[i];
      step[i] *= shape[own];
    }
    bool merges = plan.rank > 0;
    for (int i = 0; merges && i < plan.operands; ++i) merges = stride[i] == plan.strides[i].back() * plan.dims.back();
    if (merges) {
      plan.dims.back() *= out[axis];
      continue;
    }
    plan.dims.push_back(out[axis]);
    for (int i = 0; i < plan.operands; ++i) plan.strides[i].push_back(stride[i]);
    ++plan.rank;
  }
  std::reverse(plan.dims.begin(), plan.dims.end());
  for (int i = 0; i < plan.operands; ++i) std::reverse(plan.strides[i].begin(), plan.strides[i].end());
  return plan;
}

void expand(const BroadcastPlan& plan, int i, const void* from, void* to, std::int64_t begin, std::int64_t n) {
  by_size(plan.element_size[i], [&](auto element) { expand<decltype(element)>(plan, i, from, to, begin, n); });
}

void repeat_each(const void* from, void* to, std::int64_t count, std::int64_t times, std::int64_t element_size) {
  by_size(element_size, [&](auto element) {
    using Element = decltype(element);
    const auto* source = static_cast<const Element*>(from);
    auto* target = static_cast<Element*>(to);
    for (std::int64_t i = 0; i < count; ++i) target = fill(target, times, source[i]);
  });
}

}  // namespace tracefn
