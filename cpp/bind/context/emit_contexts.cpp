// The change of each kind of context, and how it is restored.
#include "bind/context/emit_contexts.h"

#include <string>
#include <utility>
#include <vector>

#include "autodiff/tape.h"
#include "bind/context/context_object.h"
#include "bind/graph/graph_object.h"
#include "exec/eager.h"
#include "exec/placement.h"
#include "ops/emit.h"
#include "ops/target_scopes.h"

namespace tracefn::bind {
namespace {

class TargetChange final : public Change {
 public:
  TargetChange(EmitTarget& target, std::shared_ptr<EmitTarget> kept)
      : kept_(std::move(kept)), previous_(exchange_target(&target)), scope_(innermost_target_scope()) {}
  void restore(std::span<const OpenContext> later) noexcept override {
    if (is_restored()) return;
    for (const OpenContext& context : later)
      if (auto* other = dynamic_cast<TargetChange*>(context.change.get())) {
        other->previous_ = previous_;
        return;
      }
    exchange_target(previous_);
  }
  // A context entered inside a core scope is restored when the scope ends.
  bool is_restored() const override { return !target_scope_is_open(scope_); }
  bool may_end() const override { return is_restored() || scope_ == innermost_target_scope(); }

 private:
  std::shared_ptr<EmitTarget> kept_;
  EmitTarget* previous_;
  std::uint64_t scope_;  // the TargetScope that it was entered in
};

// Makes a graph, or eager execution, current.
class Target final : public ContextKind {
 public:
  explicit Target(PyObject* graph)
      : graph_(graph == Py_None ? nullptr : func_graph_of(graph)), object_(PyRef::borrow(graph)) {}
  std::unique_ptr<Change> enter(PyRef& value) override {
    value = object_;
    if (graph_) return std::make_unique<TargetChange>(*graph_, graph_);
    return std::make_unique<TargetChange>(EagerTarget::get(), nullptr);
  }
  std::string text() const override { return graph_ ? "graph '" + graph_->name() + "'" : "eager execution"; }
  int traverse(visitproc visit, void* arg) override {
    Py_VISIT(object_.get());
    return 0;
  }

 private:
  std::shared_ptr<FuncGraph> graph_;
  PyRef object_;
};

// Makes every eager op an InvalidArgumentError.
class MissingDevice final : public ContextKind {
 public:
  explicit MissingDevice(const std::string& message) : target_(std::make_shared<MissingDeviceTarget>(message)) {}
  std::unique_ptr<Change> enter(PyRef&) override { return std::make_unique<TargetChange>(*target_, target_); }
  std::string text() const override { return "a device"; }

 private:
  std::shared_ptr<EmitTarget> target_;
};

// Pauses this thread's tapes; tapes that start inside record.
class Pause final : public ContextKind {
 public:
  std::unique_ptr<Change> enter(PyRef&) override { return std::make_unique<Resume>(ActiveTapes::of_thread().pause()); }
  std::string text() const override { return "paused tapes"; }

 private:
  class Resume final : public Change {
   public:
    explicit Resume(std::uint64_t number) : number_(number) {}
    void restore(std::span<const OpenContext>) noexcept override { ActiveTapes::of_thread().resume(number_); }

   private:
    std::uint64_t number_;
  };
};

// Nodes created in it run after others; without a list, after none of the enclosing contexts' nodes.
class Control final : public ContextKind {
 public:
  Control(std::shared_ptr<FuncGraph> graph, PyObject* items)
      : graph_(std::move(graph)),
        clears_(items == Py_None),
        nodes_(clears_ ? std::vector<NodeId>() : nodes_of(items)) {}
  std::unique_ptr<Change> enter(PyRef&) override {
    return std::make_unique<Leave>(graph_, graph_->enter_control_dependencies(nodes_, clears_));
  }
  std::string text() const override { return "control dependencies"; }

 private:
  class Leave final : public Change {
   public:
    Leave(std::shared_ptr<FuncGraph> graph, std::uint64_t number) : graph_(std::move(graph)), number_(number) {}
    void restore(std::span<const OpenContext>) noexcept override { graph_->leave_control_dependencies(number_); }

   private:
    std::shared_ptr<FuncGraph> graph_;
    std::uint64_t number_;
  };

  std::vector<NodeId> nodes_of(PyObject* items) { return control_nodes(*graph_, items); }

  std::shared_ptr<FuncGraph> graph_;
  bool clears_;
  std::vector<NodeId> nodes_;
};

// Sets an attribute of an object.
class SettingChange final : public Change {
 public:
  SettingChange(PyRef object, PyRef name, PyRef before)
      : object_(std::move(object)), name_(std::move(name)), before_(std::move(before)) {}
  void restore(std::span<const OpenContext> later) noexcept override {
    for (const OpenContext& context : later)
      if (auto* other = dynamic_cast<SettingChange*>(context.change.get()); other && same_place(*other)) {
        other->before_ = std::move(before_);
        return;
      }
    // An exception may be in flight.
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (PyObject_SetAttr(object_.get(), name_.get(), before_.get()) < 0) PyErr_WriteUnraisable(object_.get());
    PyErr_Restore(type, value, traceback);
  }

 private:
  bool same_place(const SettingChange& other) const {
    return object_.get() == other.object_.get() && PyUnicode_Compare(name_.get(), other.name_.get()) == 0;
  }

