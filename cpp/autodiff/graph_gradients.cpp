// Backprop over the nodes of a graph and of its outer graphs, connected at captures.
#include "autodiff/graph_gradients.h"

#include <algorithm>

#include "autodiff/backprop.h"

namespace tracefn {
namespace {

// The graphs that a source of `graph` may be in, outermost first.
std::vector<FuncGraph*> graphs_of(FuncGraph& graph, std::span<const Operand> sources) {
  std::vector<FuncGraph*> graphs{&graph};
  bool all_inside =
      std::all_of(sources.begin(), sources.end(), [&](const Operand& x) { return x.graph.get() == graph.graph(); });
  if (!all_inside)
    for (FuncGraph* around = graph.outer(); around; around = around->outer()) graphs.push_back(around);
  std::reverse(graphs.begin(), graphs.end());
  return graphs;
}

void add_records(const FuncGraph& graph, std::vector<RecordedOp>& records) {
  for (const FuncGraph::Capture& capture : graph.captures_and_constants())
    records.push_back({nullptr, {}, {capture.outer}, {Operand(graph.shared_graph(), capture.inner)}, pass_on_rule()});
  for (RecordedOp& record : records_of(graph.shared_graph())) records.push_back(std::move(record));
}

bool made_by(const RecordedOp& record, const Operand& x) {
  const Operand& first = record.outputs[0];
  return record.op && first.graph == x.graph && first.value.node == x.value.node;
}

}  // namespace

std::vector<Gradient> graph_gradients(FuncGraph& graph, std::span<const Operand> targets,
                                      std::span<const Operand> target_gradients, std::span<const Operand> sources,
                                      std::span<const Operand> stops) {
  std::vector<RecordedOp> records;
  for (const FuncGraph* around : graphs_of(graph, sources)) add_records(*around, records);
  std::vector<const RecordedOp*> ops;
  for (const RecordedOp& record : records)
    if (std::none_of(stops.begin(), stops.end(), [&](const Operand& x) { return made_by(record, x); }))
      ops.push_back(&record);
  return gradients_of(ops, targets, target_gradients, sources);
}

}  // namespace tracefn
