// is_staged: called by converted code for every condition that is not a Python bool, so it must be cheap.
#include "bind/graph/staged.h"

#include "bind/errors.h"
#include "bind/method.h"
#include "bind/tensor/tensor_object.h"
#include "trace/func_graph.h"

namespace tracefn::bind {
namespace {

PyObject* tensor_like_name = nullptr;  // "is_tensor_like", which Variable's class has; never freed

bool acts_as_variable(PyObject* value) {
  PyObject* mark = _PyType_Lookup(Py_TYPE(value), tensor_like_name);  // borrowed; sets no exception
  return mark == Py_True && PyObject_HasAttrString(value, "assign");
}

PyObject* is_staged(PyObject*, PyObject* value) {
  if (!is_tensor(value) && !acts_as_variable(value)) Py_RETURN_FALSE;
  return PyBool_FromLong(current_func_graph() != nullptr);
}

PyMethodDef staged_functions[] = {
    {"is_staged", method1<is_staged>, METH_O,
     "Whether a decision over this value (a tensor or Variable, while a graph is traced) is made when the graph runs."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_staged(PyObject* module) {
  tensor_like_name = checked(PyUnicode_InternFromString("is_tensor_like"));
  checked(PyModule_AddFunctions(module, staged_functions));
}

}  // namespace tracefn::bind
