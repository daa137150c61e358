// Copies numbers under the Variable's lock.
#include "exec/nest/variable_call.h"

#include <cstring>
#include <typeinfo>

#include "ops/elementwise/elementwise_kernel.h"
#include "ops/op_def.h"

namespace tracefn {

std::unique_ptr<const scalar::ArrayWork> VariableCall::compile(const OpDef& op,
                                                               std::unique_ptr<const KernelCall> kernel,
                                                               std::uint32_t variable, std::uint32_t array, DType dtype,
                                                               Shape shape) {
  BinaryBlock update = nullptr;
  const std::optional<VariableUpdate> how = op.facts.update;
  if (how == VariableUpdate::kAdd) update = elementwise_kernel<functions::Add>(dtype);
  if (how == VariableUpdate::kSubtract) update = elementwise_kernel<functions::Sub>(dtype);
  if (!update && how != VariableUpdate::kSet && !op.facts.reads_variable) return kernel;
  return std::unique_ptr<const scalar::ArrayWork>(
      new VariableCall(op.facts.reads_variable, update, std::move(kernel), variable, array, dtype, std::move(shape)));
}

bool VariableCall::run_directly(VariableResource& variable, unsigned char* numbers) const {
  const std::size_t bytes = size_of(dtype_) * static_cast<std::size_t>(shape_.num_elements());
  const auto fits = [&](const Tensor& value) { return value.dtype() == dtype_ && value.shape() == shape_; };
  if (reads_)
    return variable.look([&](const Tensor& value) {
      if (!fits(value)) return false;
      std::memcpy(numbers, value.raw(), bytes);
      return true;
    });
  return variable.change_own([&](Tensor& value) {
    if (!fits(value)) return false;
    if (update_) {
      update_(value.raw(), numbers, value.mutable_raw(), shape_.num_elements(), 0);
    } else {
      std::memcpy(value.mutable_raw(), numbers, bytes);
    }
    return true;
  });
}

void VariableCall::run(scalar::ScalarList* arrays, LongRun& run) const {
  const Ref<RefCounted>& object = arrays[variable_].held().object();
  const bool is_variable = object && typeid(*object) == typeid(VariableResource);
  if (!is_variable || !run_directly(static_cast<VariableResource&>(*object), arrays[array_].data))
    kernel_->run(arrays, run);
}

}  // namespace tracefn
