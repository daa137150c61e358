// Pass: a function from a graph to a new one that computes the same. The graph given is never changed, so that a traced
// graph stays as the user sees it. Passes are pure: any thread may run them.
#pragma once

#include <memory>
#include <span>

#include "ir/graph.h"

namespace tracefn {

struct Pass {
  const char* name;
  const char* reason;  // one line: why the result is better
  std::shared_ptr<Graph> (*run)(const Graph& graph);
};

// Nodes that no result and no effect needs; arguments stay.
extern const Pass kDropDead;
// Nodes of constants, as far as they are small, become constants.
extern const Pass kFoldConstants;
// Equal nodes without effects become one.
extern const Pass kMergeCommon;
// Reductions of rows, and elementwise ops before and after them, become calls that run row by row.
extern const Pass kFuseRows;
// Chains of elementwise ops become calls that run in one walk over memory.
extern const Pass kFuseElementwise;

// All passes in the order in which optimize() runs them.
std::span<const Pass* const> all_passes();

// Debug and sanitizer builds verify graphs between passes.
#if defined(TRACEFN_VERIFY_PASSES)
inline constexpr bool kVerifyPasses = true;
#else
inline constexpr bool kVerifyPasses = false;
#endif

// The graph after all passes, its bodies first. With `verified`, verify() runs before and after each.
std::shared_ptr<const Graph> optimize(const std::shared_ptr<const Graph>& graph, bool verified = kVerifyPasses);

}  // namespace tracefn
