// Sequence: a vector whose length the code computes, and which is not in memory: a loop of bytecode computes its
// elements one after the other where they are used. Immutable and shared; one thread builds and reads it.
#pragma once

#include <memory>
#include <vector>

#include "exec/scalar/place.h"
#include "ir/graph.h"
#include "ops/elementwise/elementwise.h"

namespace tracefn {

struct Sequence;
using SequencePtr = std::shared_ptr<const Sequence>;

struct Sequence {
  enum Form : std::uint8_t {
    kRange,     // `first`, and each next one `step` more
    kSlice,     // the elements of `array` with the numbers `first`, `first` + `step`, ...
    kGathered,  // the elements of `array` with the numbers in operand 0
    kFilled,    // `first`
    kMapped,    // an elementwise function of the operands, and of a scalar where one is null
  } form = kRange;
  DType dtype = DType::kInvalid;
  scalar::Slot count = 0;  // int64
  scalar::Slot first = 0, step = 0;
  Place array;
  SmallVector<SequencePtr, 3> operands;
  SmallVector<scalar::Slot, 3> scalars;  // by operand
  const BlockSpec* function = nullptr;
  DType operand = DType::kInvalid;
  // The node whose result it is, and what its kernel is called with if the result is needed in memory.
  const Node* node = nullptr;
  Places inputs;
  const Node* source = nullptr;  // the node that computes the elements, if that one only gives them another shape

  // What it reads, its operands included.
  struct Read {
    std::uint32_t array = 0, version = 0;
    const Node* by = nullptr;
    bool operator==(const Read&) const = default;
  };
  std::vector<Read> reads;
  bool may_fail = false;  // an index may be out of range
};

}  // namespace tracefn
