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

// The user's lines that made the tensor, as a traceback has them; the last with its text.
std::string defined_at(const Operand& operand) {
  const Ref<SourceLocation>& source = operand.graph->node(operand.value.node).source;
  if (!source) return "";
  const auto frames = source->frames();
  if (frames.empty()) return "";
  std::string lines = concat(describe(operand), " was defined here:");
  for (const SourceLocation::Frame& frame : frames)
    lines += concat("\n    File \"", frame.file, "\", line ", frame.line, ", in ", frame.function);
  if (!frames.back().text.empty()) lines += concat(": ", frames.back().text);
  return lines + "\n\n";
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
  fail(inside ? ErrorKind::kInaccessibleTensor : ErrorKind::kType, describe(operand),
       " is out of scope and cannot be used here. Use return values, explicit Python locals or TensorFlow collections "
       "to access it.\nPlease see "
       "https://www.tensorflow.org/guide/function#all_outputs_of_a_tffunction_must_be_return_values for more "
       "information.\n\n",
       defined_at(operand), "The tensor ", describe(operand), " cannot be accessed from ",
       inside ? describe(user) : "here", ", because it was defined in ", describe(operand.graph.get()),
       ", which is out of scope.", way_out(operand.graph->name()));
}

}  // namespace tracefn
