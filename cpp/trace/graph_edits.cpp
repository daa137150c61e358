// Changes of the nodes of a tf.Graph after their creation. What was compiled from it before is unchanged.
#include <algorithm>

#include "trace/func_graph.h"

namespace tracefn {
namespace {

void check_order(const Graph& graph, NodeId input, NodeId node) {
  if (input < node) return;
  if (input == node) fail(ErrorKind::kValue, "Operation '", graph.node(node).name, "' cannot be an input of itself.");
  fail(ErrorKind::kValue, "Operation '", graph.node(node).name, "' cannot take '", graph.node(input).name,
       "' as an input, because that operation was created after it.");
}

}  // namespace

Node& FuncGraph::edited(NodeId id) {
  Node& node = graph()->node(id);
  if (is_function_ && finished_)
    fail(ErrorKind::kRuntime, "Operation '", node.name,
         "' is part of a function that has been traced: it cannot be changed.");
  return node;
}

void FuncGraph::set_device_of(NodeId node, std::string device) { graph()->node(node).device = std::move(device); }

void FuncGraph::update_input(NodeId id, std::int64_t index, Value input) {
  Node& node = edited(id);
  const auto count = static_cast<std::int64_t>(node.inputs.size());
  if (index < 0 || index >= count)
    fail(ErrorKind::kOutOfRange, "Cannot update edge. Input index [", index,
         "] is greater than the number of total inputs [", count, "].");
  Value& known = *(node.inputs.begin() + index);
  const OutputInfo &before = graph()->info(known), &given = graph()->info(input);
  if (given.dtype != before.dtype)
    fail(ErrorKind::kType, "Input ", index, " of operation '", node.name, "' has the dtype ",
         tracefn::name(before.dtype), ", which '", graph()->value_name(input), "' of dtype ",
         tracefn::name(given.dtype), " does not have.");
  // The shapes of results were derived from it.
  if (!given.shape.is_compatible_with(before.shape))
    invalid_argument("Cannot update edge, incompatible shapes: ", given.shape.text(), " and ", before.shape.text(),
                     ".");
  check_order(*graph(), input.node, id);
  known = input;
  forget_known_values();
  ++edits_;
}

void FuncGraph::add_control_input(NodeId id, NodeId before) {
  Node& node = edited(id);
  check_order(*graph(), before, id);
  auto& known = node.control_inputs;
  if (std::find(known.begin(), known.end(), before) != known.end()) return;
  known.push_back(before);
  ++edits_;
}

void FuncGraph::remove_control_inputs(NodeId id) {
  edited(id).control_inputs.clear();
  ++edits_;
}

}  // namespace tracefn
