// The message for leaked symbolic tensors.
#include "ops/leaked.h"

#include "base/error.h"

namespace tracefn {
namespace {

std::string describe(const Graph* graph) {
  return concat("FuncGraph(name=", graph->name(), ", id=", reinterpret_cast<std::uintptr_t>(graph), ")");
}

// Advice: a body runs once in Python, so what it stores in a Python object belongs to its own graph.
std::string_view way_out(std::string_view graph) {
  // "loss_while_body_13": what it is, and a number.
  const std::size_t number = graph.find_last_not_of("0123456789");
  if (number != std::string_view::npos && number + 1 < graph.size() && graph[number] == '_')
    graph = graph.substr(0, number);
  if (graph.ends_with("_body") || graph.ends_with("_cond"))
    return "\nA loop's values leave it by variables that the loop sets, or by a local list that it appends to and "
           "tf.stack.";
  if (graph.ends_with("_true") || graph.ends_with("_false"))
    return "\nA branch's values leave it by variables that both branches set.";
  return "\nReturn it from the function and use the result of the call, or keep it in a tf.Variable.";
}

std::string made_at(const Operand& operand) {
  const Ref<SourceLocation>& source = operand.graph->node(operand.value.node).source;
  if (!source) return "";
  auto frames = source->frames();
  if (frames.empty()) return "";
  const SourceLocation::Frame& last = frames.back();
  return concat("\nIt was made in ", last.function, " at ", last.file, ":", last.line, ": ", last.text,
                way_out(operand.graph->name()));
}

// The outermost graph around `graph`.
const Graph* outermost(const Graph* graph) {
  std::shared_ptr<const Graph> around;
  while (std::shared_ptr<const Graph> next = graph->outer.lock()) {
    around = std::move(next);
    graph = around.get();
  }
  return graph;
}

}  // namespace

std::string describe(const Operand& operand) {
  const Shape& shape = operand.shape();
  return concat("<tf.Tensor '", operand.graph->value_name(operand.value), "' shape=", shape.python_text(),
                " dtype=", name(operand.dtype()), ">");
}

void leaked_tensor(const Operand& operand, const Graph* user) {
  bool inside = user && outermost(user) == outermost(operand.graph.get());
  fail(inside ? ErrorKind::kInaccessibleTensor : ErrorKind::kType, "The tensor ", describe(operand),
       " cannot be accessed from ", inside ? describe(user) : "here", ", because it was defined in ",
       describe(operand.graph.get()), ", which is out of scope.", made_at(operand));
}

}  // namespace tracefn
