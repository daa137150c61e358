#include "exec/placement.h"

#include <atomic>
#include <unordered_set>

#include "base/error.h"
#include "exec/eager.h"
#include "ir/functions_of.h"
#include "ops/op_def.h"

namespace tracefn {
namespace {

std::atomic<bool> soft{true};

// Whether the parts of a device name ("/job:localhost/device:GPU:0"; any may be left out) name this task and its CPU.
struct Place {
  bool this_task = true;
  std::string_view device;  // "GPU:0"
};

Place place_of(std::string_view name) {
  Place place;
  while (!name.empty()) {
    name.remove_prefix(1);
    std::string_view part = name.substr(0, name.find('/'));
    name.remove_prefix(part.size());
    std::size_t colon = part.find(':');
    std::string_view key = part.substr(0, colon), value = part.substr(colon + 1);
    if (key == "device") {
      place.device = value;
    } else if (key == "job") {
      place.this_task = place.this_task && value == "localhost";
    } else {
      place.this_task = place.this_task && value == "0";
    }
  }
  return place;
}

bool exists(std::string_view device) { return device.empty() || device == "CPU:0" || device == "CPU:*"; }

void check_node(const Node& node, std::string_view function) {
  Place place = place_of(node.device);
  if (place.this_task && (exists(place.device) || soft_placement())) return;
  std::string_view hint =
      place.device.starts_with("GPU") ? " The requested device appears to be a GPU, but CUDA is not enabled." : "";
  invalid_argument("Cannot assign a device for operation ", node.name, ": {{node ", node.name,
                   "}} was explicitly assigned to ", node.device,
                   " but available devices are [ /job:localhost/replica:0/task:0/device:CPU:0 ]. Make sure the device "
                   "specification refers to a valid device.",
                   hint, "\n\t [[", node.name, "]] [Op:", function, "]");
}

}  // namespace

bool soft_placement() { return soft.load(std::memory_order_relaxed); }
void set_soft_placement(bool enabled) { soft.store(enabled, std::memory_order_relaxed); }

namespace {

void check_placement(const Graph& graph, std::string_view function, std::unordered_set<const Graph*>& seen) {
  if (!seen.insert(&graph).second) return;
  for (bool constants : {false, true}) {  // a constant is reported only if no other node is misplaced
    for (NodeId id = 0; id < graph.size(); ++id) {
      const Node& node = graph.node(id);
      if (!node.device.empty() && node.is(OpKind::kConst) == constants) check_node(node, function);
    }
  }
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    if (!op_def(*node.op).has_function_attr) continue;
    for_each_function(node.attrs, [&](const FuncRef& f) { check_placement(*f.body, function, seen); });
  }
}

}  // namespace

void check_placement(const Graph& graph, std::string_view function) {
  std::unordered_set<const Graph*> seen;
  check_placement(graph, function, seen);
}

void MissingDeviceTarget::emit(const OpDef& op, std::span<const Operand>, AttrList, std::string_view name, Operands&) {
  invalid_argument(message_, " [Op:", op.name(), "] name: ", name);
}

void refuse_missing_device(std::string_view op) {
  if (runs_eagerly()) return;
  const auto* missing = dynamic_cast<const MissingDeviceTarget*>(&current_target());
  if (!missing) return;
  if (op.empty()) invalid_argument(missing->message());
  invalid_argument(missing->message(), " [Op:", op, "]");
}

}  // namespace tracefn
