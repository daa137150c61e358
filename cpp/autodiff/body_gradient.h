// The gradient of a graph that is the body of a call, branch or loop; helpers for the gradient rules of such ops.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "autodiff/backprop.h"
#include "autodiff/gradient_graph.h"

namespace tracefn {

// A graph and its backward graph. `forward` is a copy of the traced graph; node ids are kept, nodes may have been added
// to it. Neither is finished: callers decide which of the values that `backward` captured become results of `forward`.
struct BodyGradient {
  std::shared_ptr<Graph> forward;
  std::shared_ptr<GradientGraph> backward;  // its inputs are the gradients of `dy_outputs`, in order
  std::vector<Gradient> gradients;          // of the sources, undefined if none flows
};

// `sources` are values of `body`, usually inputs; `dy_outputs` are indices of its outputs; `scope` is the name scope of
// the backward graph, ending in "/", or empty. Tapes do not record it.
BodyGradient differentiate_body(const Graph& body, const std::vector<Value>& sources,
                                const std::vector<std::size_t>& dy_outputs, const std::string& name,
                                const std::string& scope = {});
// The name scope in which nodes are being made.
std::string current_scope();

// The output info of a placeholder for a tensor; a variable's handle carries the variable's dtype and shape.
OutputInfo info_of(const Operand& x);
// Zeros for the gradient of a tensor: of its shape; for a variable's handle, of the variable's. Emitted on the current
// target.
Operand zero_gradient(const Operand& of);

// Index into graph.inputs, or -1.
std::int64_t input_index(const Graph& graph, Value value);
// The index of an output that is `value`, or -1.
std::int64_t output_index(const Graph& graph, Value value);
// A new argument of a graph that is not being traced, used by nodes made later or inserted before node `before`. It is
// not added to graph.inputs.
Value add_argument(Graph& graph, const OutputInfo& info, const std::string& name, NodeId before = -1);
// The output info of a placeholder for x's gradient: a variable's handle has gradients of its values.
OutputInfo gradient_info(const OutputInfo& x);

// "name_rewritten_12", unique in the process.
std::string derived_name(const std::string& base, std::string_view what);

// Inserts nodes before a given one.
class InsertTarget final : public GraphTarget {
 public:
  InsertTarget(std::shared_ptr<Graph> graph, NodeId at) : GraphTarget(std::move(graph)), at_(at) {}

 protected:
  NodeId place(Node node) override { return graph()->insert(std::move(node), at_); }

 private:
  NodeId at_;
};

// The gradient rules of ops that hold graphs, for a Runtime.
void conditional_gradient(GradContext& c);  // If and Case
void call_gradient(GradContext& c);         // PartitionedCall
void loop_gradient(GradContext& c);         // While
inline constexpr BodyGradients kBodyGradients{
    .conditional = conditional_gradient, .loop = loop_gradient, .call = call_gradient};

}  // namespace tracefn
