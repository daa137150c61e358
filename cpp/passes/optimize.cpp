// The passes in order, over a graph and the bodies inside it.
#include <unordered_map>

#include "ir/verify.h"
#include "ops/op_def.h"
#include "passes/graph_copy.h"
#include "passes/pass.h"

namespace tracefn {
namespace {

using Optimized = std::unordered_map<const Graph*, std::shared_ptr<const Graph>>;

std::shared_ptr<const Graph> optimized(const Graph& graph, bool verified, Optimized& done);

Attr with_bodies(const Attr& attr, bool verified, Optimized& done) {
  if (attr.kind() == Attr::Kind::kFunc && attr.func().body)
    return FuncRef{attr.func().name, optimized(*attr.func().body, verified, done)};
  if (attr.kind() != Attr::Kind::kFuncs) return attr;
  std::vector<FuncRef> functions = attr.funcs();
  for (FuncRef& f : functions)
    if (f.body) f.body = optimized(*f.body, verified, done);
  return functions;
}

std::shared_ptr<Graph> optimize_bodies(const Graph& graph, bool verified, Optimized& done) {
  GraphCopy copy(graph);
  for (NodeId id : graph.order()) {
    Node node = copy.moved(id);
    for (Attr& attr : node.attrs) attr = with_bodies(attr, verified, done);
    copy.add(id, std::move(node));
  }
  return copy.finish();
}

bool has_bodies(const Graph& graph) {
  for (NodeId id = 0; id < graph.size(); ++id)
    if (op_def(*graph.node(id).op).has_function_attr) return true;
  return false;
}

std::shared_ptr<const Graph> optimized(const Graph& graph, bool verified, Optimized& done) {
  if (auto found = done.find(&graph); found != done.end()) return found->second;
  if (verified) verify(graph);
  std::shared_ptr<Graph> result;
  if (has_bodies(graph)) result = optimize_bodies(graph, verified, done);
  for (const Pass* pass : all_passes()) {
    result = pass->run(result ? *result : graph);
    if (verified) verify(*result);
  }
  done.emplace(&graph, result);
  return result;
}

}  // namespace

std::span<const Pass* const> all_passes() {
  static const Pass* const passes[] = {&kFoldConstants, &kMergeCommon, &kDropDead, &kFuseRows, &kFuseElementwise};
  return passes;
}

std::shared_ptr<const Graph> optimize(const std::shared_ptr<const Graph>& graph, bool verified) {
  Optimized done;
  return optimized(*graph, verified, done);
}

}  // namespace tracefn
