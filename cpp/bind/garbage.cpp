// Shadows: created before a full collection, removed after it.
#include "bind/garbage.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/owned.h"
#include "bind/errors.h"
#include "bind/gil.h"

namespace tracefn::bind {

bool shadows_visible = false;

namespace {

// Callables that live in the core.
std::atomic<std::int64_t> callables{0};

// A Python object for a core object, which it keeps alive. It releases it when the collection ends, for somebody may
// have got hold of the shadow.
struct Shadow {
  PyObject_HEAD
  std::shared_ptr<const void> object;  // one of the two keeps the object alive
  Ref<const RefCounted> counted;
  OwnedVisitor::Visit visit;
  std::vector<Shadow*> owned;  // one for each reference
  HostCallable* callable;      // or null
  Py_ssize_t given;            // references handed out, one per owner
  bool has_more_owners;        // since it got its references
};

PyTypeObject* shadow_type = nullptr;

Shadow* as_shadow(PyObject* object) { return reinterpret_cast<Shadow*>(object); }
PyObject* as_object(Shadow* shadow) { return reinterpret_cast<PyObject*>(shadow); }

// The object's owners, without its shadow.
long owners(const Shadow& shadow) {
  return (shadow.object ? shadow.object.use_count() : shadow.counted->use_count()) - 1;
}

// Does not lock the pointers: dropping a locked one might free the object.
template <typename T>
bool same(const std::weak_ptr<T>& weak, const std::shared_ptr<T>& object) {
  return !weak.owner_before(object) && !object.owner_before(weak);
}

// Weak references. Dead ones are pruned as their number grows. Any thread may use it.
template <typename T>
class Watched {
 public:
  void add(const std::shared_ptr<const T>& object) {
    std::lock_guard lock(mutex_);
    // The same few are added again and again.
    auto few = static_cast<std::ptrdiff_t>(std::min<std::size_t>(list_.size(), 4));
    if (std::any_of(list_.end() - few, list_.end(), [&](const auto& weak) { return same(weak, object); })) return;
    if (list_.size() >= next_sweep_) {
      std::erase_if(list_, [](const auto& weak) { return weak.expired(); });
      next_sweep_ = std::max<std::size_t>(64, 2 * list_.size());
    }
    list_.push_back(object);
  }
  std::vector<std::shared_ptr<const T>> alive() const {
    std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<const T>> found;
    for (const auto& weak : list_)
      if (auto object = weak.lock()) found.push_back(std::move(object));
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<const T>> list_;
  std::size_t next_sweep_ = 64;
};

// The same for graphs, without duplicates.
class WatchedGraphs {
 public:
  void add(const std::shared_ptr<const Graph>& graph) {
    std::lock_guard lock(mutex_);
    if (by_lineage_.size() >= next_sweep_) sweep();
    std::vector<std::weak_ptr<const Graph>>& copies = by_lineage_[graph->lineage()];
    if (std::none_of(copies.begin(), copies.end(), [&](const auto& weak) { return same(weak, graph); }))
      copies.push_back(graph);
  }
  // Whether it, or the graph it is a copy of, is watched: a copy leads where the graph leads.
  bool contains_lineage_of(const Graph& graph) const {
    std::lock_guard lock(mutex_);
    return by_lineage_.contains(graph.lineage());
  }
  std::vector<std::shared_ptr<const Graph>> alive() const {
    std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<const Graph>> found;
    for (const auto& [lineage, copies] : by_lineage_)
      for (const auto& weak : copies)
        if (auto graph = weak.lock()) found.push_back(std::move(graph));
    return found;
  }

 private:
  void sweep() {
    for (auto entry = by_lineage_.begin(); entry != by_lineage_.end();) {
      std::erase_if(entry->second, [](const auto& weak) { return weak.expired(); });
      entry = entry->second.empty() ? by_lineage_.erase(entry) : std::next(entry);
    }
    next_sweep_ = std::max<std::size_t>(64, 2 * by_lineage_.size());
  }

  mutable std::mutex mutex_;
  std::unordered_map<std::int64_t, std::vector<std::weak_ptr<const Graph>>> by_lineage_;
  std::size_t next_sweep_ = 64;
};

WatchedGraphs& graphs() {
  static auto* all = new WatchedGraphs();
  return *all;
}
Watched<Concrete>& traces() {
  static auto* all = new Watched<Concrete>();
  return *all;
}
Watched<Tape>& tapes() {
  static auto* all = new Watched<Tape>();
  return *all;
}

// The shadows of one collection.
class Shadows final : OwnedVisitor {
 public:
  bool empty() const { return by_object_.empty(); }

  // Creates them. If memory is short there are none.
  void cast() {
    try {
      find_all();
      give_references();
    } catch (const std::exception&) {
      finding_ = false;
      reading_ = nullptr;
      unread_.clear();
      take_back();
      PyErr_Clear();
    }
  }