  PyRef object_, name_, before_;
};

class Setting final : public ContextKind {
 public:
  Setting(PyObject* object, PyObject* name, PyObject* value)
      : object_(PyRef::borrow(object)), name_(PyRef::borrow(name)), value_(PyRef::borrow(value)) {}
  std::unique_ptr<Change> enter(PyRef&) override {
    PyRef before = owned(PyObject_GetAttr(object_.get(), name_.get()));
    auto change = std::make_unique<SettingChange>(object_, name_, std::move(before));
    checked(PyObject_SetAttr(object_.get(), name_.get(), value_.get()));
    return change;
  }
  std::string text() const override { return "a setting"; }
  int traverse(visitproc visit, void* arg) override {
    Py_VISIT(object_.get());
    Py_VISIT(value_.get());
    return 0;
  }

 private:
  PyRef object_, name_, value_;
};

// Appends an element to a list, identified by identity.
class Listed final : public ContextKind {
 public:
  Listed(PyObject* list, PyObject* element) : list_(PyRef::borrow(list)), element_(PyRef::borrow(element)) {}
  std::unique_ptr<Change> enter(PyRef&) override {
    auto change = std::make_unique<Remove>(list_, element_);
    checked(PyList_Append(list_.get(), element_.get()));
    return change;
  }
  std::string text() const override { return "an element of a list"; }
  int traverse(visitproc visit, void* arg) override {
    Py_VISIT(list_.get());
    Py_VISIT(element_.get());
    return 0;
  }

 private:
  class Remove final : public Change {
   public:
    Remove(PyRef list, PyRef element) : list_(std::move(list)), element_(std::move(element)) {}
    void restore(std::span<const OpenContext>) noexcept override {
      for (Py_ssize_t i = PyList_GET_SIZE(list_.get()); i-- > 0;)
        if (PyList_GET_ITEM(list_.get(), i) == element_.get()) {
          PyList_SetSlice(list_.get(), i, i + 1, nullptr);
          return;
        }
    }

   private:
    PyRef list_, element_;
  };

  PyRef list_, element_;
};

std::unique_ptr<ContextKind> make_target(PyObject* args, PyObject*) {
  PyObject* graph;
  if (!PyArg_ParseTuple(args, "O:TargetContext", &graph)) throw_python_error();
  return std::make_unique<Target>(graph);
}
std::unique_ptr<ContextKind> make_missing_device(PyObject* args, PyObject*) {
  const char* message;
  if (!PyArg_ParseTuple(args, "s:MissingDevice", &message)) throw_python_error();
  return std::make_unique<MissingDevice>(message);
}
std::unique_ptr<ContextKind> make_pause(PyObject* args, PyObject*) {
  if (!PyArg_ParseTuple(args, ":PausedTapes")) throw_python_error();
  return std::make_unique<Pause>();
}
std::unique_ptr<ContextKind> make_control(PyObject* args, PyObject*) {
  PyObject *graph, *items;
  if (!PyArg_ParseTuple(args, "OO:ControlContext", &graph, &items)) throw_python_error();
  return std::make_unique<Control>(func_graph_of(graph), items);
}
std::unique_ptr<ContextKind> make_setting(PyObject* args, PyObject*) {
  PyObject *object, *name, *value;
  if (!PyArg_ParseTuple(args, "OUO:Setting", &object, &name, &value)) throw_python_error();
  return std::make_unique<Setting>(object, name, value);
}
std::unique_ptr<ContextKind> make_listed(PyObject* args, PyObject*) {
  PyObject *list, *element;
  if (!PyArg_ParseTuple(args, "O!O:Listed", &PyList_Type, &list, &element)) throw_python_error();
  return std::make_unique<Listed>(list, element);
}

PyObject* list_open(PyObject*, PyObject*) {
  return guarded([&]() -> PyObject* {
    std::span<const OpenContext> open = open_contexts();
    PyRef list = owned(PyList_New(static_cast<Py_ssize_t>(open.size())));
    for (std::size_t i = 0; i < open.size(); ++i)
      PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), Py_NewRef(open[i].owner.get()));
    return list.release();
  });
}

PyMethodDef emit_contexts_functions[] = {
    {"open_contexts", list_open, METH_NOARGS, "The contexts open on this thread, the first to begin first."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_emit_contexts(PyObject* module) {
  init_context_object(module);
  add_context_type<make_target>(module, "tracefn._core.TargetContext", "Makes a graph current; None: eager execution.");
  add_context_type<make_missing_device>(module, "tracefn._core.MissingDevice",
                                        "Makes every eager op an InvalidArgumentError of that message.");
  add_context_type<make_pause>(module, "tracefn._core.PausedTapes",
                               "A context in which no tape of this thread records.");
  add_context_type<make_control>(
      module, "tracefn._core.ControlContext",
      "Nodes of a graph made in it run after some tensors and operations; None: after none.");
  add_context_type<make_setting>(module, "tracefn._core.Setting",
                                 "An attribute has another value: (object, name, value).");
  add_context_type<make_listed>(module, "tracefn._core.Listed", "A list has one more element: (list, element).");
  checked(PyModule_AddFunctions(module, emit_contexts_functions));
}

}  // namespace tracefn::bind
