// TensorSlice: a part of a tensor, an interval in each dimension, as checkpoints and the specifications of SaveV2 and
// RestoreV2 spell it. A value type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"
#include "wire/wire_reader.h"

namespace tracefn {

struct TensorSlice {
  static constexpr std::int64_t kFull = -1;
  struct Extent {
    std::int64_t start = 0;
    std::int64_t length = kFull;  // kFull: all, from 0 on
    bool operator==(const Extent&) const = default;
  };
  std::vector<Extent> extents;

  // "-:0,5": all, then five from 0 on. Error(kInvalidArgument) for anything else.
  static TensorSlice parse(std::string_view text);
  // TensorSliceProto. Error(kDataLoss) if it is none.
  static TensorSlice read(WireReader proto);
  std::string binary() const;
  std::string text() const;

  // The shape of the slice of a tensor. Error(kInternal) if it is not within the tensor.
  Shape shape_in(const Shape& whole) const;
  // With lengths instead of kFull.
  TensorSlice within(const Shape& whole) const;

  bool operator==(const TensorSlice&) const = default;
};

// Error(kInternal) if two of the slices of a tensor have elements in common, or one is not within it: with slices that
// have not, as many elements as the whole has are all of them.
void check_disjoint(const std::vector<TensorSlice>& slices, const Shape& whole);

// "4 5 0,2:-", the shape of a tensor and a slice of it. Error(kInvalidArgument) for anything else.
struct ShapeAndSlice {
  Shape whole;
  TensorSlice slice;
  Shape part;
};
ShapeAndSlice parse_shape_and_slice(std::string_view text);

// The key under which a checkpoint holds a slice of a tensor; it begins with a zero byte.
std::string slice_key(std::string_view name, const TensorSlice& slice);

// Copies the elements that both slices of one tensor cover; returns how many these are. `from` has the shape of its
// slice, `to` that of its own; neither has a kFull. Precondition: `to` is writable.
std::int64_t copy_overlap(const Tensor& from, const TensorSlice& from_slice, Tensor& to, const TensorSlice& to_slice);

}  // namespace tracefn
