// Index maps are composed at the elements of arrays.
#include "exec/nest/array_expression.h"

#include <algorithm>

#include "base/check.h"

namespace tracefn {

Dims dense_strides(const Shape& shape) {
  Dims strides(static_cast<std::size_t>(shape.rank()), 1);
  for (int i = shape.rank() - 1; i-- > 0;)
    strides[static_cast<std::size_t>(i)] = strides[static_cast<std::size_t>(i) + 1] * shape[i + 1];
  return strides;
}

bool ArrayExpression::is_dense() const {
  if (kind != kElement) return false;
  const Dims dense = dense_strides(shape);
  for (std::size_t d = 0; d < dense.size(); ++d)
    if (shape[static_cast<int>(d)] > 1 && strides[d] != dense[d]) return false;
  return true;
}

namespace {

// The part of the map that speaks of an operand, whose axes are the last ones and may have size 1.
IndexMap for_operand(const IndexMap& map, const Shape& whole, const Shape& operand) {
  IndexMap out;
  out.to = map.to;
  const int missing = whole.rank() - operand.rank();
  for (int d = 0; d < operand.rank(); ++d) {
    const bool repeats = operand[d] == 1 && whole[d + missing] != 1;
    out.axes.push_back(repeats ? IndexMap::Axis{} : map.axes[static_cast<std::size_t>(d + missing)]);
  }
  return out;
}

std::optional<ArrayExpressionPtr> remapped_pieces(const ArrayExpression& e, const IndexMap& map) {
  const IndexMap::Axis& along = map.axes[static_cast<std::size_t>(e.axis)];
  const std::int64_t size = along.target < 0 ? 1 : map.to[along.target];
  if (along.target >= 0 && size > 1 && along.step != 1) return std::nullopt;
  std::vector<ArrayExpressionPtr> pieces;
  std::vector<std::int64_t> ends;
  std::int64_t start = 0;
  for (std::size_t i = 0; i < e.ends.size(); start = e.ends[i], ++i) {
    const std::int64_t from = std::max(start, along.begin), end = std::min(e.ends[i], along.begin + size);
    if (from >= end) continue;
    IndexMap part = map;
    part.axes[static_cast<std::size_t>(e.axis)].begin = from - start;
    if (along.target >= 0) part.to[along.target] = end - from;
    std::optional<ArrayExpressionPtr> piece = remapped(e.operands[i], part);
    if (!piece) return std::nullopt;
    pieces.push_back(std::move(*piece));
    ends.push_back(end - along.begin);
  }
  return joined(std::move(pieces), std::move(ends), std::max(along.target, 0), map.to);
}

}  // namespace

std::optional<ArrayExpressionPtr> remapped(const ArrayExpressionPtr& e, const IndexMap& map) {
  if (e->kind == ArrayExpression::kScalar) return e;
  TRACEFN_CHECK(static_cast<int>(map.axes.size()) == e->shape.rank());
  if (e->kind == ArrayExpression::kPieces) return remapped_pieces(*e, map);
  auto made = std::make_shared<ArrayExpression>(*e);
  made->shape = map.to;
  made->uses = 1;
  made->left = 0;
  made->made_by = nullptr;
  made->written_as = nullptr;
  if (e->kind == ArrayExpression::kElement) {
    made->strides = Dims(static_cast<std::size_t>(map.to.rank()), 0);
    for (std::size_t d = 0; d < map.axes.size(); ++d) {
      made->offset += map.axes[d].begin * e->strides[d];
      if (map.axes[d].target >= 0)
        made->strides[static_cast<std::size_t>(map.axes[d].target)] += map.axes[d].step * e->strides[d];
    }
    return made;
  }
  for (ArrayExpressionPtr& operand : made->operands) {
    std::optional<ArrayExpressionPtr> moved = remapped(operand, for_operand(map, e->shape, operand->shape));
    if (!moved) return std::nullopt;
    operand = std::move(*moved);
  }
  return made;
}

std::optional<IndexMap> index_map(std::int64_t first, const Dims& strides, const Shape& shape, const Shape& from) {
  IndexMap map;
  map.to = shape;
  const Dims dense = dense_strides(from);
  for (std::size_t s = 0; s < dense.size(); ++s) {
    map.axes.push_back({first / dense[s], -1, 0});
    first %= dense[s];
  }
  for (int d = 0; d < shape.rank(); ++d) {
    const std::int64_t stride = strides[static_cast<std::size_t>(d)], size = shape[d];
    if (size == 1 || stride == 0) continue;
    bool found = false;
    for (std::size_t s = 0; s < dense.size() && !found; ++s) {
      IndexMap::Axis& axis = map.axes[s];
      const std::int64_t step = stride / dense[s], last = axis.begin + step * (size - 1);
      if (stride % dense[s] != 0 || axis.target >= 0 || last < 0 || last >= from[static_cast<int>(s)]) continue;
      axis.target = d;
      axis.step = step;
      found = true;
    }
    if (!found) return std::nullopt;
  }
  return map;
}

ArrayExpressionPtr joined(std::vector<ArrayExpressionPtr> pieces, std::vector<std::int64_t> ends, int axis,
                          const Shape& shape) {
  TRACEFN_CHECK(!pieces.empty() && pieces.size() == ends.size());
  const bool alike = std::ranges::all_of(pieces, [&](const ArrayExpressionPtr& piece) {
    return piece->kind == ArrayExpression::kScalar && pieces[0]->kind == ArrayExpression::kScalar &&
           piece->slot == pieces[0]->slot;
  });
  if (pieces.size() == 1 || alike) return pieces[0];
  auto made = std::make_shared<ArrayExpression>();
  made->kind = ArrayExpression::kPieces;
  made->dtype = pieces[0]->dtype;
  made->shape = shape;
  made->operands.assign(pieces.begin(), pieces.end());
  for (const ArrayExpressionPtr& piece : pieces) made->num_nodes += piece->num_nodes;
  made->axis = axis;
  made->ends = std::move(ends);
  return made;
}

}  // namespace tracefn
