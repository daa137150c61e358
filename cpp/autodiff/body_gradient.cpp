// Differentiates one graph into another.
#include "autodiff/body_gradient.h"

#include <atomic>

#include "autodiff/tape.h"
#include "base/check.h"
#include "ops/node_kinds.h"
#include "ops/registry.h"
#include "ops/state/variable_resource.h"

namespace tracefn {

OutputInfo gradient_info(const OutputInfo& x) {
  if (x.dtype != DType::kResource) return x;
  OutputInfo info;
  info.dtype = x.handle_dtype;
  info.shape = x.handle_shape;
  return info;
}

BodyGradient differentiate_body(const Graph& body, const std::vector<Value>& sources,
                                const std::vector<std::size_t>& dy_outputs, const std::string& name,
                                const std::string& scope_name) {
  TapePause pause;
  BodyGradient result;
  result.forward = std::make_shared<Graph>(body);
  result.backward = std::make_shared<GradientGraph>(name, result.forward);
  const std::shared_ptr<Graph>& forward = result.forward;
  GradientGraph& backward = *result.backward;
  TargetScope scope(backward);
  std::vector<Operand> targets, dys, from;
  for (std::size_t j : dy_outputs) {
    OutputInfo info = gradient_info(forward->info(forward->outputs[j]));
    Value dy = backward.add_input(info.dtype, info.shape, "dy", info.handle_dtype, info.handle_shape);
    targets.emplace_back(forward, forward->outputs[j]);
    dys.emplace_back(backward.shared_graph(), dy);
  }
  for (Value v : sources) from.emplace_back(forward, v);
  std::vector<RecordedOp> records = records_of(forward);
  std::vector<const RecordedOp*> ops;
  ops.reserve(records.size());
  for (const RecordedOp& record : records) ops.push_back(&record);
  backward.enter_scope(scope_name);
  std::string outside = backward.enter_scope("gradients");
  result.gradients = gradients_of(ops, targets, dys, from);
  backward.leave_scope(std::move(outside));
  return result;
}

std::string current_scope() {
  const FuncGraph* graph = current_func_graph();
  return graph ? graph->scope() : std::string();
}

OutputInfo info_of(const Operand& x) {
  if (x.graph) return x.graph->info(x.value);
  OutputInfo info;
  info.dtype = x.dtype();
  info.shape = x.shape();
  if (x.dtype() != DType::kResource || x.tensor.rank() != 0) return info;
  if (const auto* variable = dynamic_cast<const VariableResource*>(x.tensor.object().get())) {
    info.handle_dtype = variable->dtype();
    info.handle_shape = variable->shape();
  }
  return info;
}

Operand zero_gradient(const Operand& of) {
  if (of.dtype() != DType::kResource) return build::zeros_like(of);
  const OutputInfo info = info_of(of);
  const DType dtype = info.handle_dtype;
  const Shape& shape = info.handle_shape;
  if (dtype == DType::kInvalid)
    fail(ErrorKind::kUnimplemented, "The gradient of a variable of unknown dtype is needed as zeros.");
  Operand dims;
  if (shape.is_fully_known()) {
    std::vector<std::int32_t> known;
    for (std::int64_t d : shape.dims()) known.push_back(static_cast<std::int32_t>(d));
    dims = build::ints(known);
  } else {
    dims = emit1("VariableShape", {of});
  }
  return emit1("Fill", {dims, build::scalar(dtype, 0)});
}

std::int64_t input_index(const Graph& graph, Value value) {
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    if (graph.inputs[i] == value) return static_cast<std::int64_t>(i);
  return -1;
}

std::int64_t output_index(const Graph& graph, Value value) {
  Value wanted = behind_identity(graph, value);
  for (std::size_t j = 0; j < graph.outputs.size(); ++j)
    if (behind_identity(graph, graph.outputs[j]) == wanted) return static_cast<std::int64_t>(j);
  return -1;
}

Value add_argument(Graph& graph, const OutputInfo& info, const std::string& name, NodeId before) {
  static const OpDef& placeholder = Registry::get().at("Placeholder");
  Node node;
  node.op = &placeholder.signature;
  node.name = graph.unique_name(name);
  node.attrs.resize(placeholder.signature.attrs.size());
  node.attrs[static_cast<std::size_t>(placeholder.signature.attr_index("dtype"))] = info.dtype;
  node.attrs[static_cast<std::size_t>(placeholder.signature.attr_index("shape"))] = info.shape;
  node.outputs.push_back(info);
  return {before < 0 ? graph.add(std::move(node)) : graph.insert(std::move(node), before), 0};
}

std::string derived_name(const std::string& base, std::string_view what) {
  static std::atomic<std::int64_t> last{0};
  return concat(base, "_", what, "_", ++last);
}

}  // namespace tracefn