  // Rereads what each object owns, and whether it has got more owners: Python code may have run since.
  void refresh() {
    for (auto& [object, shadow] : by_object_) read(*shadow);
    for (auto& [object, shadow] : by_object_) shadow->has_more_owners = owners(*shadow) > shadow->given;
  }

  Shadow* of(const void* object) const {
    auto found = by_object_.find(object);
    return found == by_object_.end() ? nullptr : found->second;
  }

  void take_back() {
    auto all = std::exchange(by_object_, {});
    // Freed after no shadow shows them any more: that may run user code.
    std::vector<std::shared_ptr<const void>> objects;
    std::vector<Ref<const RefCounted>> counted;
    for (auto& [object, shadow] : all) {
      shadow->owned.clear();
      shadow->callable = nullptr;
      objects.push_back(std::move(shadow->object));
      counted.push_back(std::exchange(shadow->counted, {}));
      Py_SET_REFCNT(as_object(shadow), Py_REFCNT(as_object(shadow)) - (shadow->given - 1));
      Py_DECREF(as_object(shadow));
    }
  }

  void host(const void* object) override {
    reading_->callable = const_cast<HostCallable*>(static_cast<const HostCallable*>(object));
  }

 private:
  void add_shared(const std::shared_ptr<const void>& object, Visit visit) override {
    if (Shadow* shadow = of(object.get())) {
      if (reading_) reading_->owned.push_back(shadow);
    } else if (finding_) {
      shadow = make(object.get());
      shadow->object = object;
      shadow->visit = visit;
      if (reading_) reading_->owned.push_back(shadow);
    }
  }
  void add_counted(const RefCounted& object) override {
    if (Shadow* shadow = of(&object)) {
      reading_->owned.push_back(shadow);
    } else if (finding_) {
      shadow = make(&object);
      shadow->counted = Ref<const RefCounted>(&object);
      shadow->visit = [](const void* o, OwnedVisitor& v) { static_cast<const RefCounted*>(o)->visit_owned(v); };
      reading_->owned.push_back(shadow);
    }
  }

  Shadow* make(const void* object) {
    auto [place, fresh] = by_object_.try_emplace(object, nullptr);
    Shadow* shadow = PyObject_GC_New(Shadow, shadow_type);
    if (!shadow) {
      by_object_.erase(place);
      throw std::bad_alloc();
    }
    new (&shadow->object) std::shared_ptr<const void>();
    new (&shadow->counted) Ref<const RefCounted>();
    new (&shadow->owned) std::vector<Shadow*>();
    shadow->visit = nullptr;
    shadow->callable = nullptr;
    shadow->given = 1;
    shadow->has_more_owners = false;
    place->second = shadow;
    unread_.push_back(shadow);
    return shadow;
  }

  void read(Shadow& shadow) {
    shadow.owned.clear();
    reading_ = &shadow;
    shadow.visit(shadow.object ? shadow.object.get() : shadow.counted.get(), *this);
    reading_ = nullptr;
  }

  void find_all() {
    finding_ = true;
    for (const auto& graph : graphs().alive()) {
      shared(graph);
      shared(FuncGraph::of(graph.get()));
    }
    for (const auto& trace : traces().alive()) shared(trace);
    for (const auto& tape : tapes().alive()) shared(tape);
    while (!unread_.empty()) {
      Shadow* shadow = unread_.back();
      unread_.pop_back();
      read(*shadow);
    }
    finding_ = false;
  }

  // Other threads may copy and drop references meanwhile, without the GIL. So the owners are counted twice, and the
  // greater number is used: an extra reference keeps alive, a missing one would not.
  void give_references() {
    for (int round = 0; round < 2; ++round)
      for (auto& [object, shadow] : by_object_)
        shadow->given = std::max<Py_ssize_t>({shadow->given, 1, static_cast<Py_ssize_t>(owners(*shadow))});
    for (auto& [object, shadow] : by_object_) {
      Py_SET_REFCNT(as_object(shadow), shadow->given);
      PyObject_GC_Track(as_object(shadow));
    }
  }

