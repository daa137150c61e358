// Running of scalar loops: what goes in and comes out.
#include "exec/scalar_loop.h"

#include <algorithm>
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

bool ScalarLoop::run(std::span<KernelContext::Operand> inputs, std::span<Tensor> outputs, Interrupt* interrupt,
                     const Node*& failed) const {
  if (!fits(inputs)) return false;
  const machine_code::MachineCode* code = machine_code();
  const std::size_t num_cells = code ? code->num_cells() : initial_.size();
  constexpr std::size_t kFew = 64;
  scalar::Cell few[kFew];
  std::vector<scalar::Cell> many(num_cells > kFew ? num_cells : 0);
  scalar::Cell* cells = num_cells > kFew ? many.data() : few;
  std::copy(initial_.begin(), initial_.end(), cells);
  run_on(cells, code, inputs, outputs, interrupt, failed);
  return true;
}

void ScalarLoop::run_on(scalar::Cell* cells, const machine_code::MachineCode* code,
                        std::span<KernelContext::Operand> inputs, std::span<Tensor> outputs, Interrupt* interrupt,
                        const Node*& failed) const {
  std::vector<scalar::ScalarList> lists(num_lists_);
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Variable& variable = variables_[i];
    if (variable.kind == Variable::kScalar)
      std::memcpy(cells[variable.slot].bytes, inputs[i].tensor->raw(), variable.bytes);
    if (variable.kind == Variable::kList) lists[variable.slot].load(inputs[i]);
  }
  if (code) {
    code->run(cells, lists.data(), interrupt, failed);
  } else {
    scalar::run(steps_, cells, lists.data(), interrupt, failed);
  }
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Variable& variable = variables_[i];
    if (!variable.needed) continue;
    if (variable.kind == Variable::kList) {
      outputs[i] = lists[variable.slot].handle();
    } else if (variable.kind == Variable::kHandedOn || !variable.written) {
      outputs[i] = *inputs[i].tensor;
    } else {
      outputs[i] = result(variable, cells[variable.slot], inputs[i]);
    }
  }
}

// In the input's buffer when it dies here.
Tensor ScalarLoop::result(const Variable& variable, const scalar::Cell& cell, KernelContext::Operand& input) {
  const bool reused = input.last_use && input.tensor->writable();
  Tensor made = reused ? std::move(*input.tensor) : Tensor(variable.dtype, Shape());
  std::memcpy(made.mutable_raw(), cell.bytes, variable.bytes);
  return made;
}

}  // namespace tracefn
