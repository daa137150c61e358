// The driver of elementwise ops: broadcasting, sharding and allocation around the block kernels. Written once, not
// templated on the op. Thread-safe: it touches only the caller's data.
#pragma once

#include "base/poll.h"
#include "ops/elementwise/block.h"
#include "ops/kernel.h"
#include "ops/no_kernel.h"

namespace tracefn {

// Precondition: c.op().block is set. Sets output 0, reusing the buffer of a dying input if dtype and shape fit. The
// record's `kernel`, if it has one, handles what block kernels cannot: a dtype without one (strings) and shapes that do
// not broadcast (Equal's scalar answer); it makes its own output. Error(kInvalidArgument) if the shapes do not
// broadcast or a block kernel reports an error.
void run_elementwise(KernelContext& c);

// One entry of the kernel table, of any arity.
struct Block {
  BlockArity arity = BlockArity::kUnary;
  BlockKernel kernel;  // of a cast: unary
  explicit operator bool() const { return kernel.unary != nullptr; }
  // `operands` has one pointer per operand; `scalars` as in block.h, unused for one operand.
  int run(const void* const* operands, void* out, std::int64_t n, int scalars) const {
    switch (arity) {
      case BlockArity::kBinary:
        return kernel.binary(operands[0], operands[1], out, n, scalars);
      case BlockArity::kTernary:
        return kernel.ternary(operands[0], operands[1], operands[2], out, n, scalars);
      default:
        return kernel.unary(operands[0], out, n);
    }
  }
};

// The dtype that selects the block kernel: that of the last operand (a select's first is its condition). Throws if an
// attribute contradicts it.
DType block_result(const BlockSpec& spec, DType operand, const OpSignature& op, const AttrList& attrs);
// The kernel for operands of dtype `operand`; empty if there is none.
Block find_block(const BlockSpec& spec, DType operand, DType result);
// Throws the error for a block kernel's status.
void check_status(int status);

// Runs the block of `spec` over the broadcast operands. For kernels that are elementwise after some preparation
// (LeakyRelu's alpha is an attribute, Select's condition needs another shape). `result` is the dtype of `out`; by
// default that of the last operand.
void run_spec(KernelContext& c, const BlockSpec& spec, std::span<TensorRef> operands, Tensor& out,
              DType result = DType::kInvalid);

// For every element of `out`, in order, the index of its element in a tensor of shape `in` that broadcasts to it.
std::vector<std::int64_t> broadcast_indices(const Shape& in, const Shape& out);
// f(a, b) of two broadcast string inputs, element by element, into output 0 of element type Y.
template <typename Y, typename F>
void run_strings(KernelContext& c, F f) {
  const Tensor &x = c.input(0), &y = c.input(1);
  Shape shape = broadcast(x.shape(), y.shape());
  if (x.dtype() != DType::kString) no_kernel();
  Tensor& out = c.allocate_output(0, DTypeOf<Y>::value, std::move(shape));
  std::vector<std::int64_t> at_x = broadcast_indices(x.shape(), out.shape());
  std::vector<std::int64_t> at_y = broadcast_indices(y.shape(), out.shape());
  Y* to = out.mutable_data<Y>();
  PolledSteps polled;
  for (std::size_t i = 0; i < at_x.size(); ++i, polled.step())
    to[i] = f(x.data<std::string>()[at_x[i]], y.data<std::string>()[at_y[i]]);
}

}  // namespace tracefn
