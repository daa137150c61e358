// Sequence: a vector whose length the code computes, and which is not in memory: a loop of bytecode computes its
// elements one after the other where they are used. Immutable and shared; one thread builds and reads it.
#pragma once

#include <memory>

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

  bool reads(std::uint32_t number) const {
    if ((form == kSlice || form == kGathered) && array.number == number) return true;
    for (const SequencePtr& operand : operands)
      if (operand && operand->reads(number)) return true;
    return false;
  }
};

}  // namespace tracefn
