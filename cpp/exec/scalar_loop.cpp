// Running of scalar loops: what goes in and comes out.
#include "exec/scalar_loop.h"

#include <cstring>

#include "exec/scalar_list.h"
#include "exec/scalar_run.h"
#include "ops/tensor_list.h"

namespace tracefn {
namespace {

// Whether a list has only scalars; elements that are not set must read as such.
bool is_scalar_list(const Tensor& handle, DType dtype) {
  if (handle.rank() != 0) return false;
  auto* list = dynamic_cast<const TensorList*>(handle.object().get());
  if (!list || list->element_dtype != dtype || !list->element_shape.is_compatible_with(Shape())) return false;
  if (list->is_packed()) return true;
  bool known = list->element_shape.has_rank();
  for (const Tensor& t : list->elements())
    if (t.defined() ? t.rank() != 0 : !known) return false;
  return true;
}

}  // namespace

bool ScalarLoop::fits(std::span<KernelContext::Operand> inputs) const {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Tensor& t = *inputs[i].tensor;
    const Variable& variable = variables_[i];
    if (variable.kind == Variable::kScalar && (t.rank() != 0 || t.dtype() != variable.dtype)) return false;
    if (variable.kind == Variable::kList && !is_scalar_list(t, variable.dtype)) return false;
  }
  return true;
}

ScalarLoop::~ScalarLoop() { delete machine_code_.load(std::memory_order_acquire); }

const machine_code::MachineCode* ScalarLoop::machine_code() const {
  const machine_code::MachineCode* known = machine_code_.load(std::memory_order_acquire);
  if (known || untranslatable_.load(std::memory_order_relaxed)) return known;
  std::vector<Slot> slots;
  for (const Variable& v : variables_)
    if (v.kind == Variable::kScalar) slots.push_back(v.slot);
  std::unique_ptr<const machine_code::MachineCode> made = machine_code::MachineCode::translate(steps_, initial_, slots);
  if (!made) {
    untranslatable_.store(true, std::memory_order_relaxed);
    return nullptr;
  }
  if (machine_code_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) return made.release();
  return known;
}

void ScalarLoop::run_code(scalar::Cell* cells, scalar::ScalarList* lists, Interrupt* interrupt,
                          const Node*& failed) const {
  if (const machine_code::MachineCode* code = machine_code()) {
    code->run(steps_, cells, lists, interrupt, failed);
  } else {
    scalar::run(steps_, cells, lists, interrupt, failed);
  }
}

bool ScalarLoop::run(std::span<KernelContext::Operand> inputs, std::span<Tensor> outputs, Interrupt* interrupt,
                     const Node*& failed) const {
  if (!fits(inputs)) return false;
  std::vector<scalar::Cell> cells = initial_;
  std::vector<scalar::ScalarList> lists(num_lists_);
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Variable& variable = variables_[i];
    if (variable.kind == Variable::kScalar)
      std::memcpy(cells[variable.slot].bytes, inputs[i].tensor->raw(), inputs[i].tensor->bytes());
    if (variable.kind == Variable::kList) lists[variable.slot].load(inputs[i]);
  }
  run_code(cells.data(), lists.data(), interrupt, failed);
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Variable& variable = variables_[i];
    if (variable.kind == Variable::kHandedOn) outputs[i] = *inputs[i].tensor;
    if (variable.kind == Variable::kList) outputs[i] = lists[variable.slot].handle();
    if (variable.kind != Variable::kScalar) continue;
    outputs[i] = Tensor(variable.dtype, Shape());
    std::memcpy(outputs[i].mutable_raw(), cells[variable.slot].bytes, outputs[i].bytes());
  }
  return true;
}

}  // namespace tracefn