  std::unordered_map<const void*, Shadow*> by_object_;  // each holds the references given to it
  std::vector<Shadow*> unread_;
  Shadow* reading_ = nullptr;
  bool finding_ = false;
};

Shadows& shadows() {
  static auto* all = new Shadows();
  return *all;
}

// Python code has run since the shadows were read: before the collector starts, and where it calls finalizers.
bool out_of_date = false;

void refresh_if_due() {
  if (!std::exchange(out_of_date, false)) return;
  try {
    shadows().refresh();
  } catch (const std::exception&) {
    shadows_visible = false;  // out of memory: nothing is visited, so nothing in the core is garbage
  }
}

int visit_one(Shadow* shadow, visitproc visit, void* arg) {
  return shadow->has_more_owners ? 0 : visit(as_object(shadow), arg);
}

int garbage_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!shadows_visible) return 0;
  refresh_if_due();
  if (!shadows_visible) return 0;
  Shadow* shadow = as_shadow(self);
  if (shadow->callable) Py_VISIT(shadow->callable->peek());
  for (Shadow* owned : shadow->owned)
    if (int stop = visit_one(owned, visit, arg)) return stop;
  return 0;
}

void finalize(PyObject*) { out_of_date = true; }

int garbage_clear(PyObject* self) {
  shadows_visible = false;
  if (HostCallable* callable = as_shadow(self)->callable) callable->lose();
  return 0;
}

void garbage_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  Shadow* shadow = as_shadow(self);
  shadow->object.~shared_ptr();
  shadow->counted.~Ref();
  shadow->owned.~vector();
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

PyType_Slot garbage_slots[] = {
    {Py_tp_doc, const_cast<char*>("Stands for an object of the core while garbage is collected.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(garbage_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(garbage_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(garbage_clear)},
    {Py_tp_finalize, reinterpret_cast<void*>(finalize)},
    {0, nullptr}};
PyType_Spec garbage_spec = {"tracefn._core.Shadow", sizeof(Shadow), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, garbage_slots};

void end_collection() {
  shadows_visible = out_of_date = false;
  shadows().take_back();
}

// The entry in gc.callbacks. A type of its own: when it is removed from that list, it is freed, and ends what it began.
PyTypeObject* callback_type = nullptr;
bool installed = false;

PyObject* call_back(PyObject*, PyObject* args, PyObject*) {
  const char* phase;
  PyObject* info;
  if (!PyArg_ParseTuple(args, "sO!", &phase, &PyDict_Type, &info)) return nullptr;
  end_collection();
  if (std::strcmp(phase, "start") == 0 && callables > 0) {
    PyObject* generation = PyDict_GetItemString(info, "generation");
    if (generation && PyLong_AsLong(generation) == 2) {
      shadows().cast();
      shadows_visible = out_of_date = !shadows().empty();
    }
  }
  Py_RETURN_NONE;
}

void free_callback(PyObject* self) {
  installed = false;
  end_collection();
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyType_Slot callback_slots[] = {{Py_tp_doc, const_cast<char*>("Shows the garbage collector what the core owns.")},
                                {Py_tp_call, reinterpret_cast<void*>(call_back)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(free_callback)},
                                {0, nullptr}};
PyType_Spec callback_spec = {"tracefn._core.GarbageCallback", sizeof(PyObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, callback_slots};

void install() {
  if (installed) return;
  PyRef module = owned(PyImport_ImportModule("gc"));
  PyRef list = owned(PyObject_GetAttrString(module.get(), "callbacks"));
  PyRef callback = owned(callback_type->tp_alloc(callback_type, 0));
  installed = true;
  checked(PyList_Append(list.get(), callback.get()));
}

bool leads_to_host(const Node& node) {
  auto is_watched = [](const FuncRef& f) { return f.body && graphs().contains_lineage_of(*f.body); };
  return std::any_of(node.attrs.begin(), node.attrs.end(), [&](const Attr& attr) {
    if (attr.host()) return true;
    if (attr.kind() == Attr::Kind::kFunc) return is_watched(attr.func());
    return attr.kind() == Attr::Kind::kFuncs && std::any_of(attr.funcs().begin(), attr.funcs().end(), is_watched);
  });
}

}  // namespace

void note_owner(const std::shared_ptr<Graph>& graph, const Node& node) {
  if (leads_to_host(node)) watch_graph(graph);
}

HostCallable::HostCallable(PyObject* callable) {
  install();
  callable_ = Py_NewRef(callable);
  ++callables;
}

HostCallable::~HostCallable() {
  --callables;
  if (!Py_IsInitialized()) return;
  const EnsuredGil gil;
  Py_XDECREF(callable_);
}

PyRef HostCallable::get() const {
  if (!callable_)
    fail(ErrorKind::kRuntime,
         "The Python function that this graph calls has been freed by the garbage collector, together with all that "
         "referred to the graph. It can only be reached from a finalizer.");
  return PyRef::borrow(callable_);
}

void watch_graph(const std::shared_ptr<const Graph>& graph) { graphs().add(graph); }

void watch_trace(const std::shared_ptr<const Concrete>& trace) {
  if (graphs().contains_lineage_of(*trace->graph()->graph())) traces().add(trace);
}

void watch_tape(const std::shared_ptr<const Tape>& tape) { tapes().add(tape); }

int visit_shadow_of(const void* object, visitproc visit, void* arg) {
  refresh_if_due();
  if (!shadows_visible) return 0;
  Shadow* shadow = shadows().of(object);
  return shadow ? visit_one(shadow, visit, arg) : 0;
}

void init_garbage(PyObject*) {
  shadow_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&garbage_spec)));
  callback_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&callback_spec)));
}

}  // namespace tracefn::bind
