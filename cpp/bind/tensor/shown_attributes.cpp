#include "bind/tensor/shown_attributes.h"

#include "bind/errors.h"

namespace tracefn::bind {
namespace {

PyObject* show_attribute(PyObject*, PyObject* args) {
  PyTypeObject* type = nullptr;
  PyObject* name = nullptr;
  PyObject* value = nullptr;
  if (!PyArg_ParseTuple(args, "O!UO:show_attribute", &PyType_Type, &type, &name, &value)) return nullptr;
  // Past type.__setattr__, which would replace the slot by one that calls `value`.
  if (PyDict_SetItem(type->tp_dict, name, value) != 0) return nullptr;
  PyType_Modified(type);
  Py_RETURN_NONE;
}

PyMethodDef shown_attributes_functions[] = {
    {"show_attribute", show_attribute, METH_VARARGS,
     "Lookups in a class find a value, which its operators do not call: (cls, name, value)."},
    {},
};

}  // namespace

void init_shown_attributes(PyObject* module) { checked(PyModule_AddFunctions(module, shown_attributes_functions)); }

}  // namespace tracefn::bind
