// Finds the graph of an op's inputs.
#include "bind/graph/graph_of_inputs.h"

#include <array>

#include "bind/errors.h"
#include "bind/function_table.h"
#include "bind/graph/graph_object.h"
#include "bind/py_ref.h"
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

// The graph in which an op of these inputs is made, if it is not the current one.
std::shared_ptr<FuncGraph> other_graph(std::span<PyObject* const> values) {
  EmitTarget& target = current_target();
  if (target.is_eager()) return nullptr;
  const auto* current = dynamic_cast<const FuncGraph*>(&target);
  if (!current || current->is_function()) return nullptr;
  const Operand* first = first_symbolic(values);
  if (!first || first->graph.get() == current->graph()) return nullptr;
  std::shared_ptr<FuncGraph> own = FuncGraph::of(first->graph.get());
  return own && !own->is_function() ? own : nullptr;
}

PyRef python_other_graph(PyObject* values) {
  const std::shared_ptr<FuncGraph> graph = other_graph(std::array{values});
  return graph ? owned(wrap_graph(graph)) : PyRef::borrow(Py_None);
}

}  // namespace

GraphOfInputs::GraphOfInputs(std::span<PyObject* const> values) : graph_(other_graph(values)) {
  if (graph_) scope_.emplace(*graph_);
}

void init_graph_of_inputs(PyObject* module) {
  static PyMethodDef functions[] = {
      function<python_other_graph>("other_graph", "values",
                                   "The tf.Graph of a tensor, or of the first one in a list, if another tf.Graph is "
                                   "the default one; otherwise None."),
      {}};
  checked(PyModule_AddFunctions(module, functions));
}

}  // namespace tracefn::bind
