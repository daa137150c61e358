// Runs scalar loops: passes values in and out.
#include "exec/scalar/scalar_loop.h"

#include <cstring>

#include "jit/scalar/scalar_list.h"
#include "ops/list/tensor_list.h"

namespace tracefn {
namespace {

// Whether a list has only scalars; unset elements must read as such.
bool is_scalar_list(const Tensor& handle, DType dtype) {
  if (handle.rank() != 0) return false;
  auto* list = dynamic_cast<const TensorList*>(handle.object().get());
  if (!list || list->element_dtype != dtype || !list->element_shape.is_compatible_with(Shape())) return false;
  if (list->is_packed()) return list->packed_values().rank() == 1;
  bool known = list->element_shape.has_rank();
  for (const Tensor& t : list->elements())
    if (t.defined() ? t.rank() != 0 : !known) return false;
  return true;
}

}  // namespace

bool ScalarLoop::fits(std::span<TensorRef> inputs) const {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Tensor& t = *inputs[i].tensor;
    const Variable& variable = variables_[i];
    if (variable.kind == Variable::kScalar && (t.rank() != 0 || t.dtype() != variable.dtype)) return false;
    if (variable.kind == Variable::kList && !is_scalar_list(t, variable.dtype)) return false;
  }
  return true;
}

bool ScalarLoop::run(std::span<TensorRef> inputs, std::span<Tensor> outputs, ShardRunner&, const Node*& failed) const {
  if (!fits(inputs)) return false;
  ScalarRoutine::Registers registers(routine_);
  std::vector<scalar::ScalarList> lists(num_lists_);
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Variable& variable = variables_[i];
    if (variable.kind == Variable::kScalar)
      std::memcpy(registers[variable.slot].bytes, inputs[i].tensor->raw(), variable.bytes);
    if (variable.kind == Variable::kList) lists[variable.slot].load(inputs[i]);
  }
  registers.run(lists.data(), failed);
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Variable& variable = variables_[i];
    if (!variable.needed) continue;
    if (variable.kind == Variable::kList) {
      outputs[i] = lists[variable.slot].handle();
    } else if (variable.kind == Variable::kHandedOn || !variable.written) {
      outputs[i] = *inputs[i].tensor;
    } else {
      outputs[i] = result(variable, registers[variable.slot], inputs[i]);
    }
  }
  return true;
}

// Reuses the input's buffer if it dies here.
Tensor ScalarLoop::result(const Variable& variable, const scalar::Register& reg, TensorRef& input) {
  const bool reused = input.last_use && input.tensor->writable();
  Tensor made = reused ? std::move(*input.tensor) : Tensor(variable.dtype, Shape());
  std::memcpy(made.mutable_raw(), reg.bytes, variable.bytes);
  return made;
}

}  // namespace tracefn
