// Imports files into graphs of their own, and compiles them.
#include "runtime/load_graph.h"

#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "io/graph_def_reader.h"
#include "ir/verify.h"
#include "ops/graph_target.h"
#include "runtime/function_import.h"
#include "runtime/graph_import.h"

namespace tracefn {
namespace {

// `text` names what was imported, to be read as a value.
Value imported_value(const std::variant<Operand, NodeId>& imported, const std::string& text) {
  if (!std::holds_alternative<Operand>(imported)) fail(ErrorKind::kValue, "'", text, "' is no value of a node.");
  return std::get<Operand>(imported).value;
}

}  // namespace

std::unique_ptr<CompiledFunction> load_graph(std::string_view bytes, std::span<const std::string> inputs,
                                             std::span<const std::string> outputs, const std::string& name) {
  const GraphRecord file = read_graph_def(bytes);
  auto graph = std::make_shared<Graph>(name);
  GraphTarget target(graph);
  ImportRequest request;
  for (std::span<const std::string> names : {inputs, outputs})
    for (const std::string& text : names) request.wanted.push_back(endpoint(text));
  const Imported imported = import_graph(target, file, request);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Value value = imported_value(imported.wanted[i], inputs[i]);
    if (!graph->node(value.node).is(OpKind::kPlaceholder))
      fail(ErrorKind::kValue, "Input '", inputs[i], "' of ", name, " must be a Placeholder, but is a ",
           graph->node(value.node).op->name, ".");
    for (Value given : graph->inputs)
      if (given == value) fail(ErrorKind::kValue, "Input '", inputs[i], "' of ", name, " is given twice.");
    graph->inputs.push_back(value);
  }
  for (std::size_t j = 0; j < outputs.size(); ++j)
    graph->outputs.push_back(imported_value(imported.wanted[inputs.size() + j], outputs[j]));
  verify(*graph);
  return std::make_unique<CompiledFunction>(std::move(graph), name);
}

std::unique_ptr<CompiledFunction> load_function(std::string_view bytes, const std::string& name) {
  const GraphRecord file = read_graph_def(bytes);
  FunctionBodies bodies(file.functions, {});
  FuncRef function = bodies.find(name);
  return std::make_unique<CompiledFunction>(std::move(function.body), name);
}

}  // namespace tracefn
