// Finds the block kernel: one allocation, one call.
#include "exec/eager_elementwise.h"

#include "base/subnormals.h"
#include "exec/profile.h"
#include "ops/elementwise/elementwise.h"

namespace tracefn {
namespace {

// Bigger tensors gain from shards, and the saved overhead does not matter for them.
constexpr std::int64_t kMostElements = 4096;

// kInvalid if the result dtype depends on more than the operands' dtype.
DType result_dtype(const BlockSpec& spec, DType operand) {
  if (spec.result == BlockResult::kSame) return operand;
  return spec.result == BlockResult::kBool ? DType::kBool : DType::kInvalid;
}

Tensor run(const OpDef& op, const Tensor& like, const void* const* operands, int scalars) {
  const BlockSpec& spec = *op.block;
  DType result = result_dtype(spec, like.dtype());
  if (result == DType::kInvalid) return Tensor();
  Block block = find_block(spec, like.dtype(), result);
  std::int64_t n = like.num_elements();
  if (!block || n > kMostElements || n == 0) return Tensor();
  Tensor out(result, like.shape());
  FlushSubnormals flush;
  profile::Span span({}, op.name());
  span.set_results({&out, 1});
  return block.run(operands, out.mutable_raw(), n, scalars) == kBlockOk ? out : Tensor();
}

}  // namespace

Tensor try_eager_binary(const OpDef& op, const Tensor& x, const Tensor& y) {
  if (!op.block || op.block->arity != BlockArity::kBinary || x.dtype() != y.dtype()) return Tensor();
  const void* operands[] = {x.raw(), y.raw()};
  if (x.shape() == y.shape()) return run(op, x, operands, 0);
  if (y.rank() == 0) return run(op, x, operands, 2);
  if (x.rank() == 0) return run(op, y, operands, 1);
  return Tensor();
}

Tensor try_eager_unary(const OpDef& op, const Tensor& x) {
  if (!op.block || op.block->arity != BlockArity::kUnary) return Tensor();
  const void* operands[] = {x.raw()};
  return run(op, x, operands, 0);
}

}  // namespace tracefn
