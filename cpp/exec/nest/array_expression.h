// ArrayExpression: a larger array that is not in memory: what each of its elements is, as an expression of elements of
// arrays that are. An expression is immutable but for its number of uses, and shared; one thread builds and reads it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "jit/scalar/bytecode.h"
#include "ops/fusable.h"

namespace tracefn {

struct ArrayExpression;
using ArrayExpressionPtr = std::shared_ptr<const ArrayExpression>;

struct ArrayExpression {
  enum Kind : std::uint8_t {
    kElement,  // element `offset` + the sum of strides[d] * index[d], and of `moving`, of an array
    kScalar,   // a number, of shape []
    kNode,     // an elementwise function; operands broadcast to the shape
    kPieces,   // operand i up to index ends[i] of `axis`
  };

  Kind kind = kElement;
  DType dtype = DType::kInvalid;
  Shape shape;  // known, with at least one element

  // kElement. Offsets that the code computes are int64 slots, each with a factor.
  std::uint32_t array = 0, version = 0;
  std::int64_t offset = 0;
  Dims strides;
  SmallVector<std::pair<scalar::Slot, std::int64_t>, 1> moving;
  // kScalar
  scalar::Slot slot = 0;
  // kNode
  const Node* node = nullptr;
  // kNode, kPieces
  SmallVector<ArrayExpressionPtr, 3> operands;
  int axis = 0;
  std::vector<std::int64_t> ends;

  ArrayExpressionPtr written_as;  // the expression that this one has the value of, if some operands were replaced
  mutable int uses = 1;           // of its value, by nodes of the graph
  mutable int left = 0;           // of these, by nodes that are not compiled yet
  mutable const Node* made_by = nullptr;  // the node of the graph whose value it is, if it is known
  int num_nodes = 0;                      // that it computes, each as often as it is written in it

  std::int64_t num_elements() const { return shape.num_elements(); }
  bool computes() const { return kind == kNode || kind == kPieces; }
  // Whether it is elements of an array in their order; all of an array of this many.
  bool is_dense() const;
  bool is_whole(std::int64_t count) const {
    return is_dense() && offset == 0 && moving.empty() && num_elements() == count;
  }
};

// Row-major.
Dims dense_strides(const Shape& shape);

// Where the elements of a result are in an expression: by axis of the expression, index `begin` + `step` * the index of
// axis `target` of the result, or `begin` alone if that is -1.
struct IndexMap {
  struct Axis {
    std::int64_t begin = 0;
    int target = -1;
    std::int64_t step = 0;
  };
  Shape to;
  SmallVector<Axis, 4> axes;
};

// Nothing if an axis of pieces would be walked otherwise than forwards.
std::optional<ArrayExpressionPtr> remapped(const ArrayExpressionPtr& e, const IndexMap& map);
// The map by which a box of `shape` has the numbers first + strides * index of an array of shape `from`; nothing if
// that takes more than one axis of the result to one of `from`, or the other way round.
std::optional<IndexMap> index_map(std::int64_t first, const Dims& strides, const Shape& shape, const Shape& from);
// Piece i up to index ends[i] of `axis`; one alone is itself, as is a number.
ArrayExpressionPtr joined(std::vector<ArrayExpressionPtr> pieces, std::vector<std::int64_t> ends, int axis,
                          const Shape& shape);

}  // namespace tracefn
