// Runs the passes in order over a graph and its bodies.
#include <unordered_map>

#include "base/poll.h"
#include "ir/verify.h"
#include "ops/op_def.h"
#include "passes/graph_copy.h"
#include "passes/pass.h"

namespace tracefn {
namespace {

using GraphPtr = std::shared_ptr<const Graph>;

// What keeps its functions optimizes them itself.
bool runs_bodies(const OpDef& op) { return op.has_function_attr && !op.facts.keeps_functions; }

bool has_bodies(const Graph& graph) {
  for (NodeId id = 0; id < graph.size(); ++id)
    if (runs_bodies(op_def(*graph.node(id).op))) return true;
  return false;
}

class GraphOptimizer {
 public:
  explicit GraphOptimizer(const PassOptions& options) : options_(options) {}

  GraphPtr optimized(const GraphPtr& graph) { return fused(cleaned(graph)); }

 private:
  using Stage = GraphPtr (GraphOptimizer::*)(const GraphPtr&);
  // By source graph, which is kept alive so that no other graph takes its address.
  struct Done {
    GraphPtr of, result;
  };
  using AllDone = std::unordered_map<const Graph*, Done>;

  // A few rounds find everything in practice; a pass that undid another's work would loop forever.
  static constexpr int kMostRounds = 4;

  GraphPtr cleaned(const GraphPtr& graph) {
    if (auto found = cleaned_.find(graph.get()); found != cleaned_.end()) return found->second.result;
    if (options_.verified) verify(*graph);
    GraphPtr result = graph;
    for (int round = 0; round < kMostRounds; ++round) {
      bool found = false;
      for (const Pass* pass : placing_passes()) found |= run(*pass, result);
      found |= with_bodies(result, &GraphOptimizer::cleaned);
      // Later passes see merged nodes as the same value.
      run(kMergeCommon, result);
      for (const Pass* pass : cleaning_passes()) found |= run(*pass, result);
      if (!found) break;
    }
    run(kDropDead, result);
    remember(cleaned_, graph, result);
    return result;
  }

  GraphPtr fused(const GraphPtr& graph) {
    if (auto found = fused_.find(graph.get()); found != fused_.end()) return found->second.result;
    GraphPtr result = graph;
    with_bodies(result, &GraphOptimizer::fused);
    for (const Pass* pass : fusing_passes()) run(*pass, result);
    remember(fused_, graph, result);
    return result;
  }

  // The result is marked done too: it may appear again as a nested body.
  static void remember(AllDone& done, const GraphPtr& graph, const GraphPtr& result) {
    done[graph.get()] = {graph, result};
    done[result.get()] = {result, result};
  }

  bool run(const Pass& pass, GraphPtr& graph) const {
    if (!options_.allows(pass.switched_by)) return false;
    poll();
    WithoutPolls whole;  // ops are emitted into the new graph meanwhile
    std::shared_ptr<Graph> result = pass.run(*graph);
    if (!result) return false;
    if (options_.verified) verify(*result, pass.name);
    graph = std::move(result);
    return true;
  }

  bool with_bodies(GraphPtr& graph, Stage stage) {
    if (!has_bodies(*graph)) return false;
    std::unordered_map<NodeId, AttrList> changed;
    for (NodeId id = 0; id < graph->size(); ++id) {
      const Node& node = graph->node(id);
      if (!runs_bodies(op_def(*node.op))) continue;
      for (std::size_t i = 0; i < node.attrs.size(); ++i) {
        Attr attr = with_bodies(node.attrs[i], stage);
        if (attr == node.attrs[i]) continue;
        AttrList& attrs = changed.try_emplace(id, node.attrs).first->second;
        attrs[i] = std::move(attr);
      }
    }
    if (changed.empty()) return false;
    GraphCopy copy(*graph);
    for (NodeId id : graph->order()) {
      Node node = copy.moved(id);
      if (auto found = changed.find(id); found != changed.end()) node.attrs = std::move(found->second);
      copy.add(id, std::move(node));
    }
    graph = copy.finish();
    return true;
  }

  Attr with_bodies(const Attr& attr, Stage stage) {
    if (attr.kind() == Attr::Kind::kFunc && attr.func().body)
      return FuncRef{attr.func().name, (this->*stage)(attr.func().body)};
    if (attr.kind() != Attr::Kind::kFuncs) return attr;
    std::vector<FuncRef> functions = attr.funcs();
    for (FuncRef& f : functions)
      if (f.body) f.body = (this->*stage)(f.body);
    return functions;
  }

  const PassOptions options_;
  AllDone cleaned_, fused_;
};

}  // namespace

std::span<const Pass* const> placing_passes() {
  static const Pass* const passes[] = {&kDecideBranches, &kInlineCalls};
  return passes;
}

std::span<const Pass* const> cleaning_passes() {
  static const Pass* const passes[] = {&kFoldConstants,      &kSimplifyShapes, &kSimplify,
                                       &kSimplifyBroadcasts, &kHoist,          &kDropLoopVariables};
  return passes;
}

std::span<const Pass* const> fusing_passes() {
  static const Pass* const passes[] = {&kExpandOps,       &kForwardAssigned, &kFuseRows,      &kFuseUpdates,
                                       &kFuseElementwise, &kSplitLoops,      &kFinishProducts};
  return passes;
}

std::shared_ptr<const Graph> optimize(const std::shared_ptr<const Graph>& graph, const PassOptions& options) {
  if (graph->size() < options.min_graph_nodes) return graph;
  return GraphOptimizer(options).optimized(graph);
}

}  // namespace tracefn
