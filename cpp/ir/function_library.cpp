#include "ir/function_library.h"

#include "base/error.h"
#include "ir/functions_of.h"

namespace tracefn {

FunctionLibrary::FunctionLibrary(const Graph& graph) {
  collect(graph);
  for (std::size_t i = 0; i < functions_.size(); ++i) collect(*functions_[i].body);  // grows during the loop
}

void FunctionLibrary::collect(const Graph& graph) {
  for (NodeId id = 0; id < graph.size(); ++id)
    for_each_function(graph.node(id).attrs, [this](const FuncRef& f) { add(f); });
}

void FunctionLibrary::add(const FuncRef& f) {
  if (!f.body) invalid_argument("Function '", f.name, "' has no body.");
  auto [entry, fresh] = by_name_.emplace(f.name, f.body.get());
  if (fresh) {
    functions_.push_back(f);
  } else if (entry->second != f.body.get()) {
    invalid_argument("Two functions of one graph are named '", f.name, "'.");
  }
}

}  // namespace tracefn
