// Computing now what depends on constants only.
#include "base/error.h"
#include "ops/emit.h"
#include "ops/registry.h"
#include "passes/graph_copy.h"
#include "passes/pass.h"

namespace tracefn {
namespace {

// Past this, a constant would cost more memory than its computing costs time.
constexpr std::int64_t kMostElements = 65536;

bool is_small(const Shape& shape) {
  if (!shape.is_fully_known()) return false;
  std::int64_t n = 1;
  for (std::int64_t d : shape.dims())
    if (__builtin_mul_overflow(n, d, &n)) return false;
  return n <= kMostElements;
}

bool can_be_constant(const OutputInfo& info) {
  return (is_plain(info.dtype) || info.dtype == DType::kString) && is_small(info.shape);
}

bool can_fold(const Graph& to, const Node& node) {
  if (node.op->stateful || op_def(*node.op).has_function_attr || node.inputs.empty() || node.outputs.empty())
    return false;
  for (const Attr& attr : node.attrs)
    if (attr.kind() == Attr::Kind::kHost) return false;
  for (Value v : node.inputs)
    if (to.node(v.node).op->name != "Const" || !is_small(to.info(v).shape)) return false;
  for (const OutputInfo& info : node.outputs)
    if (!can_be_constant(info)) return false;
  return true;
}

// Empty when the op fails: it may never run; if it does, it reports that itself.
Operands evaluated(const Graph& to, const Node& node) {
  Operands inputs, outputs;
  for (Value v : node.inputs) inputs.push_back(Operand(to.node(v.node).attr("value").tensor()));
  try {
    eager_target().emit(op_def(*node.op), inputs, node.attrs, {}, outputs);
  } catch (const Error& e) {
    if (!is_status(e.kind())) throw;
    return {};
  }
  return outputs;
}

Node constant_node(const Node& like, std::string name, Tensor value) {
  static const OpDef& op = Registry::get().at("Const");
  Node node;
  node.op = &op.signature;
  node.name = std::move(name);
  node.control_inputs = like.control_inputs;
  node.source = like.source;
  node.outputs.push_back({value.dtype(), value.shape()});
  node.attrs.resize(op.signature.attrs.size());
  node.attrs[static_cast<std::size_t>(op.signature.attr_index("dtype"))] = value.dtype();
  node.attrs[static_cast<std::size_t>(op.signature.attr_index("value"))] = std::move(value);
  return node;
}

// A name for output j that no node of the old graph has.
std::string output_name(const Graph& from, const Node& node, std::size_t j) {
  std::string name = node.name;
  if (node.outputs.size() > 1) name += "/output_" + std::to_string(j);
  while (node.outputs.size() > 1 && from.find(name) >= 0) name += "_";
  return name;
}

std::shared_ptr<Graph> fold_constants(const Graph& graph) {
  GraphCopy copy(graph);
  for (NodeId id : graph.order()) {
    Node node = copy.moved(id);
    Operands values;
    if (can_fold(copy.to(), node)) values = evaluated(copy.to(), node);
    if (values.empty()) {
      copy.add(id, std::move(node));
      continue;
    }
    for (std::size_t j = 0; j < values.size(); ++j) {
      NodeId made = copy.to().add(constant_node(node, output_name(graph, node, j), values[j].tensor));
      copy.replace_output({id, static_cast<std::int32_t>(j)}, {made, 0});
    }
  }
  return copy.finish();
}

}  // namespace

const Pass kFoldConstants{"fold_constants", "what is known now need not be computed in every call", fold_constants};

}  // namespace tracefn
