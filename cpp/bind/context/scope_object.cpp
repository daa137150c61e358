// A lightweight context manager: every composed function enters one per call.
#include "bind/context/scope_object.h"

#include <memory>
#include <string>

#include "bind/context/context_object.h"
#include "bind/errors.h"
#include "bind/graph/graph_object.h"
#include "bind/graph/node_name.h"
#include "bind/method.h"
#include "exec/eager.h"
#include "trace/func_graph.h"

namespace tracefn::bind {
namespace {

struct ScopeObject {
  PyObject_HEAD
  PyObject* name;  // str or None
  OpenCount open;
};

ScopeObject* as_scope(PyObject* self) { return reinterpret_cast<ScopeObject*>(self); }

std::string& eager_scope() {
  thread_local std::string scope;
  return scope;
}

// A graph's scope, or that of eager ops, is to be restored.
class ScopeChange final : public Change {
 public:
  ScopeChange(std::shared_ptr<FuncGraph> graph, std::string before)
      : graph_(std::move(graph)), before_(std::move(before)) {}
  void restore(std::span<const OpenContext> later) noexcept override {
    for (const OpenContext& context : later)
      if (auto* other = dynamic_cast<ScopeChange*>(context.change.get()); other && other->graph_ == graph_) {
        other->before_ = std::move(before_);
        return;
      }
    if (graph_) {
      graph_->leave_scope(std::move(before_));
    } else {
      eager_scope() = std::move(before_);
    }
  }

 private:
  std::shared_ptr<FuncGraph> graph_;  // null: eager ops
  std::string before_;
};

FuncGraph* graph_of_thread() { return runs_eagerly() ? nullptr : current_func_graph(); }

std::string_view utf8(PyObject* string) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(string, &size);
  if (!text) throw_python_error();
  return {text, static_cast<std::size_t>(size)};
}

template <bool of_op>
PyObject* scope_create(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* keywords[] = {"name", nullptr};
    PyObject* given = nullptr;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:name_scope", const_cast<char**>(keywords), &given))
      throw_python_error();
    PyRef name = PyRef::borrow(given);
    if (given != Py_None && !PyUnicode_Check(given)) {
      if (!of_op) fail(ErrorKind::kValue, "name for name_scope must be a string.");
      name = owned(text(node_name_of(given)));
    }
    PyObject* self = checked(type->tp_alloc(type, 0));
    as_scope(self)->name = name.release();
    new (&as_scope(self)->open) OpenCount();
    return self;
  });
}

PyObject* scope_enter(PyObject* self) {
  PyObject* given = as_scope(self)->name;
  std::string_view name = given == Py_None ? std::string_view() : utf8(given);
  if (FuncGraph* graph = graph_of_thread()) {
    auto change = std::make_unique<ScopeChange>(graph->shared_from_this(), graph->scope());
    graph->enter_scope(std::string(name));
    begin_context(self, as_scope(self)->open, std::move(change));
    return text(graph->scope());
  }
  std::string& scope = eager_scope();
  begin_context(self, as_scope(self)->open, std::make_unique<ScopeChange>(nullptr, scope));
  if (name.empty() || name.back() == '/') {
    scope = name;
  } else {
    scope.append(name).push_back('/');
  }
  return text(scope);
}

PyObject* scope_exit(PyObject* self) {
  end_context(self, as_scope(self)->open, [] { return "a name scope"; });
  Py_RETURN_NONE;
}

PyObject* scope_exit_with(PyObject* self, PyObject* const*, Py_ssize_t) {
  return guarded([&] { return scope_exit(self); });
}

// The scope of a composed function: eagerly there is none, and its name "" names no node.
PyObject* enter_op(PyObject* self) { return graph_of_thread() ? scope_enter(self) : text({}); }

PyObject* exit_op_with(PyObject* self, PyObject* const*, Py_ssize_t) {
  return guarded([&]() -> PyObject* {
    if (as_scope(self)->open.count > 0) return scope_exit(self);
    Py_RETURN_NONE;
  });
}

