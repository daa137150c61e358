// The contexts entered on each thread. Contexts may end in another order than that of a stack, when generators hold
// them, and may be dropped without an end; a graph that is current stays alive all the same.
#include "bind/target_context.h"

#include <pybind11/pybind11.h>

#include <memory>
#include <vector>

#include "exec/eager.h"
#include "function/func_graph.h"
#include "ops/emit.h"

namespace py = pybind11;

namespace tracefn::bind {
namespace {

class TargetContext;

struct Entered {
  const TargetContext* context;  // null: dropped without an end
  std::shared_ptr<FuncGraph> graph;
  EmitTarget* previous;
};

// Not destroyed with the thread, which may not hold the GIL then.
std::vector<Entered>& entered() {
  thread_local auto* list = new std::vector<Entered>();
  return *list;
}

class TargetContext {
 public:
  explicit TargetContext(std::shared_ptr<FuncGraph> graph) : graph_(std::move(graph)) {}
  TargetContext(const TargetContext&) = delete;
  TargetContext& operator=(const TargetContext&) = delete;
  ~TargetContext() {
    if (depth_ == 0) return;
    for (Entered& e : entered())
      if (e.context == this) e.context = nullptr;
  }

  void enter() {
    EmitTarget* target = graph_ ? static_cast<EmitTarget*>(graph_.get()) : &EagerTarget::get();
    entered().push_back({this, graph_, exchange_target(target)});
    ++depth_;
  }
  void exit() {
    std::vector<Entered>& list = entered();
    for (std::size_t i = list.size(); i-- > 0;) {
      if (list[i].context != this) continue;
      if (i + 1 == list.size()) {
        exchange_target(list[i].previous);
      } else {
        list[i + 1].previous = list[i].previous;
      }
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
      --depth_;
      return;
    }
  }
  const std::shared_ptr<FuncGraph>& graph() const { return graph_; }

 private:
  std::shared_ptr<FuncGraph> graph_;
  int depth_ = 0;
};

}  // namespace

void init_target_context(PyObject* module_object) {
  auto module = py::reinterpret_borrow<py::module_>(module_object);
  py::class_<TargetContext>(module, "TargetContext", "Makes a graph current; None: eager execution.")
      .def(py::init<std::shared_ptr<FuncGraph>>(), py::arg("graph").none(true))
      .def("__enter__",
           [](TargetContext& c) -> py::object {
             c.enter();
             return c.graph() ? py::cast(c.graph()) : py::none();
           })
      .def("__exit__", [](TargetContext& c, const py::args&) { c.exit(); });
}

}  // namespace tracefn::bind
