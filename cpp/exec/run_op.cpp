// The kernel's checks, shape rule, allocation, kernel.
#include "exec/run_op.h"

#include "base/check.h"
#include "exec/memory_for.h"
#include "ops/elementwise/elementwise.h"
#include "ops/infer.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

void allocate_outputs(const OpDef& op, const AttrList& attrs, std::span<TensorRef> inputs, std::span<Tensor> outputs,
                      std::span<const DType> dtypes) {
  SmallVector<InferContext::Input, 4> known;
  known.reserve(inputs.size());
  for (const TensorRef& in : inputs) known.emplace_back(&in.tensor->shape(), in.tensor->dtype(), in.tensor, nullptr);
  OutputInfo one;  // a vector's elements would be filled with zeros first, which takes as long as the rule
  SmallVector<OutputInfo, 2> several;
  if (outputs.size() > 1) several.resize(outputs.size());
  std::span<OutputInfo> infos = several.empty() ? std::span(&one, 1) : std::span(several.data(), several.size());
  InferContext context(op.signature, attrs, std::span<const InferContext::Input>(known.data(), known.size()), infos);
  context.running_ = true;
  op.infer(context);
  for (std::size_t j = 0; j < outputs.size(); ++j) {
    TRACEFN_CHECK(infos[j].shape.is_fully_known());
    check_rank(static_cast<std::size_t>(infos[j].shape.rank()));
    outputs[j] = Tensor(dtypes[j], std::move(infos[j].shape));
  }
}

// Without the rule, whose answer is known for these shapes. False, with nothing done, if the inputs have others.
bool allocate_expected(std::span<TensorRef> inputs, std::span<Tensor> outputs, std::span<const DType> dtypes,
                       std::span<const Shape> expected) {
  if (expected.empty()) return false;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!(inputs[i].tensor->shape() == expected[i])) return false;
  for (std::size_t j = 0; j < outputs.size(); ++j) {
    const Shape& shape = expected[inputs.size() + j];
    if (!is_memory_for(outputs[j], dtypes[j], shape)) outputs[j] = Tensor(dtypes[j], shape);
  }
  return true;
}

}  // namespace

void run_op(const OpDef& op, const AttrList& attrs, std::span<TensorRef> inputs, std::span<Tensor> outputs,
            std::span<const DType> output_dtypes, const RunServices& services) {
  KernelContext context(op, attrs, inputs, outputs);
  context.state_ = services.state;
  context.bodies_ = services.bodies;
  context.shards_ = services.shards;
  context.finisher_ = services.finisher;
  context.node_name_ = services.node_name;
  context.unread_outputs_ = services.unread_outputs;
  if (op.block) {
    run_elementwise(context);
    return;
  }
  if (op.allocation == Allocation::kByShapeRule && !outputs.empty()) {
    if (op.check) op.check(context);
    if (!allocate_expected(inputs, outputs, output_dtypes, services.expected_shapes))
      allocate_outputs(op, attrs, inputs, outputs, output_dtypes);
  }
  op.kernel(context);
}

}  // namespace tracefn