PyObject* scope_get_name(PyObject* self) { return Py_NewRef(as_scope(self)->name); }

void scope_dealloc(PyObject* self) {
  Py_CLEAR(as_scope(self)->name);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMethodDef scope_methods[] = {
    {"__enter__", method<scope_enter>, METH_NOARGS, nullptr},
    {"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(scope_exit_with)), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef scope_getset[] = {{"name", getter<scope_get_name>, nullptr, "The name as given.", nullptr},
                              {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot scope_slots[] = {{Py_tp_new, reinterpret_cast<void*>(scope_create<false>)},
                             {Py_tp_dealloc, reinterpret_cast<void*>(scope_dealloc)},
                             {Py_tp_methods, scope_methods},
                             {Py_tp_getset, scope_getset},
                             {0, nullptr}};
PyType_Spec scope_spec = {"tracefn._core.NameScope", sizeof(ScopeObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                          scope_slots};

PyMethodDef op_methods[] = {
    {"__enter__", method<enter_op>, METH_NOARGS, nullptr},
    {"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(exit_op_with)), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot op_slots[] = {{Py_tp_new, reinterpret_cast<void*>(scope_create<true>)},
                          {Py_tp_dealloc, reinterpret_cast<void*>(scope_dealloc)},
                          {Py_tp_methods, op_methods},
                          {Py_tp_getset, scope_getset},
                          {0, nullptr}};
PyType_Spec op_spec = {"tracefn._core.OpScope", sizeof(ScopeObject), 0, Py_TPFLAGS_DEFAULT, op_slots};

PyObject* get_eager_scope(PyObject*, PyObject*) {
  return guarded([] { return text(eager_scope()); });
}

PyMethodDef scope_functions[] = {{"eager_scope", get_eager_scope, METH_NOARGS,
                                  "The name scope of this thread's eager ops, \"\" or ending in \"/\"."},
                                 {nullptr, nullptr, 0, nullptr}};

// The name scope of a graph, current or not; of eager ops, if that is None.
class ScopeOf final : public ContextKind {
 public:
  ScopeOf(std::shared_ptr<FuncGraph> graph, std::string name) : graph_(std::move(graph)), name_(std::move(name)) {}
  std::unique_ptr<Change> enter(PyRef& value) override {
    auto change = std::make_unique<ScopeChange>(graph_, graph_ ? graph_->scope() : eager_scope());
    if (graph_) {
      graph_->enter_scope(name_);
    } else {
      eager_scope() = name_;
    }
    value = PyRef::steal(tracefn::bind::text(graph_ ? graph_->scope() : name_));
    return change;
  }
  std::string text() const override { return "a name scope"; }

 private:
  std::shared_ptr<FuncGraph> graph_;
  std::string name_;
};

std::unique_ptr<ContextKind> make_scope_of(PyObject* args, PyObject*) {
  PyObject* graph;
  const char* name;
  if (!PyArg_ParseTuple(args, "Os:ScopeOf", &graph, &name)) throw_python_error();
  return std::make_unique<ScopeOf>(graph == Py_None ? nullptr : func_graph_of(graph), name);
}

}  // namespace

void init_scope_object(PyObject* module) {
  PyObject* type = checked(PyType_FromSpec(&scope_spec));
  if (PyModule_AddObject(module, "NameScope", type) < 0) throw_python_error();
  PyObject* op_type = checked(PyType_FromSpec(&op_spec));
  if (PyModule_AddObject(module, "OpScope", op_type) < 0) throw_python_error();
  add_context_type<make_scope_of>(module, "tracefn._core.ScopeOf",
                                  "A name scope of a graph; of eager ops, exactly that one, where it is None.");
  if (PyModule_AddFunctions(module, scope_functions) < 0) throw_python_error();
}

}  // namespace tracefn::bind
