// Pass: a function from a graph to an equivalent new one, or null if nothing changed. It never changes the given graph,
// so a traced graph stays as the user sees it. Passes are pure: any thread may run them.
#pragma once

#include <memory>
#include <span>

#include "ir/graph.h"
#include "passes/pass_options.h"

namespace tracefn {

struct Pass {
  const char* name;
  const char* reason;         // one line: why the result is better
  std::uint32_t switched_by;  // if any of these switches is off, the pass is off
  std::shared_ptr<Graph> (*run)(const Graph& graph);
};

// DCE: removes nodes that no result and no side effect needs; arguments stay.
extern const Pass kDropDead;
// Constant folding, as long as the result is small.
extern const Pass kFoldConstants;
// Resolves shape arithmetic that follows from the graph, and refines static shapes.
extern const Pass kSimplifyShapes;
// Removes ops that change nothing; replaces ops by cheaper ones with the same bits.
extern const Pass kSimplify;
// Removes broadcasts that the consuming op does anyway.
extern const Pass kSimplifyBroadcasts;
// Conditionals with a constant condition become calls; loops with zero iterations become their initial values.
extern const Pass kDecideBranches;
// Inlines function calls.
extern const Pass kInlineCalls;
// LICM: moves loop-invariant ops in front of the loop.
extern const Pass kHoist;
// Removes loop variables that neither the loop's condition nor anything outside needs.
extern const Pass kDropLoopVariables;
// CSE: merges equal nodes without side effects.
extern const Pass kMergeCommon;
// Expands ops into the simpler ones that their records name, where these fuse: Softmax into row reductions and
// elementwise ops.
extern const Pass kExpandOps;
// Fuses row reductions with the elementwise ops around them into calls that run row by row.
extern const Pass kFuseRows;
// Reads of variables right after their assignment become the value assigned.
extern const Pass kForwardAssigned;
// Fuses updates of variables with the elementwise ops that compute them into calls that pass over the variables once.
extern const Pass kFuseUpdates;
// Fuses elementwise ops into calls that run in one pass over memory.
extern const Pass kFuseElementwise;
// Puts products and the elementwise ops that read them into calls that go on with each block of the product.
extern const Pass kFinishProducts;
// Loop fission: a loop whose iteration count depends only on scalars and that updates arrays elementwise becomes one
// over the scalars and one over the arrays.
extern const Pass kSplitLoops;

// The passes in the order in which optimize() runs them. Inlining and cleanup passes repeat until nothing changes; then
// bodies are optimized and equal nodes merged. DCE runs at the end. Fusion passes run last, since no pass looks into
// fused functions.
std::span<const Pass* const> placing_passes();
std::span<const Pass* const> cleaning_passes();
std::span<const Pass* const> fusing_passes();

// The graph and its bodies after all enabled passes; the graph itself if nothing changed. With `options.verified`,
// verify() runs before and after each pass.
std::shared_ptr<const Graph> optimize(const std::shared_ptr<const Graph>& graph,
                                      const PassOptions& options = process_pass_options());

}  // namespace tracefn
