// The rules of strided slices.
#include "ops/array/slice_spec.h"

#include <algorithm>

#include "ops/typed.h"

namespace tracefn {
namespace {

bool bit(std::int64_t mask, std::int64_t i) { return i < 63 && (mask >> i & 1); }

// One input dimension and what the slice says of it.
struct Range {
  std::int64_t begin = 0, end = 0, stride = 1;
  bool begin_given = true, end_given = true;  // its value is known
  bool from_start = true, to_end = true;      // the spec has no number there
  bool shrink = false;
};

constexpr int kNewAxis = -1;
constexpr int kShrunk = -2;

struct Selected {
  std::int64_t begin = 0, size = kUnknownDim;
};

Selected select(const Range& r, std::int64_t dim, int axis) {
  Selected out;
  if (r.stride == 0) invalid_argument("strides[", axis, "] must be non-zero");
  if (r.shrink && r.stride <= 0) invalid_argument("only stride 1 allowed on non-range indexing.");
  if (dim < 0) {
    const bool whole = r.from_start && r.to_end && r.stride == 1;
    out.size = r.shrink ? 1 : whole ? dim : kUnknownDim;
    return out;
  }
  if (r.shrink) {
    out.size = 1;
    if (!r.begin_given) return out;
    out.begin = r.begin < 0 ? r.begin + dim : r.begin;
    if (out.begin < 0 || out.begin >= dim)
      invalid_argument("slice index ", out.begin, " of dimension ", axis, " out of bounds.");
    return out;
  }
  bool up = r.stride > 0;
  std::int64_t low = up ? 0 : -1, high = up ? dim : dim - 1;
  auto clamp = [&](std::int64_t v) { return std::clamp(v < 0 ? v + dim : v, low, high); };
  if ((!r.from_start && !r.begin_given) || (!r.to_end && !r.end_given)) return out;
  out.begin = r.from_start ? (up ? low : high) : clamp(r.begin);
  std::int64_t end = r.to_end ? (up ? high : low) : clamp(r.end);
  std::int64_t length = end - out.begin;
  out.size = length == 0 || (length < 0) == up ? 0 : length / r.stride + (length % r.stride != 0);
  return out;
}

}  // namespace

ResolvedSlice resolve_slice(const Tensor* begin, const Tensor* end, const Tensor& strides, const SliceMasks& masks,
                            const Shape& in) {
  std::int64_t n = strides.num_elements();
  std::vector<Range> ranges(static_cast<std::size_t>(in.rank()));
  std::vector<int> axes;  // of the result: an input dimension, kNewAxis or kShrunk
  std::int64_t new_axes_later = 0;
  bool ellipsis_seen = false;
  for (std::int64_t i = 0; i < n; ++i) {
    if (ellipsis_seen && bit(masks.new_axis, i)) ++new_axes_later;
    if (bit(masks.ellipsis, i)) {
      if (ellipsis_seen) invalid_argument("Multiple ellipses in slice spec not allowed");
      ellipsis_seen = true;
    }
  }
  std::size_t next = 0;
  auto take_rest = [&](std::int64_t until) {
    for (; static_cast<std::int64_t>(next) < until; ++next) axes.push_back(static_cast<int>(next));
  };
  for (std::int64_t i = 0; i < n; ++i) {
    if (bit(masks.ellipsis, i)) {
      take_rest(std::min<std::int64_t>(in.rank() - (n - i) + 1 + new_axes_later, in.rank()));
    } else if (bit(masks.new_axis, i)) {
      axes.push_back(kNewAxis);
    } else {
      if (in.rank() == 0) invalid_argument("Attempting to slice scalar input.");
      if (next == ranges.size())
        invalid_argument("Index out of range using input dim ", next, "; input has only ", in.rank(), " dims");
      Range& r = ranges[next];
      r.begin_given = begin != nullptr;
      r.end_given = end != nullptr;
      if (begin) r.begin = index_at(*begin, i);
      if (end) r.end = index_at(*end, i);
      r.stride = index_at(strides, i);
      r.from_start = bit(masks.begin, i);
      r.to_end = bit(masks.end, i);
      r.shrink = bit(masks.shrink, i);
      axes.push_back(r.shrink ? kShrunk : static_cast<int>(next));
      ++next;
    }
  }
  take_rest(in.rank());
  ResolvedSlice out;
  for (int i = 0; i < in.rank(); ++i) {
    const Range& r = ranges[static_cast<std::size_t>(i)];
    Selected s = select(r, in[i], i);
    out.begin.push_back(s.begin);
    out.stride.push_back(s.size <= 1 ? 1 : r.stride);  // with at most one element any stride is valid
    out.block.push_back(s.size);
    bool whole = s.begin == 0 && s.size == in[i] && out.stride.back() == 1;
    out.identity = out.identity && whole;
    out.rows_only = out.rows_only && (whole || (i == 0 && out.stride.back() == 1));
  }
  for (int axis : axes) {
    if (axis == kShrunk) continue;
    out.shape.push_back(axis == kNewAxis ? 1 : out.block[axis]);
    out.axes.push_back(axis);
  }
  check_rank(static_cast<std::size_t>(out.shape.rank()));
  return out;
}

std::optional<VectorSlice> slice_of_vector(const Tensor& begin, const Tensor& end, const Tensor& strides,
                                           const SliceMasks& masks, std::int64_t length) {
  for (const Tensor* t : {&begin, &end, &strides})
    if (!t->defined() || t->rank() != 1 || t->num_elements() != 1) return std::nullopt;
  ResolvedSlice s;
  try {
    s = resolve_slice(&begin, &end, strides, masks, Shape({length}));
  } catch (const Error&) {
    return std::nullopt;
  }
  const bool shrunk = s.axes.empty();
  if (!shrunk && (s.axes.size() != 1 || s.axes[0] != 0)) return std::nullopt;
  return VectorSlice{s.begin[0], s.stride[0], s.block[0], shrunk};
}

}  // namespace tracefn
