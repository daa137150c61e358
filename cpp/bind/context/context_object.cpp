// The type Context.
#include "bind/context/context_object.h"

#include <structmember.h>

#include <cstddef>
#include <new>
#include <utility>

#include "bind/method.h"

namespace tracefn::bind {
namespace {

struct ContextObject {
  PyObject_HEAD
  OpenCount open;
  ContextKind* kind;  // owned
  PyObject* weakrefs;
};

PyObject* base = nullptr;

ContextObject* as_context(PyObject* self) { return reinterpret_cast<ContextObject*>(self); }

PyObject* context_enter(PyObject* self) {
  PyRef value = PyRef::borrow(Py_None);
  ContextObject* context = as_context(self);
  begin_context(self, context->open, context->kind->enter(value));
  return value.release();
}

PyObject* context_exit(PyObject* self, PyObject* const*, Py_ssize_t) {
  return guarded([&]() -> PyObject* {
    end_context(self, as_context(self)->open, [&] { return as_context(self)->kind->text(); });
    Py_RETURN_NONE;
  });
}

int context_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return as_context(self)->kind ? as_context(self)->kind->traverse(visit, arg) : 0;
}

void context_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (as_context(self)->weakrefs) PyObject_ClearWeakRefs(self);
  delete std::exchange(as_context(self)->kind, nullptr);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMethodDef context_methods[] = {
    {"__enter__", method<context_enter>, METH_NOARGS, nullptr},
    {"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(context_exit)), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef context_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ContextObject, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot context_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(context_dealloc)},
                               {Py_tp_traverse, reinterpret_cast<void*>(context_traverse)},
                               {Py_tp_methods, context_methods},
                               {Py_tp_members, context_members},
                               {0, nullptr}};
PyType_Spec context_spec = {
    "tracefn._core.Context", sizeof(ContextObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, context_slots};

}  // namespace

PyObject* new_context(PyTypeObject* type, std::unique_ptr<ContextKind> kind) {
  PyObject* self = checked(type->tp_alloc(type, 0));
  new (&as_context(self)->open) OpenCount();
  as_context(self)->kind = kind.release();
  return self;
}

void add_context_type(PyObject* module, const char* qualified_name, const char* doc, newfunc make) {
  PyType_Slot made[] = {{Py_tp_doc, const_cast<char*>(doc)}, {Py_tp_new, reinterpret_cast<void*>(make)}, {0, nullptr}};
  PyType_Spec of = {qualified_name, sizeof(ContextObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, made};
  PyRef bases = owned(PyTuple_Pack(1, base));
  PyRef type = owned(PyType_FromSpecWithBases(&of, bases.get()));
  checked(PyModule_AddType(module, reinterpret_cast<PyTypeObject*>(type.get())));
}

void init_context_object(PyObject* module) {
  base = checked(PyType_FromSpec(&context_spec));
  checked(PyModule_AddType(module, reinterpret_cast<PyTypeObject*>(base)));
}

}  // namespace tracefn::bind
