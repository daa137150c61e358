// Which nodes can be part of a fusion group: used by the fusion passes and by the compilation of groups.
#pragma once

#include <optional>

#include "ir/graph.h"
#include "ops/elementwise/elementwise.h"
#include "ops/kernel_table.h"
#include "ops/reduce/reduce.h"

namespace tracefn {

// The maximum row length in a fusion group: longer rows are reduced in parts (kLongestWholeRow).
inline constexpr std::int64_t kShortestRow = 2, kLongestRow = kLongestWholeRow;

// The block kernel of an elementwise node, and the dtype of its result. Nothing if the node is not elementwise or its
// dtype has no block kernel.
struct NodeBlock {
  Block block;
  DType result = DType::kInvalid;
};
std::optional<NodeBlock> node_block(const Graph& graph, const Node& node);

// Whether it has one, for more than scalars: passing these from op to op costs nothing.
bool is_elementwise_array(const Graph& graph, const Node& node);

// A reduction over constant trailing axes. Complex numbers are excluded: their sums use other parts.
struct TrailingReduction {
  ReduceFunction function = kReduceSum;
  int axes = 0;
  bool keep_dims = false;
};
std::optional<TrailingReduction> trailing_reduction(const Graph& graph, const Node& node);

}  // namespace tracefn
