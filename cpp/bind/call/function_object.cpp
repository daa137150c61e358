// The type Function.
#include "bind/call/function_object.h"

#include <structmember.h>

#include <utility>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "bind/call/fast_cache.h"
#include "bind/errors.h"
#include "bind/missing_member.h"
#include "bind/py_ref.h"

namespace tracefn::bind {
namespace {

// A Function with more remembered calls than this had many traces.
constexpr std::size_t kManyTraces = 32;

}  // namespace

struct FunctionObject {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  PyObject* python_function;
  PyObject* impl;      // the Python half: a tracefn._function.impl.Impl
  PyObject* cache;     // contains `fast`
  PyObject* instance;  // of a method, else null: lives as long as this object
  PyObject* dict;
  PyObject* origin_dict;  // of a method, until first access: the attributes of the class's Function, not copied yet
  PyObject* weakrefs;
  FastCache* fast;
};

namespace {

PyTypeObject* function_type = nullptr;
PyObject* call_name = nullptr;

FunctionObject* self_of(PyObject* object) { return reinterpret_cast<FunctionObject*>(object); }

PyObject* function_call(PyObject* object, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  FunctionObject* self = self_of(object);
  return guarded([&]() -> PyObject* {
    if (std::optional<PyObject*> result = answer(*self->fast, args, PyVectorcall_NARGS(nargsf), kwnames))
      return *result;
    PyRef method = PyRef::steal(checked(PyObject_GetAttr(self->impl, call_name)));
    return PyObject_Vectorcall(method.get(), args, nargsf & ~PY_VECTORCALL_ARGUMENTS_OFFSET, kwnames);
  });
}

PyRef make_function(PyTypeObject* type, PyObject* python_function, PyObject* impl, PyObject* cache) {
  FastCache* fast = fast_of(cache);
  PyRef made = PyRef::steal(checked(type->tp_alloc(type, 0)));
  FunctionObject* self = self_of(made.get());
  self->vectorcall = function_call;
  self->python_function = Py_NewRef(python_function);
  self->impl = Py_NewRef(impl);
  self->cache = Py_NewRef(cache);
  self->fast = fast;
  return made;
}

// Function(python_function, impl, fast_cache)
PyObject* new_function(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *python_function, *impl, *cache;
  if (!PyArg_ParseTuple(args, "OOO", &python_function, &impl, &cache)) return nullptr;
  return guarded([&] { return make_function(type, python_function, impl, cache).release(); });
}

// The Function of a method of `instance`, whose Impl is `impl`: the same object while it is alive.
PyObject* bound_to(FunctionObject* function, PyObject* instance, PyObject* impl, PyObject* cache) {
  FastCache* fast = fast_of(cache);
  if (fast->bound) return Py_NewRef(reinterpret_cast<PyObject*>(fast->bound));
  PyTypeObject* type = Py_TYPE(reinterpret_cast<PyObject*>(function));
  PyRef made = make_function(type, function->python_function, impl, cache);
  FunctionObject* self = self_of(made.get());
  self->origin_dict = Py_XNewRef(function->dict);
  self->instance = Py_NewRef(instance);
  fast->bound = self;
  return made.release();
}

int function_traverse(PyObject* object, visitproc visit, void* arg) {
  FunctionObject* self = self_of(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->python_function);
  Py_VISIT(self->impl);
  Py_VISIT(self->cache);
  Py_VISIT(self->instance);
  Py_VISIT(self->dict);
  Py_VISIT(self->origin_dict);
  return 0;
}

int function_clear(PyObject* object) {
  FunctionObject* self = self_of(object);
  if (self->fast && self->fast->bound == self) self->fast->bound = nullptr;
  Py_CLEAR(self->origin_dict);
  Py_CLEAR(self->python_function);
  Py_CLEAR(self->impl);
  Py_CLEAR(self->instance);
  Py_CLEAR(self->dict);
  return 0;
}

// Freeing many traces at once leaves megabytes of free heap, which the C library keeps unless trimmed.
void return_free_memory() {
#if defined(__GLIBC__)
  Py_BEGIN_ALLOW_THREADS;
  malloc_trim(0);
  Py_END_ALLOW_THREADS;
#endif
}

void function_dealloc(PyObject* object) {
  FunctionObject* self = self_of(object);
  bool had_many_traces = self->fast->entries.size() >= kManyTraces;
  PyObject_GC_UnTrack(object);
  if (self->fast->bound == self) self->fast->bound = nullptr;
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  function_clear(object);
  Py_CLEAR(self->cache);
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
  if (had_many_traces) return_free_memory();
}

// Access through an instance returns the Function bound to it, the same object each time.
PyObject* descr_get(PyObject* object, PyObject* instance, PyObject* owner) {
  (void)owner;
  if (!instance || instance == Py_None) return Py_NewRef(object);
  FunctionObject* self = self_of(object);
  return guarded([&]() -> PyObject* {
    FastCache* fast = self->fast;
    if (fast->last_instance && weak_target(fast->last_instance.get()).get() == instance)
      if (PyRef impl = weak_target(fast->last_impl.get()))
        return bound_to(self, instance, impl.get(), fast->last_object);
    static PyObject* impl_name = PyUnicode_InternFromString("impl_of_instance");
    static PyObject* fast_name = PyUnicode_InternFromString("fast");
    PyRef impl = PyRef::steal(checked(PyObject_CallMethodOneArg(self->impl, impl_name, instance)));
    PyRef instance_reference = PyRef::steal(checked(PyWeakref_NewRef(instance, nullptr)));
    PyRef impl_reference = PyRef::steal(checked(PyWeakref_NewRef(impl.get(), nullptr)));
    PyRef cache = PyRef::steal(checked(PyObject_GetAttr(impl.get(), fast_name)));
    fast->last_instance = std::move(instance_reference);
    fast->last_impl = std::move(impl_reference);
    fast->last_object = cache.get();
    return bound_to(self, instance, impl.get(), cache.get());
  });
}

// Most methods are called and dropped: the attributes are copied on first access. The wrapped callable is then the
// method, so that `self` is not taken for one of its parameters.
bool copy_attributes(FunctionObject* self) {
  if (!self->origin_dict) return true;
  PyRef origin = PyRef::steal(std::exchange(self->origin_dict, nullptr));
  if (!self->dict) self->dict = PyDict_Copy(origin.get());
  if (!self->dict) return false;
  descrgetfunc get = Py_TYPE(self->python_function)->tp_descr_get;
  if (!get) return true;
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(self->instance));
  PyRef method = PyRef::steal(get(self->python_function, self->instance, type));
  return method && PyDict_SetItemString(self->dict, "__wrapped__", method.get()) == 0;
}
PyObject* function_get_attribute(PyObject* object, PyObject* name) {
  if (!copy_attributes(self_of(object))) return nullptr;
  PyObject* found = PyObject_GenericGetAttr(object, name);
  return found ? found : missing_member(object, name);
}
int set_attribute(PyObject* object, PyObject* name, PyObject* value) {
  return copy_attributes(self_of(object)) ? PyObject_GenericSetAttr(object, name, value) : -1;
}

PyObject* get_hits(PyObject* object, void*) { return PyLong_FromUnsignedLongLong(self_of(object)->fast->hits); }
PyObject* get_entries(PyObject* object, void*) { return PyLong_FromSize_t(self_of(object)->fast->entries.size()); }

PyGetSetDef function_getset[] = {
    {"_fast_hits", get_hits, nullptr, "Calls answered without running Python code.", nullptr},
    {"_fast_entries", get_entries, nullptr, "Kinds of calls known to the fast path.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMemberDef function_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionObject, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(FunctionObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(FunctionObject, weakrefs), READONLY, nullptr},
    {"_python_function", T_OBJECT, offsetof(FunctionObject, python_function), READONLY, nullptr},
    {"_instance", T_OBJECT, offsetof(FunctionObject, instance), READONLY, nullptr},
    {"_impl", T_OBJECT, offsetof(FunctionObject, impl), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot function_slots[] = {{Py_tp_new, reinterpret_cast<void*>(new_function)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(function_dealloc)},
                                {Py_tp_traverse, reinterpret_cast<void*>(function_traverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(function_clear)},
                                {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                {Py_tp_getattro, reinterpret_cast<void*>(function_get_attribute)},
                                {Py_tp_setattro, reinterpret_cast<void*>(set_attribute)},
                                {Py_tp_descr_get, reinterpret_cast<void*>(descr_get)},
                                {Py_tp_getset, function_getset},
                                {Py_tp_members, function_members},
                                {0, nullptr}};
PyType_Spec function_spec = {"tracefn._core.Function", sizeof(FunctionObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, function_slots};

}  // namespace

void init_function_object(PyObject* module) {
  call_name = PyUnicode_InternFromString("call");
  function_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&function_spec)));
  checked(PyModule_AddObjectRef(module, "Function", reinterpret_cast<PyObject*>(function_type)));
  init_fast_cache(module);
}

}  // namespace tracefn::bind
