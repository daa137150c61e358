// A context manager of few instructions: every composed function enters one for each call.
#include "bind/scope_object.h"

#include <memory>
#include <string>
#include <vector>

#include "bind/errors.h"
#include "bind/method.h"
#include "exec/eager.h"
#include "function/func_graph.h"

namespace tracefn::bind {
namespace {

struct ScopeObject {
  PyObject_HEAD
  PyObject* name;  // str or None
};

struct Entered {
  const PyObject* scope;             // only compared
  std::shared_ptr<FuncGraph> graph;  // null: eager ops
  std::string previous;
};

// One object may be entered by several threads, and by one thread more than once. Not destroyed with the thread, which
// may not hold the GIL then.
struct Scopes {
  std::string eager;
  std::vector<Entered> entered;
};
Scopes& scopes() {
  thread_local auto* all = new Scopes();
  return *all;
}

FuncGraph* graph_of_thread() { return runs_eagerly() ? nullptr : current_func_graph(); }

std::string_view utf8(PyObject* string) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(string, &size);
  if (!text) throw_python_error();
  return {text, static_cast<std::size_t>(size)};
}

PyObject* create(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* keywords[] = {"name", nullptr};
    PyObject* name = nullptr;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:name_scope", const_cast<char**>(keywords), &name))
      throw_python_error();
    if (name != Py_None && !PyUnicode_Check(name)) fail(ErrorKind::kValue, "name for name_scope must be a string.");
    PyObject* self = checked(type->tp_alloc(type, 0));
    reinterpret_cast<ScopeObject*>(self)->name = Py_NewRef(name);
    return self;
  });
}

PyObject* enter(PyObject* self) {
  PyObject* given = reinterpret_cast<ScopeObject*>(self)->name;
  std::string_view name = given == Py_None ? std::string_view() : utf8(given);
  Scopes& all = scopes();
  if (FuncGraph* graph = graph_of_thread()) {
    std::string previous = graph->enter_scope(std::string(name));
    all.entered.push_back({self, graph->shared_from_this(), std::move(previous)});
    return text(graph->scope());
  }
  all.entered.push_back({self, nullptr, all.eager});
  if (name.empty() || name.back() == '/') {
    all.eager = name;
  } else {
    all.eager.append(name).push_back('/');
  }
  return text(all.eager);
}

PyObject* exit(PyObject* self) {
  Scopes& all = scopes();
  std::size_t i = all.entered.size();
  while (i > 0 && all.entered[i - 1].scope != self) --i;
  if (i == 0) fail(ErrorKind::kRuntime, "A name scope ends that did not begin on this thread.");
  Entered last = std::move(all.entered[i - 1]);
  all.entered.erase(all.entered.begin() + static_cast<std::ptrdiff_t>(i) - 1);
  if (last.graph) {
    last.graph->leave_scope(std::move(last.previous));
  } else {
    all.eager = std::move(last.previous);
  }
  Py_RETURN_NONE;
}

PyObject* exit_with(PyObject* self, PyObject* const*, Py_ssize_t) {
  return guarded([&] { return exit(self); });
}

// The scope of a composed function: eagerly there is none, and its name "" names no node.
PyObject* enter_op(PyObject* self) { return graph_of_thread() ? enter(self) : text({}); }

PyObject* exit_op_with(PyObject* self, PyObject* const*, Py_ssize_t) {
  return guarded([&]() -> PyObject* {
    for (const Entered& entered : scopes().entered)
      if (entered.scope == self) return exit(self);
    Py_RETURN_NONE;
  });
}

PyObject* get_name(PyObject* self) { return Py_NewRef(reinterpret_cast<ScopeObject*>(self)->name); }

void dealloc(PyObject* self) {
  Py_CLEAR(reinterpret_cast<ScopeObject*>(self)->name);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMethodDef methods[] = {
    {"__enter__", method<enter>, METH_NOARGS, nullptr},
    {"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(exit_with)), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef getset[] = {{"name", getter<get_name>, nullptr, "The name as given.", nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(create)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, getset},
                       {0, nullptr}};
PyType_Spec spec = {"tracefn._core.NameScope", sizeof(ScopeObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

PyMethodDef op_methods[] = {
    {"__enter__", method<enter_op>, METH_NOARGS, nullptr},
    {"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(exit_op_with)), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot op_slots[] = {{Py_tp_new, reinterpret_cast<void*>(create)},
                          {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                          {Py_tp_methods, op_methods},
                          {Py_tp_getset, getset},
                          {0, nullptr}};
PyType_Spec op_spec = {"tracefn._core.OpScope", sizeof(ScopeObject), 0, Py_TPFLAGS_DEFAULT, op_slots};

PyObject* eager_scope(PyObject*, PyObject*) {
  return guarded([] { return text(scopes().eager); });
}

PyObject* set_eager_scope(PyObject*, PyObject* scope) {
  return guarded([&]() -> PyObject* {
    scopes().eager = utf8(scope);
    Py_RETURN_NONE;
  });
}

PyMethodDef functions[] = {
    {"eager_scope", eager_scope, METH_NOARGS, "The name scope of this thread's eager ops, \"\" or ending in \"/\"."},
    {"set_eager_scope", set_eager_scope, METH_O, "Makes it another one."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_scope_object(PyObject* module) {
  PyObject* type = checked(PyType_FromSpec(&spec));
  if (PyModule_AddObject(module, "NameScope", type) < 0) throw_python_error();
  PyObject* op_type = checked(PyType_FromSpec(&op_spec));
  if (PyModule_AddObject(module, "OpScope", op_type) < 0) throw_python_error();
  if (PyModule_AddFunctions(module, functions) < 0) throw_python_error();
}

}  // namespace tracefn::bind
