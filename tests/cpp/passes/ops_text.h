// Graphs as short texts, for tests of passes.
#pragma once

#include <string>

#include "check.h"
#include "exec/graphs.h"
#include "ir/verify.h"
#include "passes/pass.h"

namespace tracefn::test {

inline Operand real(double value, DType dtype = DType::kFloat) { return build::scalar(dtype, value); }

// The ops of the graph in order, those of called functions in parentheses and those of other bodies in braces;
// arguments and constants left out.
inline std::string ops(const Graph& graph) {
  std::string out;
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.op->name == "Placeholder" || node.op->name == "Const") continue;
    if (!out.empty()) out += " ";
    const bool call = node.op->name == "PartitionedCall";
    out += call ? "(" + ops(*node.attr("f").func().body) + ")" : node.op->name;
    for (const Attr& attr : node.attrs)
      if (!call && attr.kind() == Attr::Kind::kFunc) out += "{" + ops(*attr.func().body) + "}";
  }
  return out;
}

// After the pass, and with the nodes that nothing needs any more left out; the graph given must stay as it is.
inline std::shared_ptr<Graph> passed(const Pass& pass, const std::shared_ptr<Graph>& graph) {
  verify(*graph);
  const std::string before = print(*graph);
  std::shared_ptr<Graph> result = pass.run(*graph);
  CHECK_EQ(print(*graph), before);
  if (!result) return graph;
  verify(*result);
  return result;
}

inline std::string ops_after(const Pass& pass, const std::shared_ptr<Graph>& graph) {
  std::shared_ptr<Graph> result = passed(pass, graph);
  std::shared_ptr<Graph> live = kDropDead.run(*result);
  return ops(live ? *live : *result);
}

// Runs the graph as it is and after all passes on the same arguments; the results must have the same bits.
inline void check_same_results(const std::shared_ptr<Graph>& graph, const std::vector<Tensor>& args) {
  auto optimized = std::const_pointer_cast<Graph>(optimize(graph, kVerified));
  std::vector<Tensor> plain = run_graph(graph, args), better = run_graph(optimized, args);
  CHECK_EQ(plain.size(), better.size());
  for (std::size_t i = 0; i < plain.size(); ++i) CHECK(identical(plain[i], better[i]));
}

}  // namespace tracefn::test
