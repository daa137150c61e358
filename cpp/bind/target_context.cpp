// The contexts entered on each thread. Contexts may end in another order than that of a stack, when generators hold
// them, and may be dropped without an end; a graph that is current stays alive all the same. What a scope of the core
// (a host call, a gradient) began in is restored when it ends, so contexts left open inside of it end with it.
#include "bind/target_context.h"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "exec/eager.h"
#include "exec/placement.h"
#include "function/func_graph.h"
#include "ops/emit.h"
#include "ops/target_scopes.h"

namespace py = pybind11;

namespace tracefn::bind {
namespace {

class TargetContext;

struct Entered {
  const TargetContext* context;  // null: dropped without an end
  std::shared_ptr<EmitTarget> target;
  EmitTarget* previous;
  std::uint64_t scope;  // the TargetScope it was entered in
};

// Not destroyed with the thread, which may not hold the GIL then.
std::vector<Entered>& entered() {
  thread_local auto* list = new std::vector<Entered>();
  while (!list->empty() && !target_scope_is_open(list->back().scope)) list->pop_back();
  return *list;
}

class TargetContext {
 public:
  explicit TargetContext(std::shared_ptr<FuncGraph> graph) : graph_(std::move(graph)), target_(graph_) {}
  explicit TargetContext(const std::string& missing_device)
      : target_(std::make_shared<MissingDeviceTarget>(missing_device)) {}
  TargetContext(const TargetContext&) = delete;
  TargetContext& operator=(const TargetContext&) = delete;
  ~TargetContext() {
    if (depth_ == 0) return;
    for (Entered& e : entered())
      if (e.context == this) e.context = nullptr;
  }

  void enter() {
    EmitTarget* target = target_ ? target_.get() : &EagerTarget::get();
    entered().push_back({this, target_, exchange_target(target), innermost_target_scope()});
    thread_ = std::this_thread::get_id();
    ++depth_;
  }
  void exit() {
    if (depth_ == 0) throw std::runtime_error("The context of " + text() + " ends without having begun.");
    std::vector<Entered>& list = entered();
    auto mine = std::find_if(list.rbegin(), list.rend(), [&](const Entered& e) { return e.context == this; });
    if (mine == list.rend()) {
      if (thread_ != std::this_thread::get_id())
        throw std::runtime_error("The context of " + text() + " ends on another thread than it began on.");
      --depth_;  // it has ended with a scope of the core
      return;
    }
    auto at = std::prev(mine.base());
    if (at->scope != innermost_target_scope())
      throw std::runtime_error("The context of " + text() + " ends inside of a host call or gradient function that " +
                               "began within it.");
    if (std::next(at) == list.end()) {
      exchange_target(at->previous);
    } else {
      std::next(at)->previous = at->previous;
    }
    list.erase(at);
    --depth_;
  }
  const std::shared_ptr<FuncGraph>& graph() const { return graph_; }

 private:
  std::string text() const { return graph_ ? "graph '" + graph_->name() + "'" : "eager execution"; }

  std::shared_ptr<FuncGraph> graph_;
  std::shared_ptr<EmitTarget> target_;  // null: eager execution
  int depth_ = 0;
  std::thread::id thread_;  // that entered it last
};

}  // namespace

void init_target_context(PyObject* module_object) {
  auto module = py::reinterpret_borrow<py::module_>(module_object);
  py::class_<TargetContext>(module, "TargetContext", "Makes a graph current; None: eager execution.")
      .def(py::init<std::shared_ptr<FuncGraph>>(), py::arg("graph").none(true))
      .def_static(
          "missing_device", [](const std::string& message) { return std::make_unique<TargetContext>(message); },
          "Makes every eager op an InvalidArgumentError of that message.")
      .def("__enter__",
           [](TargetContext& c) -> py::object {
             c.enter();
             return c.graph() ? py::cast(c.graph()) : py::none();
           })
      .def("__exit__", [](TargetContext& c, const py::args&) { c.exit(); });
  module.def("soft_placement", &soft_placement);
  module.def("set_soft_placement", &set_soft_placement);
}

}  // namespace tracefn::bind
