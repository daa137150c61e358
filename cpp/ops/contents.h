// What is known of the elements of an integer vector or scalar before it is computed: the numbers of a constant, the
// sizes that a Shape op reads, parts of either put together. An op's record has the rule (OpRecord::contents); tracing
// and passes apply it to what they know.
#pragma once

#include "ir/graph.h"
#include "tensor/tensor.h"

namespace tracefn {

// A node as a rule for contents sees it. Lives on the caller's stack; not thread-safe.
class ContentsContext {
 public:
  ContentsContext(const Node& node, std::size_t output) : node(node), output(output) {}
  virtual ~ContentsContext() = default;

  const Node& node;
  const std::size_t output;

  // The shape of an input. A negative dimension is unknown; below kUnknownDim it is a symbol, which stands for the same
  // number wherever it occurs.
  virtual Shape shape(std::size_t input) const = 0;
  // The elements of an input, in the same way; Shape::unknown() when not even their number is known. A number below
  // zero counts as unknown.
  virtual Shape contents(std::size_t input) const = 0;
  // The value of an input; undefined when it is not known.
  virtual Tensor value(std::size_t input) const = 0;
};

// The elements of an output by its op's rule; Shape::unknown() for what is no integer vector or scalar, or when nothing
// is known. `info` is what is known of the output itself.
Shape contents_of(const ContentsContext& c, const OutputInfo& info);
// The same of a tensor that is there.
Shape contents_of(const Tensor& value);
// All elements as a tensor of `dtype` and `shape`; undefined when one is not known or does not fit the dtype.
Tensor tensor_of_contents(const Shape& contents, DType dtype, const Shape& shape);

namespace contents {
// Rules that several ops share.
Shape of_input(const ContentsContext& c);  // those of input 0
}  // namespace contents

}  // namespace tracefn
