// Fuses row reductions with what reads their results (a softmax, a normalization) into functions that run row by row
// (exec/fusion/fusion_group.h).
#include <algorithm>

#include "ops/fusable.h"
#include "passes/outline.h"
#include "passes/pass.h"

namespace tracefn {
namespace {

// The shapes of a row-wise fusion group: of the elements, and of one number per row with the reduced axes kept or
// dropped.
struct RowShapes {
  int axes = 0;
  Shape elements, kept, dropped;

  bool has(const Shape& shape) const { return shape == elements || shape == kept || shape == dropped; }
};

std::optional<RowShapes> row_shapes(const Graph& graph, const Node& reduction) {
  std::optional<TrailingReduction> found = trailing_reduction(graph, reduction);
  if (!found) return std::nullopt;
  RowShapes shapes;
  shapes.axes = found->axes;
  shapes.elements = graph.info(reduction.inputs[0]).shape;
  const int first = shapes.elements.rank() - found->axes;
  std::int64_t n = 1;
  bool known = true;
  for (int axis = 0; axis < shapes.elements.rank(); ++axis) {
    std::int64_t dim = shapes.elements[axis];
    shapes.kept.push_back(axis < first ? dim : 1);
    if (axis < first) {
      shapes.dropped.push_back(dim);
    } else if (dim == kUnknownDim) {
      known = false;
    } else if (__builtin_mul_overflow(n, dim, &n)) {
      return std::nullopt;
    }
  }
  // A length not yet known is checked when the function runs.
  if (n > kLongestRow || (known && n < kShortestRow)) return std::nullopt;
  return shapes;
}

class RowSearch {
 public:
  explicit RowSearch(const Graph& graph)
      : graph_(graph), search_(graph), made_of_reduction_(static_cast<std::size_t>(graph.size()), 0) {
    for (NodeId id : search_.order()) {
      const Node& node = graph.node(id);
      bool made = search_.is_free(id) && reduces(id);
      if (!made && search_.is_free(id) && node_block(graph, node))
        for (Value v : node.inputs) made |= made_of_reduction(v.node);
      made_of_reduction_[static_cast<std::size_t>(id)] = made;
    }
  }

  std::vector<Group> groups() {
    std::vector<Group> groups;
    for (std::size_t i = search_.order().size(); i-- > 0;) {
      NodeId root = search_.order()[i];
      if (!search_.is_free(root) || !made_of_reduction(root)) continue;
      std::optional<RowShapes> shapes = shapes_above(root);
      if (!shapes || !shapes->has(graph_.node(root).outputs[0].shape)) continue;
      Group group = search_.grow(root, [&](NodeId id) { return belongs(id, *shapes); });
      // A reduction at the end counts if it reads what is made of another one: a variance.
      if (std::none_of(group.members.begin(), group.members.end(),
                       [&](NodeId id) { return id != root && reduces(id); }))
        continue;
      search_.claim(group);
      groups.push_back(std::move(group));
    }
    return groups;
  }

 private:
  // How far above its result a reduction is searched for.
  static constexpr int kMostLooked = 64;

  bool reduces(NodeId id) const { return trailing_reduction(graph_, graph_.node(id)).has_value(); }

  bool made_of_reduction(NodeId id) const { return made_of_reduction_[static_cast<std::size_t>(id)]; }

  bool belongs(NodeId id, const RowShapes& shapes) const {
    const Node& node = graph_.node(id);
    if (auto reduction = trailing_reduction(graph_, node))
      return reduction->axes == shapes.axes && graph_.info(node.inputs[0]).shape == shapes.elements;
    const Shape& shape = node.outputs[0].shape;
    return node_block(graph_, node) && (shape == shapes.elements || (made_of_reduction(id) && shapes.has(shape)));
  }

  // The shapes of the nearest reduction that reaches the node through elementwise ops.
  std::optional<RowShapes> shapes_above(NodeId root) const {
    std::vector<NodeId> looked = {root};
    for (std::size_t i = 0; i < looked.size() && i < kMostLooked; ++i) {
      const Node& node = graph_.node(looked[i]);
      if (auto shapes = row_shapes(graph_, node)) return shapes;
      if (!made_of_reduction(looked[i])) continue;
      for (Value v : node.inputs)
        if (search_.is_free(v.node) && std::find(looked.begin(), looked.end(), v.node) == looked.end())
          looked.push_back(v.node);
    }
    return std::nullopt;
  }

  const Graph& graph_;
  GroupSearch search_;
  std::vector<char> made_of_reduction_;  // by node: through elementwise ops
};

std::shared_ptr<Graph> fuse_rows(const Graph& graph) {
  bool any = false;
  for (NodeId id = 0; id < graph.size() && !any; ++id) any = row_shapes(graph, graph.node(id)).has_value();
  if (!any) return nullptr;
  // If the rows turn out not to fit, the function runs op by op: at least its elementwise groups are fused.
  return outline(graph, RowSearch(graph).groups(), "rows", NodeForm::kFusionGroup, &kFuseElementwise);
}

}  // namespace

const Pass kFuseRows{"fuse_rows", "rows of a normalization stay in the cache from one op to the next", kRemapping,
                     fuse_rows};

}  // namespace tracefn
