// The type Function and its cache of call fingerprints.
#include "bind/function_object.h"

#include <pybind11/pybind11.h>
#include <structmember.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "base/hash.h"
#include "bind/concrete_object.h"
#include "bind/errors.h"
#include "bind/fingerprint.h"
#include "bind/from_numpy.h"
#include "bind/numpy_types.h"
#include "bind/py_ref.h"
#include "bind/spec_classes.h"
#include "bind/tensor_object.h"
#include "exec/eager.h"
#include "spec/call_key.h"
#include "spec/dispatch.h"
#include "spec/tensor_type.h"

namespace tracefn::bind {
namespace {

// Calls seen before, newest last; the oldest is forgotten beyond this number. They are answered by the general path
// then.
constexpr std::size_t kMaxEntries = 128;
constexpr std::size_t kManyTraces = 32;

// One remembered call. Owns its Python references; made and freed with the GIL.
struct Entry {
  std::size_t hash = 0;
  std::vector<std::uint64_t> words;
  std::vector<PyObject*> pins;      // owned
  std::vector<PyObject*> watchers;  // owned weak references
  std::vector<PyObject*> watched;   // their targets' addresses
  std::shared_ptr<Concrete> concrete;
  // Told of each use where the number of traces is bounded; else null. `table_object` keeps it alive.
  const DispatchTable* table = nullptr;
  PyRef table_object;
  std::size_t payload = 0;  // the trace's in the table
  // For each tensor of the trace, which leaf of the call it is; for variables the handle itself, for numpy values the
  // dtype that they become tensors of.
  struct Leaf {
    std::size_t index;
    Tensor handle;
    DType converted = DType::kInvalid;
  };
  std::vector<Leaf> leaves;

  ~Entry() {
    for (PyObject* p : pins) Py_DECREF(p);
    for (PyObject* w : watchers) Py_DECREF(w);
  }

