// Remembers calls, and runs their traces again.
#include "bind/call/fast_cache.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

#include "base/hash.h"
#include "bind/call/concrete_object.h"
#include "bind/call/fingerprint.h"
#include "bind/call/tracing.h"
#include "bind/convert/from_numpy.h"
#include "bind/convert/numpy_types.h"
#include "bind/errors.h"
#include "bind/garbage.h"
#include "bind/structure/classes.h"
#include "bind/tensor/tensor_object.h"
#include "exec/eager.h"
#include "spec/call_key.h"
#include "spec/dispatch.h"
#include "spec/tensor_type.h"

namespace tracefn::bind {

// Owns its Python references; created and freed with the GIL.
struct RememberedCall {
  std::size_t references = 0;
  std::size_t hash = 0;
  std::vector<std::uint64_t> words;  // and kEnd
  std::size_t num_leaves = 0;        // of the call
  std::vector<PyObject*> pins;       // owned
  std::vector<PyObject*> watchers;   // owned weak references
  std::vector<PyObject*> watched;    // their targets' addresses
  std::shared_ptr<Concrete> concrete;
  // Notified of each use if the number of traces is bounded; else null. `table_object` keeps it alive.
  const DispatchTable* table = nullptr;
  PyRef table_object;
  std::size_t payload = 0;  // the trace's in the table
  // For each tensor of the trace, the leaf of the call; for variables the handle itself, for numpy values the dtype
  // that they are converted to. The resources of other owners are asked for at each call: the cache keeps none alive.
  struct Leaf {
    std::size_t index;
    Operand handle;
    DType converted = DType::kInvalid;
    bool is_owner = false;
  };
  std::vector<Leaf> leaves;
  bool converts = false;  // some leaf is a numpy value or the owner of a resource

  ~RememberedCall() {
    for (PyObject* p : pins) Py_DECREF(p);
    for (PyObject* w : watchers) Py_DECREF(w);
  }

  bool alive() const {
    for (std::size_t i = 0; i < watchers.size(); ++i)
      if (weak_target(watchers[i]).get() != watched[i]) return false;
    return true;
  }
  bool matches(const Fingerprint& f, std::size_t f_hash) const {
    return hash == f_hash && words.size() == f.words.size() + 1 &&
           std::memcmp(words.data(), f.words.data(), f.words.size() * sizeof(std::uint64_t)) == 0 && alive();
  }
};

namespace {

// Remembered calls, newest last; the oldest is evicted beyond this number. Evicted calls take the slow path.
constexpr std::size_t kMaxEntries = 128;

struct FastCacheObject {
  PyObject_HEAD
  FastCache fast;
};

PyTypeObject* fast_cache_type = nullptr;

FastCache& cache_of(PyObject* self) { return reinterpret_cast<FastCacheObject*>(self)->fast; }

// While true every call takes the slow path (run_functions_eagerly, check_numerics and the like).
bool fast_path_off = false;

std::size_t hash_of(const Fingerprint& f) {
  std::size_t h = f.words.size();
  for (std::uint64_t w : f.words) h = hash_mix(h, w);
  return h;
}

GilRef<RememberedCall> find(FastCache& fast, const Fingerprint& f) {
  std::size_t hash = hash_of(f);
  for (std::size_t i = fast.entries.size(); i-- > 0;) {
    if (!fast.entries[i]->matches(f, hash)) continue;
    fast.last = fast.entries[i];
    return fast.last;
  }
  return {};
}

// Without counting a reference to any argument, unless what follows may let other threads and signal handlers run
// before the arguments are read: these may drop them.
PyObject* run_entry(const RememberedCall& entry, PyObject* const* leaves) {
  SmallVector<PyRef, 8> alive;
  if (entry.converts || !entry.concrete->is_compiled())
    for (const RememberedCall::Leaf& leaf : entry.leaves)
      if (!leaf.handle.defined()) alive.push_back(PyRef::borrow(leaves[leaf.index]));
  SmallVector<ConcreteArgument, 8> args;
  args.reserve(entry.leaves.size());
  Operands converted;
  if (entry.converts) converted.reserve(entry.leaves.size());
  for (const RememberedCall::Leaf& leaf : entry.leaves) {
    PyObject* given = leaves[leaf.index];
    if (leaf.handle.defined()) {
      args.push_back({const_cast<Operand*>(&leaf.handle), false});
    } else if (leaf.is_owner) {
      PyRef resource = resource_of(given);
      if (!is_eager(resource.get())) fail(ErrorKind::kType, Py_TYPE(given)->tp_name, " has lost its resource.");
      converted.push_back(operand_of(resource.get()));
      args.push_back({&converted.back(), true});
    } else if (leaf.converted == DType::kInvalid) {
      args.push_back({&mutable_operand_of(given), false});
    } else {
      converted.emplace_back(from_numpy(given, leaf.converted, Rules::kEager));
      args.push_back({&converted.back(), true});
    }
  }
  return run_concrete(*entry.concrete, std::span(args.data(), args.size()));
}

// The buffer for the leaves of one call.
class LeafRoom {
 public:
  PyObject** of(std::size_t n) {
    if (n <= std::size(few_)) return few_;
    more_ = std::make_unique<PyObject*[]>(n);
    return more_.get();
  }

