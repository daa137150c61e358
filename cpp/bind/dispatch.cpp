// The dispatcher and the codes of public functions.
#include "bind/dispatch.h"

#include <unordered_map>

#include "bind/errors.h"

namespace tracefn::bind {
namespace {

PyObject* dispatcher = nullptr;

// Codes and paths live as long as the process.
std::unordered_map<PyCodeObject*, PyObject*>& paths() {
  static auto* made = new std::unordered_map<PyCodeObject*, PyObject*>();
  return *made;
}

PyObject* set_dispatcher(PyObject*, PyObject* function) {
  Py_XDECREF(dispatcher);
  dispatcher = Py_NewRef(function);
  Py_RETURN_NONE;
}

PyObject* register_public(PyObject*, PyObject* args) {
  PyObject *code = nullptr, *path = nullptr;
  if (!PyArg_ParseTuple(args, "O!U:register_public", &PyCode_Type, &code, &path)) return nullptr;
  if (paths().emplace(reinterpret_cast<PyCodeObject*>(code), path).second) {
    Py_INCREF(code);
    Py_INCREF(path);
  }
  Py_RETURN_NONE;
}

PyMethodDef dispatch_functions[] = {
    {"set_dispatcher", set_dispatcher, METH_O,
     "Says which function(path, arguments) finds other implementations of public functions, or NotImplemented."},
    {"register_public", register_public, METH_VARARGS,
     "register_public(code, path): calls of the function with this code may be dispatched."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool has_dispatcher() { return dispatcher != nullptr; }

PyRef dispatched(PyObject* path, PyObject* arguments) {
  PyRef result = owned(PyObject_CallFunctionObjArgs(dispatcher, path, arguments, nullptr));
  return result.get() == Py_NotImplemented ? PyRef() : std::move(result);
}

PyObject* public_path_of(PyCodeObject* code) {
  auto found = paths().find(code);
  return found == paths().end() ? nullptr : found->second;
}

void init_dispatch(PyObject* module) { checked(PyModule_AddFunctions(module, dispatch_functions)); }

}  // namespace tracefn::bind
