// Rules of ops that move or copy elements.
#include <array>

#include "ops/array/transpose.h"
#include "ops/build.h"
#include "passes/simplify.h"

namespace tracefn::simplify {
namespace {

Replacement handed_on(Rewriter& r, const Node& node) { return first_input(r, node); }

Replacement of_fitting_shape(Rewriter& r, const Node& node) {
  const Shape& shape = r.info(node.inputs[0]).shape;
  return node.attr("shape").shape().is_supertype_of(shape) ? first_input(r, node) : Replacement();
}

// Whether the input has the result's static shape, all of it known.
bool has_shape_of_result(const Rewriter& r, const Node& node) {
  const OutputInfo& info = node.outputs[0];
  return info.shape.is_fully_known() && r.info(node.inputs[0]).shape == info.shape;
}

// A slice with stride one and the full size is the whole tensor, in order.
Replacement whole_slice(Rewriter& r, const Node& node) {
  if (!has_shape_of_result(r, node) || node.attr("new_axis_mask").i() || node.attr("shrink_axis_mask").i()) return {};
  Tensor strides = constant(r, node.inputs[3]);
  return strides.defined() && all_are(strides, 1) ? Replacement{node.inputs[0]} : Replacement();
}

// Any other begin is an error.
Replacement slice_from_start(Rewriter& r, const Node& node) {
  if (!has_shape_of_result(r, node)) return {};
  Tensor begin = constant(r, node.inputs[1]);
  return begin.defined() && all_are(begin, 0) ? Replacement{node.inputs[0]} : Replacement();
}

Replacement whole(Rewriter& r, const Node& node) {
  return has_shape_of_result(r, node) ? Replacement{node.inputs[0]} : Replacement();
}

// Input 1 is a constant that makes the op a no-op: no padding, no repetition, no axis.
template <int kValue>
Replacement without_effect(Rewriter& r, const Node& node) {
  Tensor c = constant(r, node.inputs[1]);
  return c.defined() && all_are(c, kValue) ? first_input(r, node) : Replacement();
}

Replacement no_axes(Rewriter& r, const Node& node) {
  Tensor axes = constant(r, node.inputs[1]);
  return axes.defined() && axes.num_elements() == 0 ? first_input(r, node) : Replacement();
}

// Larger ones are cheaper to compute than to keep; in elementwise ops they become scalars (simplify_broadcasts).
template <int kValue>
Replacement full_of(Rewriter& r, const Node& node) {
  constexpr std::int64_t kMostElements = 64;
  const OutputInfo& info = node.outputs[0];
  if (!is_numeric(info.dtype) || !info.shape.is_fully_known() || info.shape.num_elements() > kMostElements) return {};
  return r.make([&] {
    if (info.shape.is_scalar()) return build::scalar(info.dtype, kValue);
    Operands inputs = {Operand(Tensor::zeros(info.dtype, info.shape))}, outputs;
    eager_target().emit(op_def(*node.op), inputs, node.attrs, {}, outputs);
    return build::constant(outputs[0].tensor);
  });
}

// Folds a transpose of the last two axes into the matmul. (The one rule that changes bits: the matmul may then add in
// another order.)
std::optional<Value> untransposed(const Rewriter& r, Value v) {
  const Node& node = r.producer(v);
  if (node.op->name != "Transpose") return std::nullopt;
  Tensor order = constant(r, node.inputs[1]);
  if (!order.defined() || order.num_elements() < 2) return std::nullopt;
  const std::int64_t rank = order.num_elements();
  for (std::int64_t i = 0; i < rank; ++i) {
    std::int64_t wanted = i < rank - 2 ? i : 2 * rank - 3 - i;
    if (order.int_at(i) != wanted && order.int_at(i) != wanted - rank) return std::nullopt;
  }
  return node.inputs[0];
}

Replacement with_transposed_operands(Rewriter& r, const Node& node, const std::array<const char*, 2>& flags) {
  std::array<bool, 2> flipped{};
  SmallVector<Value, 3> inputs = node.inputs;
  for (std::size_t i = 0; i < 2; ++i) {
    std::optional<Value> x = untransposed(r, inputs[i]);
    if (!x) continue;
    inputs[i] = *x;
    flipped[i] = true;
  }
  if (!flipped[0] && !flipped[1]) return {};
  return r.make([&] {
    AttrList attrs = node.attrs;
    for (std::size_t i = 0; i < 2; ++i) {
      Attr& flag = attrs[static_cast<std::size_t>(node.op->attr_index(flags[i]))];
      flag = flag.b() != flipped[i];
    }
    Operands operands = {r.operand(inputs[0]), r.operand(inputs[1])}, outputs;
    emit(op_def(*node.op), operands, std::move(attrs), outputs);
    return outputs[0];
  });
}

Replacement matmul(Rewriter& r, const Node& node) {
  return with_transposed_operands(r, node, {"transpose_a", "transpose_b"});
}

// The matmul's flags cover the conjugate, too.
Replacement batch_matmul(Rewriter& r, const Node& node) {
  if (is_complex(node.outputs[0].dtype)) return {};
  return with_transposed_operands(r, node, {"adj_x", "adj_y"});
}

}  // namespace

void add_arrays(Rules& rules) {
  for (const char* op : {"Identity", "StopGradient", "PreventGradient", "Snapshot"}) add(rules, op, handed_on);
  add(rules, "EnsureShape", of_fitting_shape);
  add(rules, "StridedSlice", whole_slice);
  add(rules, "Slice", slice_from_start);
  add(rules, "BroadcastTo", whole);
  add(rules, "Pad", without_effect<0>);
  add(rules, "PadV2", without_effect<0>);
  add(rules, "Tile", without_effect<1>);
  for (const char* op : {"ReverseV2", "Sum", "Mean", "Max", "Min", "Prod", "All", "Any"}) add(rules, op, no_axes);
  add(rules, "ZerosLike", full_of<0>);
  add(rules, "OnesLike", full_of<1>);
  add(rules, "MatMul", matmul);
  add(rules, "BatchMatMulV2", batch_matmul);
}

}  // namespace tracefn::simplify