 private:
  PyObject* few_[128];
  std::unique_ptr<PyObject*[]> more_;
};

// The remembered call that equals this one, or null; its leaves.
GilRef<RememberedCall> find_call(FastCache& fast, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                                 LeafRoom& room, PyObject**& leaves) {
  if (fast.last) {
    leaves = room.of(fast.last->num_leaves);
    if (reads_as(fast.last->words.data(), args, nargs, kwnames, leaves) && fast.last->alive()) return fast.last;
  }
  Fingerprint f;
  if (!f.read(args, nargs, kwnames)) return {};
  leaves = room.of(f.leaves.size());
  std::copy(f.leaves.begin(), f.leaves.end(), leaves);
  return find(fast, f);
}

// How many parts of a key are containers, and composite values.
struct Parts {
  int containers = 0;
  int composites = 0;
};

// Keys in which every non-tensor part is identified by its value or its address. Of composite values that is so if all
// are resources.
bool cacheable(const TraceType& type, Parts& parts) {
  switch (type.kind()) {
    case TypeKind::kTensor:
    case TypeKind::kVariable:
    case TypeKind::kLiteral:
    case TypeKind::kObject:
      return true;
    case TypeKind::kComposite:
      ++parts.composites;
      return true;
    case TypeKind::kList:
    case TypeKind::kTuple:
    case TypeKind::kNamedTuple:
    case TypeKind::kDict: {
      ++parts.containers;
      for (const TraceTypePtr& child : type.children())
        if (!cacheable(*child, parts)) return false;
      return true;
    }
    default:
      return false;
  }
}

// Whether some tensor or numpy value is passed twice. Variables and owners of resources do not count: their identity is
// part of the words.
bool has_duplicate(const Fingerprint::Leaves& leaves) {
  std::vector<PyObject*> sorted;
  for (PyObject* leaf : leaves)
    if (!is_variable(leaf) && !is_resource_owner(leaf)) sorted.push_back(leaf);
  std::sort(sorted.begin(), sorted.end(), std::less<>());
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

// remember(fast_cache, concrete, leaves, args, kwargs, table, payload): later calls like f(*args, **kwargs) run
// `concrete`; `leaves` are the tensors (and variables) of this call in the trace's order, as they were passed. Unless
// it is None, the DispatchTable `table` is notified of each such call.
PyObject* remember(PyObject*, PyObject* arguments) {
  PyObject *object, *concrete, *leaves, *args, *kwargs, *table;
  Py_ssize_t payload;
  if (!PyArg_ParseTuple(arguments, "OO!OO!O!On", &object, concrete_type, &concrete, &leaves, &PyTuple_Type, &args,
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
    GilRef<RememberedCall> entry(new RememberedCall());
    entry->concrete = reinterpret_cast<ConcreteObject*>(concrete)->concrete;
    if (table != Py_None) {
      entry->table = dispatch_table_of(table);
      entry->table_object = PyRef::borrow(table);
      entry->payload = static_cast<std::size_t>(payload);
    }
    Parts parts;
    for (const TraceTypePtr& type : entry->concrete->key().types())
      if (!cacheable(*type, parts)) Py_RETURN_FALSE;
    if (parts.containers < f.containers || parts.composites != f.resources) Py_RETURN_FALSE;
    PyRef items = PyRef::steal(checked(PySequence_Fast(leaves, "leaves must be a sequence")));
    std::vector<const TraceType*> types = entry->concrete->key().leaves();
    if (types.size() != static_cast<std::size_t>(PySequence_Fast_GET_SIZE(items.get()))) Py_RETURN_FALSE;
    // A leaf's position in the call is found by identity. A value passed twice has two positions, distinguished by
    // order; if keywords may have changed the order, nothing is remembered.
    if (!f.in_order && has_duplicate(f.leaves)) Py_RETURN_FALSE;
    std::vector<PyRef> given;  // for an owner its resource
    for (PyObject* leaf : f.leaves) {
      PyRef resource = resource_of(leaf);
      given.push_back(resource ? std::move(resource) : PyRef::borrow(leaf));
    }
    std::vector<bool> taken(f.leaves.size());
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
      PyObject* leaf = PySequence_Fast_GET_ITEM(items.get(), i);
      std::size_t index = 0;
      while (index < given.size() && (taken[index] || given[index].get() != leaf)) ++index;
      // An input_signature converts a numpy value to another tensor. If each parameter is one tensor, its position is
      // known.
      bool cast = index == f.leaves.size() && k == 0 && f.leaves.size() == types.size() &&
                  entry->concrete->key().types().size() == types.size() &&
                  is_numpy(f.leaves[static_cast<std::size_t>(i)]);
      if (cast) index = static_cast<std::size_t>(i);
      if (index == f.leaves.size()) Py_RETURN_FALSE;
      taken[index] = true;
      RememberedCall::Leaf known{index, Tensor()};
      if (cast || is_numpy(leaf))
        known.converted = static_cast<const TensorType&>(*types[static_cast<std::size_t>(i)]).dtype();
      known.is_owner = is_resource_owner(f.leaves[index]);
      if (known.is_owner && !is_eager(leaf)) Py_RETURN_FALSE;
      entry->converts |= known.is_owner || known.converted != DType::kInvalid;
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
        PyErr_Clear();  // an object without weak references cannot be identified by its address
        Py_RETURN_FALSE;
      }
      entry->watchers.push_back(reference);
      entry->watched.push_back(w);
    }
    for (PyObject* p : f.pins) entry->pins.push_back(Py_NewRef(p));
    entry->words.assign(f.words.begin(), f.words.end());
    entry->words.push_back(Fingerprint::kEnd);
    entry->num_leaves = f.leaves.size();
    entry->hash = hash_of(f);
    FastCache& fast = *fast_of(object);
    auto& entries = fast.entries;
    std::erase_if(entries, [](const auto& e) { return !e->alive(); });
    if (entries.size() >= kMaxEntries) entries.erase(entries.begin());
    entries.push_back(entry);
    fast.last = entry;
    Py_RETURN_TRUE;
  });
}

void forget_all(FastCache& fast) {
  // They are freed after the cache is emptied: that may run user code.
  auto entries = std::exchange(fast.entries, {});
  auto last = std::exchange(fast.last, {});
}

PyObject* forget(PyObject*, PyObject* object) {
  return guarded([&]() -> PyObject* {
    forget_all(*fast_of(object));
    Py_RETURN_NONE;
  });
}

int fast_cache_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  const FastCache& fast = cache_of(self);
  auto traverse_call = [&](const GilRef<RememberedCall>& call, std::size_t references) {
    if (call->references != references) return 0;  // a frame is running it
    for (PyObject* p : call->pins) Py_VISIT(p);
    return visit_owned(call->concrete.get(), visit, arg);
  };
  bool last_is_entry = false;
  for (const GilRef<RememberedCall>& entry : fast.entries) {
    bool is_last = fast.last && &*entry == &*fast.last;
    last_is_entry |= is_last;
    if (int stop = traverse_call(entry, is_last ? 2 : 1)) return stop;
  }
  return fast.last && !last_is_entry ? traverse_call(fast.last, 1) : 0;
}

