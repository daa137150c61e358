// Which nodes can be part of a fused chain: asked by the passes that form chains and by the compiling of them.
#pragma once

#include <optional>

#include "ir/graph.h"
#include "ops/elementwise.h"
#include "ops/kernel_table.h"
#include "ops/reduce.h"

namespace tracefn {

// Lengths of rows that a chain goes through: longer ones are reduced in parts (kLongestWholeRow).
inline constexpr std::int64_t kShortestRow = 2, kLongestRow = kLongestWholeRow;

// The block kernel of an elementwise node, and the dtype of its result. Nothing for a node that is not elementwise or
// whose dtype has no block kernel.
struct NodeBlock {
  Block block;
  DType result = DType::kInvalid;
};
std::optional<NodeBlock> node_block(const Graph& graph, const Node& node);

// A reduction over trailing axes that are constants. Complex numbers are left out: their sums are made of other parts.
struct TrailingReduction {
  ReduceFunction function = kReduceSum;
  int axes = 0;
  bool keep_dims = false;
};
std::optional<TrailingReduction> trailing_reduction(const Graph& graph, const Node& node);

}  // namespace tracefn
