// Text of the error for leaked symbolic tensors.
#include "ops/leaked.h"

#include "base/error.h"

namespace tracefn {
namespace {

std::string describe(const Graph* graph) {
  return concat("FuncGraph(name=", graph->name(), ", id=", reinterpret_cast<std::uintptr_t>(graph), ")");
}

std::string made_at(const Operand& operand) {
  const Ref<SourceLocation>& source = operand.graph->node(operand.value.node).source;
  if (!source) return "";
  auto frames = source->frames();
  if (frames.empty()) return "";
  const SourceLocation::Frame& last = frames.back();
  return concat("\nIt was made at ", last.file, ":", last.line, ": ", last.text,
                "\nReturn it from the function, or keep it in a tf.Variable.");
}

// The graph that everything around `graph` is traced in.
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
