// Finds the graph of an op's inputs.
#include "bind/graph/graph_of_inputs.h"

#include "bind/tensor/tensor_object.h"

namespace tracefn::bind {
namespace {

const Operand* first_symbolic(std::span<PyObject* const> values) {
  for (PyObject* value : values) {
    if (!value) continue;
    if (is_symbolic(value)) return &operand_of(value);
    if (!PyList_Check(value) && !PyTuple_Check(value)) continue;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i)
      if (PyObject* item = PySequence_Fast_GET_ITEM(value, i); is_symbolic(item)) return &operand_of(item);
  }
  return nullptr;
}

}  // namespace

GraphOfInputs::GraphOfInputs(std::span<PyObject* const> values) {
  EmitTarget& target = current_target();
  if (target.is_eager()) return;
  const auto* current = dynamic_cast<const FuncGraph*>(&target);
  if (!current || current->is_function()) return;
  const Operand* first = first_symbolic(values);
  if (!first || first->graph.get() == current->graph()) return;
  std::shared_ptr<FuncGraph> own = FuncGraph::of(first->graph.get());
  if (!own || own->is_function()) return;
  graph_ = std::move(own);
  scope_.emplace(*graph_);
}

}  // namespace tracefn::bind
