// A Python function returns the contexts to enter and changes nothing; they are entered and left without running any
// more Python code, all or none.
#include "bind/context/composed_context.h"

#include <structmember.h>

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "bind/errors.h"
#include "bind/method.h"

namespace tracefn::bind {
namespace {

struct ComposedObject {
  PyObject_HEAD
  PyObject* prepare;
  PyObject* args;
  PyObject* kwargs;             // dict or null
  std::vector<PyRef>* entered;  // tuples of contexts, the last one entered last
  PyObject* dict;
  PyObject* weakrefs;
};

PyObject* enter_name = nullptr;
PyObject* exit_name = nullptr;

ComposedObject* as_composed(PyObject* self) { return reinterpret_cast<ComposedObject*>(self); }

// ComposedContext(prepare, args, kwargs): prepare(*args, **kwargs) returns what `with ... as` binds, and a tuple.
PyObject* composed_context_create(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *prepare, *given, *keywords;
  if (!PyArg_ParseTuple(args, "OO!O!:ComposedContext", &prepare, &PyTuple_Type, &given, &PyDict_Type, &keywords))
    return nullptr;
  PyObject* self = type->tp_alloc(type, 0);
  if (!self) return nullptr;
  as_composed(self)->prepare = Py_NewRef(prepare);
  as_composed(self)->args = Py_NewRef(given);
  as_composed(self)->kwargs = Py_NewRef(keywords);
  as_composed(self)->entered = new std::vector<PyRef>();
  return self;
}

// Leaves the first `count` contexts, the last one first; throws the exception of the last failure.
void leave(PyObject* contexts, Py_ssize_t count) {
  PyRef failure;
  while (count-- > 0) {
    PyObject* call[] = {PyTuple_GET_ITEM(contexts, count), Py_None, Py_None, Py_None};
    PyRef done = PyRef::steal(PyObject_VectorcallMethod(exit_name, call, 4, nullptr));
    if (done) continue;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    failure = PyRef::steal(value);
  }
  if (!failure) return;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(failure.get())), failure.get());
  throw_python_error();
}

PyObject* composed_context_enter(PyObject* self) {
  ComposedObject* composed = as_composed(self);
  PyRef found = owned(PyObject_Call(composed->prepare, composed->args, composed->kwargs));
  PyObject *value, *contexts;
  if (!PyArg_ParseTuple(found.get(), "OO!:a function of a context", &value, &PyTuple_Type, &contexts))
    throw_python_error();
  composed->entered->reserve(composed->entered->size() + 1);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(contexts); ++i) {
    PyRef entered = PyRef::steal(PyObject_CallMethodNoArgs(PyTuple_GET_ITEM(contexts, i), enter_name));
    if (entered) continue;
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    leave(contexts, i);
    PyErr_Restore(type, error, traceback);
    throw_python_error();
  }
  composed->entered->push_back(PyRef::borrow(contexts));
  return Py_NewRef(value);
}

PyObject* composed_context_exit(PyObject* self, PyObject* const*, Py_ssize_t) {
  return guarded([&]() -> PyObject* {
    std::vector<PyRef>& entered = *as_composed(self)->entered;
    if (entered.empty()) fail(ErrorKind::kRuntime, "A context ends without having begun.");
    PyRef contexts = std::move(entered.back());
    entered.pop_back();
    leave(contexts.get(), PyTuple_GET_SIZE(contexts.get()));
    Py_RETURN_NONE;
  });
}

int composed_context_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_composed(self)->prepare);
  Py_VISIT(as_composed(self)->args);
  Py_VISIT(as_composed(self)->kwargs);
  Py_VISIT(as_composed(self)->dict);
  if (as_composed(self)->entered)
    for (const PyRef& contexts : *as_composed(self)->entered) Py_VISIT(contexts.get());
  return 0;
}

int composed_context_clear(PyObject* self) {
  Py_CLEAR(as_composed(self)->args);
  Py_CLEAR(as_composed(self)->kwargs);
  Py_CLEAR(as_composed(self)->dict);
  return 0;
}

void composed_context_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (as_composed(self)->weakrefs) PyObject_ClearWeakRefs(self);
  composed_context_clear(self);
  Py_CLEAR(as_composed(self)->prepare);
  delete std::exchange(as_composed(self)->entered, nullptr);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMethodDef composed_context_methods[] = {
    {"__enter__", method<composed_context_enter>, METH_NOARGS, nullptr},
    {"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(composed_context_exit)), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef composed_context_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(ComposedObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ComposedObject, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot composed_context_slots[] = {
    {Py_tp_doc, const_cast<char*>("A context made of others: (prepare, args, kwargs); prepare(*args, **kwargs) returns "
                                  "what the context gives, and the tuple of those to enter.")},
    {Py_tp_new, reinterpret_cast<void*>(composed_context_create)},
    {Py_tp_dealloc, reinterpret_cast<void*>(composed_context_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(composed_context_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(composed_context_clear)},
    {Py_tp_methods, composed_context_methods},
    {Py_tp_members, composed_context_members},
    {0, nullptr}};
PyType_Spec composed_context_spec = {"tracefn._core.ComposedContext", sizeof(ComposedObject), 0,
                                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
                                     composed_context_slots};

}  // namespace

void init_composed_context(PyObject* module) {
  enter_name = checked(PyUnicode_InternFromString("__enter__"));
  exit_name = checked(PyUnicode_InternFromString("__exit__"));
  PyRef type = owned(PyType_FromSpec(&composed_context_spec));
  checked(PyModule_AddType(module, reinterpret_cast<PyTypeObject*>(type.get())));
}

}  // namespace tracefn::bind
