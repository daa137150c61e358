// The callback is per thread; while it runs, its own ops are neither reported nor recorded.
#include "bind/call/op_callback.h"

#include "autodiff/tape.h"
#include "bind/context/open_contexts.h"
#include "bind/errors.h"
#include "bind/gil.h"
#include "bind/py_ref.h"
#include "bind/tensor/tensor_object.h"
#include "ops/emit.h"

namespace tracefn::bind {
namespace {

thread_local PyObject* function_of_thread = nullptr;  // owned

PyRef list_of(std::span<const Operand> operands) {
  PyRef list = owned(PyList_New(static_cast<Py_ssize_t>(operands.size())));
  for (std::size_t i = 0; i < operands.size(); ++i)
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), checked(wrap(operands[i])));
  return list;
}

class PythonCallback final : public OpCallback {
 public:
  void emitted(const OpSignature& op, std::span<const Operand> inputs, std::span<const Operand> outputs) override {
    struct Silent {
      PythonCallback* callback;
      ~Silent() { set_op_callback(callback); }
    } silent{this};
    const EnsuredGil gil;
    TapePause pause;
    ContextScope scope;
    set_op_callback(nullptr);
    PyRef ins = list_of(inputs), outs = list_of(outputs);
    owned(PyObject_CallFunction(function_of_thread, "sOO", op.name.c_str(), ins.get(), outs.get()));
  }
};

PyObject* python_set_op_callback(PyObject*, PyObject* function) {
  static PythonCallback callback;
  PyObject* given = function == Py_None ? nullptr : Py_NewRef(function);
  Py_XDECREF(std::exchange(function_of_thread, given));
  set_op_callback(given ? &callback : nullptr);
  Py_RETURN_NONE;
}

PyMethodDef op_callback_functions[] = {
    {"set_op_callback", python_set_op_callback, METH_O,
     "Calls function(op name, inputs, outputs) after every op of this thread; None: no more."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_op_callback(PyObject* module) {
  if (PyModule_AddFunctions(module, op_callback_functions) < 0) throw_python_error();
}

}  // namespace tracefn::bind