int fast_cache_clear(PyObject* self) {
  forget_all(cache_of(self));
  return 0;
}

void fast_cache_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  cache_of(self).~FastCache();
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

PyObject* new_fast_cache(PyObject*, PyObject*) {
  return guarded([&] {
    auto* self = PyObject_GC_New(FastCacheObject, fast_cache_type);
    if (!self) throw_python_error();
    new (&self->fast) FastCache();
    PyObject_GC_Track(reinterpret_cast<PyObject*>(self));
    return reinterpret_cast<PyObject*>(self);
  });
}

PyType_Slot fast_cache_slots[] = {
    {Py_tp_doc, const_cast<char*>("The calls that a Function answers without running Python code.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(fast_cache_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(fast_cache_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(fast_cache_clear)},
    {0, nullptr}};
PyType_Spec fast_cache_spec = {"tracefn._core.FastCache", sizeof(FastCacheObject), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               fast_cache_slots};

PyObject* fast_hits(PyObject*, PyObject* object) {
  return guarded([&] { return PyLong_FromUnsignedLongLong(fast_of(object)->hits); });
}

PyObject* set_fast_path(PyObject*, PyObject* on) {
  fast_path_off = !PyObject_IsTrue(on);
  Py_RETURN_NONE;
}

PyMethodDef fast_cache_functions[] = {
    {"set_fast_path", set_fast_path, METH_O, "False: every call of a Function takes the slow path."},
    {"new_fast_cache", new_fast_cache, METH_NOARGS, "An empty cache of calls for one cache of traces."},
    {"remember_call", remember, METH_VARARGS, "Answers calls like this one without Python code from now on."},
    {"forget_calls", forget, METH_O, "Undoes every remember_call."},
    {"fast_hits", fast_hits, METH_O, "Calls that a cache has answered."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

FastCache* fast_of(PyObject* object) {
  if (Py_TYPE(object) != fast_cache_type) fail(ErrorKind::kType, "Expected a FastCache.");
  return &cache_of(object);
}

std::optional<PyObject*> answer(FastCache& fast, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  if (fast_path_off || fast.entries.empty() || !runs_eagerly()) return std::nullopt;
  LeafRoom room;
  PyObject** leaves = nullptr;
  GilRef<RememberedCall> known = find_call(fast, args, nargs, kwnames, room, leaves);
  if (!known) return std::nullopt;
  ++fast.hits;
  if (known->table) known->table->touch(known->payload);
  return run_entry(*known, leaves);
}

void init_fast_cache(PyObject* module) {
  fast_cache_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&fast_cache_spec)));
  checked(PyModule_AddFunctions(module, fast_cache_functions));
}

}  // namespace tracefn::bind
