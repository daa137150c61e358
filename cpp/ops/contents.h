// The statically known elements of an integer vector or scalar: the numbers of a constant, the sizes that a Shape op
// returns, combinations of either. An op's record has the rule (OpFacts::contents); tracing and passes apply it to
// what they know.
#pragma once

#include "ir/graph.h"
#include "tensor/tensor.h"

namespace tracefn {

// A node as seen by a contents rule. Lives on the caller's stack; not thread-safe.
class ContentsContext {
 public:
  ContentsContext(const Node& node, std::size_t output) : node(node), output(output) {}
  virtual ~ContentsContext() = default;

  const Node& node;
  const std::size_t output;

  // The shape of an input. A negative dimension is unknown; below kUnknownDim it is a symbol, which means the same
  // number everywhere.
  virtual Shape shape(std::size_t input) const = 0;
  // The elements of an input, in the same form; Shape::unknown() if not even their number is known. A negative number
  // counts as unknown.
  virtual Shape contents(std::size_t input) const = 0;
  // The value of an input; undefined if unknown.
  virtual Tensor value(std::size_t input) const = 0;
};

// The dtypes of sizes: int32 and int64.
bool is_size_dtype(DType dtype);
// The elements of an output by its op's rule; Shape::unknown() if it is not an integer vector or scalar, or if nothing
// is known. `info` is what is known of the output itself.
Shape contents_of(const ContentsContext& c, const OutputInfo& info);
// The same for an existing tensor.
Shape contents_of(const Tensor& value);
// All elements as a tensor of `dtype` and `shape`; undefined if one is unknown or does not fit the dtype.
Tensor tensor_of_contents(const Shape& contents, DType dtype, const Shape& shape);

namespace contents {
// Rules shared by several ops.
Shape of_input(const ContentsContext& c);  // those of input 0
}  // namespace contents

}  // namespace tracefn