  bool alive() const {
    for (std::size_t i = 0; i < watchers.size(); ++i)
      if (weak_target(watchers[i]).get() != watched[i]) return false;
    return true;
  }
  bool matches(const Fingerprint& f, std::size_t f_hash) const {
    return hash == f_hash && words.size() == f.words.size() &&
           std::memcmp(words.data(), f.words.data(), words.size() * sizeof(std::uint64_t)) == 0 && alive();
  }
};

struct FunctionObject;

// The calls remembered for one cache of traces, an Impl's; and how its methods are bound.
struct FastCache {
  std::vector<std::shared_ptr<Entry>> entries;
  std::shared_ptr<Entry> last;
  std::uint64_t hits = 0;
  // Of an instance's cache: the one Function bound to it, borrowed, while somebody holds it.
  FunctionObject* bound = nullptr;
  // Of a class's cache: weak references to the instance that was bound last and to its Impl, and the Impl's cache,
  // borrowed from it.
  PyRef last_instance;
  PyRef last_impl;
  PyObject* last_capsule = nullptr;
};

struct FunctionObject {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  PyObject* python_function;
  PyObject* impl;      // the Python half: a tracefn._function.impl.Impl
  PyObject* capsule;   // owns `fast`
  PyObject* instance;  // of a method, else null: lives as long as this object
  PyObject* dict;
  PyObject* origin_dict;  // of a method, until somebody looks: the attributes of the class's Function, not copied yet
  PyObject* weakrefs;
  FastCache* fast;
};

constexpr const char* kFastCacheName = "tracefn.FastCache";

FastCache* fast_of(PyObject* capsule) {
  auto* fast = static_cast<FastCache*>(PyCapsule_GetPointer(capsule, kFastCacheName));
  if (!fast) throw_python_error();
  return fast;
}

PyTypeObject* function_type = nullptr;
PyObject* call_name = nullptr;
// While true every call takes the general path (run_functions_eagerly, check_numerics and the like).
bool fast_path_off = false;

FunctionObject* self_of(PyObject* object) { return reinterpret_cast<FunctionObject*>(object); }

std::size_t hash_of(const Fingerprint& f) {
  std::size_t h = f.words.size();
  for (std::uint64_t w : f.words) h = hash_mix(h, w);
  return h;
}

std::shared_ptr<Entry> find(FastCache& fast, const Fingerprint& f) {
  std::size_t hash = hash_of(f);
  for (std::size_t i = fast.entries.size(); i-- > 0;) {
    if (!fast.entries[i]->matches(f, hash)) continue;
    fast.last = fast.entries[i];
    return fast.last;
  }
  return nullptr;
}

PyObject* run_entry_heard(const Entry& entry, const Fingerprint::Leaves& leaves) {
  Operands args;
  for (const Entry::Leaf& leaf : entry.leaves) {
    PyObject* given = leaves[leaf.index];
    args.push_back(leaf.handle.defined()               ? Operand(leaf.handle)
                   : leaf.converted != DType::kInvalid ? Operand(from_numpy(given, leaf.converted, Rules::kEager))
                                                       : operand_of(given));
  }
  return run_concrete_heard(*entry.concrete, std::span(args.data(), args.size()));
}

PyObject* run_entry(const Entry& entry, const Fingerprint::Leaves& leaves) {
  if (current_listener()) return run_entry_heard(entry, leaves);
  SmallVector<Tensor, 8> args;
  auto add = [&](const Entry::Leaf& leaf) {
    PyObject* given = leaves[leaf.index];
    args.push_back(leaf.handle.defined()               ? leaf.handle
                   : leaf.converted != DType::kInvalid ? from_numpy(given, leaf.converted, Rules::kEager)
                                                       : operand_of(given).tensor);
  };
  if (const std::vector<std::uint32_t>* used = entry.concrete->used_args()) {
    args.reserve(used->size());
    for (std::uint32_t i : *used) add(entry.leaves[i]);
    return run_concrete_used(*entry.concrete, std::span(args.data(), args.size()));
  }
  args.reserve(entry.leaves.size());
  for (const Entry::Leaf& leaf : entry.leaves) add(leaf);
  return run_concrete(*entry.concrete, std::span(args.data(), args.size()));
}

// What remembers a call like this one, or null.
std::shared_ptr<Entry> find_call(FastCache& fast, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                                 Fingerprint::Leaves& leaves) {
  if (fast.last && reads_as(fast.last->words, args, nargs, kwnames, leaves) && fast.last->alive()) return fast.last;
  Fingerprint f;
  if (!f.read(args, nargs, kwnames)) return nullptr;
  leaves = f.leaves;
  return find(fast, f);
}

PyObject* call(PyObject* object, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  FunctionObject* self = self_of(object);
  return guarded([&]() -> PyObject* {
    if (!fast_path_off && !self->fast->entries.empty() && runs_eagerly()) {
      Fingerprint::Leaves leaves;
      if (std::shared_ptr<Entry> entry = find_call(*self->fast, args, PyVectorcall_NARGS(nargsf), kwnames, leaves)) {
        ++self->fast->hits;
        if (entry->table) entry->table->touch(entry->payload);
        return run_entry(*entry, leaves);
      }
    }
    PyRef method = PyRef::steal(checked(PyObject_GetAttr(self->impl, call_name)));
    return PyObject_Vectorcall(method.get(), args, nargsf & ~PY_VECTORCALL_ARGUMENTS_OFFSET, kwnames);
  });
}

// Keys in which every part that is not a tensor is known by its value or its address.
bool cacheable(const TraceType& type, int& containers) {
  switch (type.kind()) {
    case TypeKind::kTensor:
    case TypeKind::kVariable:
    case TypeKind::kLiteral:
    case TypeKind::kObject:
      return true;
    case TypeKind::kList:
    case TypeKind::kTuple:
    case TypeKind::kNamedTuple:
    case TypeKind::kDict: {
      ++containers;
      for (const TraceTypePtr& child : type.children())
        if (!cacheable(*child, containers)) return false;
      return true;
    }
    default:
      return false;
  }
}

// Whether some tensor or numpy value is given twice. Variables do not count: which one they are is part of the words.
bool has_duplicate(const Fingerprint::Leaves& leaves) {
  std::vector<PyObject*> sorted;
  for (PyObject* leaf : leaves)
    if (!is_variable(leaf)) sorted.push_back(leaf);
  std::sort(sorted.begin(), sorted.end(), std::less<>());
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

// remember(fast_cache, concrete, leaves, args, kwargs, table, payload): later calls like f(*args, **kwargs) run
// `concrete`; `leaves` are the tensors (and variables) of this call in the trace's order, as they were given. Unless it
// is None, the DispatchTable `table` is told of each such call.
PyObject* remember(PyObject*, PyObject* arguments) {
  PyObject *capsule, *concrete, *leaves, *args, *kwargs, *table;
  Py_ssize_t payload;
  if (!PyArg_ParseTuple(arguments, "OO!OO!O!On", &capsule, concrete_type, &concrete, &leaves, &PyTuple_Type, &args,
                        &PyDict_Type, &kwargs, &table, &payload))
    return nullptr;
  return guarded([&]() -> PyObject* {
    std::vector<PyObject*> values(PySequence_Fast_ITEMS(args), PySequence_Fast_ITEMS(args) + PyTuple_GET_SIZE(args));
    PyRef names = PyRef::steal(checked(PyTuple_New(PyDict_GET_SIZE(kwargs))));
    PyObject *key, *value;
    Py_ssize_t k = 0;
    for (Py_ssize_t at = 0; PyDict_Next(kwargs, &at, &key, &value);) {
      PyTuple_SET_ITEM(names.get(), k++, Py_NewRef(key));
      values.push_back(value);
    }
    Fingerprint f;
    if (!f.read(values.data(), PyTuple_GET_SIZE(args), k ? names.get() : nullptr)) Py_RETURN_FALSE;
    auto entry = std::make_shared<Entry>();
    entry->concrete = reinterpret_cast<ConcreteObject*>(concrete)->concrete;
    if (table != Py_None) {
      entry->table = pybind11::handle(table).cast<const DispatchTable*>();
      entry->table_object = PyRef::borrow(table);
      entry->payload = static_cast<std::size_t>(payload);
    }
    int containers = 0;
    for (const TraceTypePtr& type : entry->concrete->key().types())
      if (!cacheable(*type, containers)) Py_RETURN_FALSE;
    if (containers < f.containers) Py_RETURN_FALSE;
    PyRef items = PyRef::steal(checked(PySequence_Fast(leaves, "leaves must be a sequence")));
    std::vector<const TraceType*> types = entry->concrete->key().leaves();
    if (types.size() != static_cast<std::size_t>(PySequence_Fast_GET_SIZE(items.get()))) Py_RETURN_FALSE;
    // A leaf's place in the call is found by identity. A value given twice has two places, told apart by order; where
    // names may have changed the order, nothing is remembered.
    if (!f.in_order && has_duplicate(f.leaves)) Py_RETURN_FALSE;
    std::vector<bool> taken(f.leaves.size());
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
      PyObject* leaf = PySequence_Fast_GET_ITEM(items.get(), i);
      std::size_t index = 0;
      while (index < f.leaves.size() && (taken[index] || f.leaves[index] != leaf)) ++index;
      // An input_signature makes another tensor of a numpy value. Where each parameter is one tensor its place is
      // known.
      bool cast = index == f.leaves.size() && k == 0 && f.leaves.size() == types.size() &&
                  entry->concrete->key().types().size() == types.size() &&
                  is_numpy(f.leaves[static_cast<std::size_t>(i)]);
      if (cast) index = static_cast<std::size_t>(i);
      if (index == f.leaves.size()) Py_RETURN_FALSE;
      taken[index] = true;
      Entry::Leaf known{index, Tensor()};
      if (cast || is_numpy(leaf))
        known.converted = static_cast<const TensorType&>(*types[static_cast<std::size_t>(i)]).dtype();
      if (is_variable(leaf)) {
        PyRef handle = PyRef::steal(checked(PyObject_GetAttrString(leaf, "handle")));
        if (!is_eager(handle.get())) Py_RETURN_FALSE;
        known.handle = operand_of(handle.get()).tensor;
      }
      entry->leaves.push_back(std::move(known));
    }
    for (PyObject* w : f.watched) {
      PyObject* reference = PyWeakref_NewRef(w, nullptr);
      if (!reference) {
        PyErr_Clear();  // an object without weak references cannot be known by its address
        Py_RETURN_FALSE;
      }
      entry->watchers.push_back(reference);
      entry->watched.push_back(w);
    }
    for (PyObject* p : f.pins) entry->pins.push_back(Py_NewRef(p));
    entry->words.assign(f.words.begin(), f.words.end());
    entry->hash = hash_of(f);
    FastCache& fast = *fast_of(capsule);
    auto& entries = fast.entries;
    std::erase_if(entries, [](const auto& e) { return !e->alive(); });
    if (entries.size() >= kMaxEntries) entries.erase(entries.begin());
    entries.push_back(entry);
    fast.last = entry;
    Py_RETURN_TRUE;
  });
}

PyObject* forget(PyObject*, PyObject* capsule) {
  return guarded([&]() -> PyObject* {
    // They are freed when the cache is empty already: that may run code of the user's.
    auto entries = std::exchange(fast_of(capsule)->entries, {});
    auto last = std::exchange(fast_of(capsule)->last, nullptr);
    Py_RETURN_NONE;
  });
}

PyObject* new_fast_cache(PyObject*, PyObject*) {
  return PyCapsule_New(new FastCache(), kFastCacheName, [](PyObject* capsule) {
    delete static_cast<FastCache*>(PyCapsule_GetPointer(capsule, kFastCacheName));
  });
}

PyObject* fast_hits(PyObject*, PyObject* capsule) {
  return guarded([&] { return PyLong_FromUnsignedLongLong(fast_of(capsule)->hits); });
}

PyRef make_function(PyTypeObject* type, PyObject* python_function, PyObject* impl, PyObject* capsule) {
  FastCache* fast = fast_of(capsule);
  PyRef made = PyRef::steal(checked(type->tp_alloc(type, 0)));
  FunctionObject* self = self_of(made.get());
  self->vectorcall = call;
  self->python_function = Py_NewRef(python_function);
  self->impl = Py_NewRef(impl);
  self->capsule = Py_NewRef(capsule);
  self->fast = fast;
  return made;
}

// Function(python_function, impl, fast_cache)
PyObject* new_function(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *python_function, *impl, *capsule;
  if (!PyArg_ParseTuple(args, "OOO", &python_function, &impl, &capsule)) return nullptr;
  return guarded([&] { return make_function(type, python_function, impl, capsule).release(); });
}

// The Function of a method of `instance`, whose Impl is `impl`: the same object as long as somebody holds it.
PyObject* bound_to(FunctionObject* function, PyObject* instance, PyObject* impl, PyObject* capsule) {
  FastCache* fast = fast_of(capsule);
  if (fast->bound) return Py_NewRef(reinterpret_cast<PyObject*>(fast->bound));
  PyTypeObject* type = Py_TYPE(reinterpret_cast<PyObject*>(function));
  PyRef made = make_function(type, function->python_function, impl, capsule);
  FunctionObject* self = self_of(made.get());
  self->origin_dict = Py_XNewRef(function->dict);
  self->instance = Py_NewRef(instance);
  fast->bound = self;
  return made.release();
}

int traverse(PyObject* object, visitproc visit, void* arg) {
  FunctionObject* self = self_of(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->python_function);
  Py_VISIT(self->impl);
  Py_VISIT(self->instance);
  Py_VISIT(self->dict);
  Py_VISIT(self->origin_dict);
  return 0;
}

int clear(PyObject* object) {
  FunctionObject* self = self_of(object);
  if (self->fast && self->fast->bound == self) self->fast->bound = nullptr;
  Py_CLEAR(self->origin_dict);
  Py_CLEAR(self->python_function);
  Py_CLEAR(self->impl);
  Py_CLEAR(self->instance);
  Py_CLEAR(self->dict);
  return 0;
}

// Many traces freed at once leave megabytes of holes, which the C library keeps unless it is told otherwise.
void return_free_memory() {
#if defined(__GLIBC__)
  Py_BEGIN_ALLOW_THREADS;
  malloc_trim(0);
  Py_END_ALLOW_THREADS;
#endif
}

void dealloc(PyObject* object) {
  FunctionObject* self = self_of(object);
  bool had_many_traces = self->fast->entries.size() >= kManyTraces;
  PyObject_GC_UnTrack(object);
  if (self->fast->bound == self) self->fast->bound = nullptr;
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  clear(object);
  Py_CLEAR(self->capsule);
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
  if (had_many_traces) return_free_memory();
}

// Access through an instance gives the Function bound to it, the same object each time.
PyObject* descr_get(PyObject* object, PyObject* instance, PyObject* owner) {
  (void)owner;
  if (!instance || instance == Py_None) return Py_NewRef(object);
  FunctionObject* self = self_of(object);
  return guarded([&]() -> PyObject* {
    FastCache* fast = self->fast;
    if (fast->last_instance && weak_target(fast->last_instance.get()).get() == instance)
      if (PyRef impl = weak_target(fast->last_impl.get()))
        return bound_to(self, instance, impl.get(), fast->last_capsule);
    static PyObject* impl_name = PyUnicode_InternFromString("impl_of_instance");
    static PyObject* fast_name = PyUnicode_InternFromString("fast");
    PyRef impl = PyRef::steal(checked(PyObject_CallMethodOneArg(self->impl, impl_name, instance)));
    PyRef instance_reference = PyRef::steal(checked(PyWeakref_NewRef(instance, nullptr)));
    PyRef impl_reference = PyRef::steal(checked(PyWeakref_NewRef(impl.get(), nullptr)));
    PyRef capsule = PyRef::steal(checked(PyObject_GetAttr(impl.get(), fast_name)));
    fast->last_instance = std::move(instance_reference);
    fast->last_impl = std::move(impl_reference);
    fast->last_capsule = capsule.get();
    return bound_to(self, instance, impl.get(), capsule.get());
  });
}

// Most methods are called and dropped: the attributes are copied when the first is asked for. What is wrapped is then
// the method, so that nobody takes `self` for one of its parameters.
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
PyObject* get_attribute(PyObject* object, PyObject* name) {
  return copy_attributes(self_of(object)) ? PyObject_GenericGetAttr(object, name) : nullptr;
}
int set_attribute(PyObject* object, PyObject* name, PyObject* value) {
  return copy_attributes(self_of(object)) ? PyObject_GenericSetAttr(object, name, value) : -1;
}

PyObject* get_hits(PyObject* object, void*) { return PyLong_FromUnsignedLongLong(self_of(object)->fast->hits); }
PyObject* get_entries(PyObject* object, void*) { return PyLong_FromSize_t(self_of(object)->fast->entries.size()); }

PyGetSetDef getset[] = {{"_fast_hits", get_hits, nullptr, "Calls answered without running Python code.", nullptr},
                        {"_fast_entries", get_entries, nullptr, "Kinds of calls known to the fast path.", nullptr},
                        {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionObject, vectorcall), READONLY, nullptr},
                         {"__dictoffset__", T_PYSSIZET, offsetof(FunctionObject, dict), READONLY, nullptr},
                         {"__weaklistoffset__", T_PYSSIZET, offsetof(FunctionObject, weakrefs), READONLY, nullptr},
                         {"_python_function", T_OBJECT, offsetof(FunctionObject, python_function), READONLY, nullptr},
                         {"_instance", T_OBJECT, offsetof(FunctionObject, instance), READONLY, nullptr},
                         {"_impl", T_OBJECT, offsetof(FunctionObject, impl), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(new_function)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                       {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear)},
                       {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                       {Py_tp_getattro, reinterpret_cast<void*>(get_attribute)},
                       {Py_tp_setattro, reinterpret_cast<void*>(set_attribute)},
                       {Py_tp_descr_get, reinterpret_cast<void*>(descr_get)},
                       {Py_tp_getset, getset},
                       {Py_tp_members, members},
                       {0, nullptr}};
PyType_Spec spec = {"tracefn._core.Function", sizeof(FunctionObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, slots};

PyObject* set_fast_path(PyObject*, PyObject* on) {
  fast_path_off = !PyObject_IsTrue(on);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"set_fast_path", set_fast_path, METH_O, "False: every call of a Function takes the general path."},
    {"new_fast_cache", new_fast_cache, METH_NOARGS, "An empty cache of calls for one cache of traces."},
    {"remember_call", remember, METH_VARARGS, "Answers calls like this one without Python code from now on."},
    {"forget_calls", forget, METH_O, "Undoes every remember_call."},
    {"fast_hits", fast_hits, METH_O, "Calls that a cache has answered."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_function_object(PyObject* module) {
  call_name = PyUnicode_InternFromString("call");
  function_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)));
  checked(PyModule_AddObjectRef(module, "Function", reinterpret_cast<PyObject*>(function_type)));
  checked(PyModule_AddFunctions(module, functions));
}

}  // namespace tracefn::bind
