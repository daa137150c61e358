// Finds numpy's types once numpy is imported.
#include "bind/convert/numpy_types.h"

#include "bind/errors.h"
#include "bind/py_ref.h"

namespace tracefn::bind {
namespace {

PyTypeObject* type_named(PyObject* numpy, const char* name) {
  return reinterpret_cast<PyTypeObject*>(checked(PyObject_GetAttrString(numpy, name)));
}

}  // namespace

const NumpyTypes* numpy_types() {
  // Not a guarded static: an import may release the GIL, and another thread may get here meanwhile.
  static const NumpyTypes* types = nullptr;
  if (types) [[likely]]
    return types;
  static PyObject* name = checked(PyUnicode_InternFromString("numpy"));
  PyObject* modules = PyImport_GetModuleDict();               // borrowed
  PyObject* module = PyDict_GetItemWithError(modules, name);  // borrowed; None forbids the import
  if (!module && PyErr_Occurred()) throw_python_error();
  if (!module || module == Py_None) return nullptr;
  PyRef numpy = owned(PyImport_Import(name));  // waits if another thread is importing it
  auto* found = new NumpyTypes{.array = type_named(numpy.get(), "ndarray"),
                               .scalar = type_named(numpy.get(), "generic"),
                               .text = type_named(numpy.get(), "str_")};
  if (types)
    delete found;
  else
    types = found;
  return types;
}

}  // namespace tracefn::bind
