// Place: where the compiler of scalar loops finds a value of the graph.
#pragma once

#include <memory>

#include "base/small_vector.h"
#include "jit/scalar/bytecode.h"
#include "tensor/shape.h"

namespace tracefn {

struct ArrayExpression;
struct Sequence;

// A tensor of few elements is the slots of its elements; a larger one, and a list, is an array of rows, of which only
// the latest state exists, or an expression, which is computed where it is needed; a vector whose length the code
// computes may be a sequence; anything else is opaque: known by a number, and passed through.
struct Place {
  enum Kind : std::uint8_t { kOpaque, kElements, kArray, kList, kComputed, kSequence } kind = kOpaque;
  DType dtype = DType::kInvalid;       // not of lists
  Shape shape;                         // not of lists; of an array, the number of rows may be unknown
  SmallVector<scalar::Slot, 1> slots;  // in row-major order
  std::uint32_t number = 0;            // of the array, the list or the opaque value
  std::uint32_t version = 0;
  std::shared_ptr<const ArrayExpression> expression;
  std::shared_ptr<const Sequence> sequence;

  bool has_elements() const { return kind == kElements; }
  bool is_scalar() const { return kind == kElements && shape.is_scalar(); }
  bool has_rows() const { return kind == kArray || kind == kList; }
  scalar::Slot slot() const { return slots[0]; }
  bool operator==(const Place&) const = default;
};
using Places = SmallVector<Place, 2>;

}  // namespace tracefn
