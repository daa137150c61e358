// Pass: a function from a graph to a new one that computes the same, or null when there is nothing to do. The graph
// given is never changed, so that a traced graph stays as the user sees it. Passes are pure: any thread may run them.
#pragma once

#include <memory>
#include <span>

#include "ir/graph.h"
#include "passes/pass_options.h"

namespace tracefn {

struct Pass {
  const char* name;
  const char* reason;         // one line: why the result is better
  std::uint32_t switched_by;  // any of these switches off: the pass is off
  std::shared_ptr<Graph> (*run)(const Graph& graph);
};

// Nodes that no result and no effect needs; arguments stay.
extern const Pass kDropDead;
// Nodes of constants, as far as they are small, become constants.
extern const Pass kFoldConstants;
// Arithmetic on shapes whose answer follows from the graph, and static shapes where more is known by now.
extern const Pass kSimplifyShapes;
// Ops that change nothing, or that another op does for less with the same bits.
extern const Pass kSimplify;
// Tensors repeated to a shape that the op which takes them repeats them to anyway.
extern const Pass kSimplifyBroadcasts;
// Conditionals whose condition is constant become calls; loops that never run become their initial values.
extern const Pass kDecideBranches;
// Calls of functions are replaced by the functions' nodes.
extern const Pass kInlineCalls;
// What no trip of a loop changes is computed before it.
extern const Pass kHoist;
// Loop variables that neither the loop's condition nor anything outside of it needs.
extern const Pass kDropLoopVariables;
// Equal nodes without effects become one.
extern const Pass kMergeCommon;
// Ops become the simpler ones that their records name, where these fuse: Softmax reductions of rows and elementwise ops.
extern const Pass kExpandOps;
// Reductions of rows, and elementwise ops before and after them, become calls that run row by row.
extern const Pass kFuseRows;
// Chains of elementwise ops become calls that run in one walk over memory.
extern const Pass kFuseElementwise;
// Loops that change arrays element by element, as often as scalars say, become one of the scalars and one of the
// arrays.
extern const Pass kSplitLoops;

// The passes in the order in which optimize() runs them. Those that place functions and those that clean run again
// while they find something; between the two, bodies are optimized and equal nodes merged. Dead nodes are dropped at
// the end, and those that fuse run last, since no pass looks into what is fused.
std::span<const Pass* const> placing_passes();
std::span<const Pass* const> cleaning_passes();
std::span<const Pass* const> fusing_passes();

// The graph after all passes that are on, its bodies too; the graph itself when nothing was to do. With
// `options.verified`, verify() runs before and after each pass.
std::shared_ptr<const Graph> optimize(const std::shared_ptr<const Graph>& graph,
                                      const PassOptions& options = process_pass_options());

}  // namespace tracefn
