// Emits the body's nodes again with better known inputs.
#include "runtime/call_shapes.h"

#include <algorithm>

#include "base/error.h"
#include "ops/graph_target.h"
#include "ops/registry.h"
#include "passes/graph_copy.h"

namespace tracefn {
namespace {

// Above this size of a body, or of all bodies visited for one call, shapes stay as traced.
constexpr NodeId kMostNodes = 2000;
// A larger value is data rather than a shape.
constexpr std::int64_t kMostElements = 256;

bool all_known(const Graph& body) {
  return std::all_of(body.outputs.begin(), body.outputs.end(),
                     [&](Value v) { return body.info(v).shape.is_fully_known(); });
}

class CallShapes {
 public:
  std::vector<Shape> of(const Graph& body, std::span<const Operand> inputs, EmitTarget& target) {
    nodes_left_ -= body.size();
    if (nodes_left_ < 0 || inputs.size() != body.inputs.size() || all_known(body)) return {};
    auto scratch = std::make_shared<Graph>(body.name());
    GraphTarget inner(scratch);
    std::vector<std::vector<Operand>> made(static_cast<std::size_t>(body.size()));
    bool more_known = false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Value placed = body.inputs[i];
      made[static_cast<std::size_t>(placed.node)] = {given(body.info(placed), inputs[i], target, scratch, more_known)};
    }
    if (!more_known) return {};
    for (NodeId id : body.order())
      if (std::vector<Operand>& outputs = made[static_cast<std::size_t>(id)]; outputs.empty())
        outputs = emit_again(body.node(id), made, inner);
    std::vector<Shape> shapes;
    for (Value v : body.outputs)
      shapes.push_back(made[static_cast<std::size_t>(v.node)][static_cast<std::size_t>(v.output)].shape());
    return shapes;
  }

 private:
  // Stands in for an input of the body: a small integer vector whose value is known, or a placeholder with all that is
  // known of the shape.
  static Operand given(const OutputInfo& declared, const Operand& input, EmitTarget& target,
                       const std::shared_ptr<Graph>& scratch, bool& more_known) {
    const bool integers = declared.dtype == DType::kInt32 || declared.dtype == DType::kInt64;
    if (integers && input.shape().is_fully_known() && input.shape().num_elements() <= kMostElements) {
      if (Tensor value = target.constant_value(input); value.defined()) {
        more_known = true;
        return value;
      }
    }
    OutputInfo info = declared;
    if (declared.dtype != DType::kResource && declared.shape.is_compatible_with(input.shape())) {
      info.shape = merge(declared.shape, input.shape());
      more_known |= !(info.shape == declared.shape);
    }
    return Operand(scratch, {scratch->add(placeholder(info, scratch->unique_name("Placeholder"))), 0});
  }

  std::vector<Operand> emit_again(const Node& node, const std::vector<std::vector<Operand>>& made, GraphTarget& inner) {
    Operands inputs, outputs;
    for (Value v : node.inputs)
      inputs.push_back(made[static_cast<std::size_t>(v.node)][static_cast<std::size_t>(v.output)]);
    inner.emit(op_def(*node.op), inputs, node.attrs, {}, outputs);
    std::vector<Shape> called;
    if (node.is(OpKind::kCall))
      if (const Graph* body = node.attr("f").func().body.get())
        called = of(*body, std::span(inputs.data(), inputs.size()), inner);
    for (std::size_t j = 0; j < outputs.size(); ++j) {
      OutputInfo& info = inner.graph()->info(outputs[j].value);
      const OutputInfo& before = node.outputs[j];
      if (info.shape.is_compatible_with(before.shape)) info.shape = merge(info.shape, before.shape);
      if (!called.empty() && info.shape.is_compatible_with(called[j])) info.shape = merge(info.shape, called[j]);
      if (info.handle_dtype == DType::kInvalid) {
        info.handle_dtype = before.handle_dtype;
        info.handle_shape = before.handle_shape;
      }
    }
    return {outputs.begin(), outputs.end()};
  }

  NodeId nodes_left_ = kMostNodes;
};

}  // namespace

std::vector<Shape> call_shapes(const Graph& body, std::span<const Operand> inputs, EmitTarget& target) {
  try {
    return CallShapes().of(body, inputs, target);
  } catch (const Error& e) {
    // The shapes do not fit the body. It reports that when it runs; a part that never runs may stay as it is.
    if (e.kind() != ErrorKind::kValue && e.kind() != ErrorKind::kInvalidArgument) throw;
    return {};
  }
}

}  // namespace tracefn
