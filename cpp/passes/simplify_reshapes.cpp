// Rules of ops that change the shape or the order of axes.
#include "ops/build.h"
#include "passes/simplify.h"

namespace tracefn::simplify {
namespace {

bool reshapes(const Node& node) {
  return node.op->name == "Reshape" || node.op->name == "ExpandDims" || node.op->name == "Squeeze";
}

// Whether tensors of equal size that both fit the static shape must have the same shape: at most one dimension is
// unknown, and the others determine it.
bool leaves_no_choice(const Shape& shape) {
  if (!shape.has_rank()) return false;
  int open = 0;
  for (std::int64_t d : shape.dims()) {
    if (d == 0) return shape.is_fully_known();
    open += d < 0;
  }
  return open <= 1;
}

std::int64_t product_of_known(const Shape& shape) {
  std::int64_t n = 1;
  for (std::int64_t d : shape.dims())
    if (d >= 0 && __builtin_mul_overflow(n, d, &n)) return 0;
  return n;
}

// A computed size may not fit the tensor, which is an error.
bool has_given_shape(const Rewriter& r, const Node& node) {
  return node.op->name == "Reshape" ? constant(r, node.inputs[1]).defined() : reshapes(node);
}

// The source of a chain of reshapes that ends in its original shape and in which none can fail.
Replacement back_to_the_source(Rewriter& r, const Node& node) {
  const OutputInfo& out = node.outputs[0];
  if (!has_given_shape(r, node) || !leaves_no_choice(out.shape)) return {};
  const std::int64_t elements = product_of_known(out.shape);
  Value v = node.inputs[0];
  for (;;) {
    const Shape& shape = r.info(v).shape;
    if (shape == out.shape) return {v};
    if (!has_given_shape(r, r.producer(v)) || !leaves_no_choice(shape)) return {};
    const std::int64_t step = product_of_known(shape);
    if (step == 0 || elements % step != 0) return {};
    v = r.producer(v).inputs[0];
  }
}

// The second of two reshapes, if the first cannot fail.
Replacement over_another(Rewriter& r, const Node& node) {
  const Node& inner = r.producer(node.inputs[0]);
  if (!reshapes(inner)) return {};
  const Shape& before = r.info(inner.inputs[0]).shape;
  const bool sure =
      inner.op->name == "ExpandDims" || (inner.outputs[0].shape.is_fully_known() && before.is_fully_known());
  if (!sure) return {};
  return r.make([&] { return build::reshape(r.operand(inner.inputs[0]), r.operand(node.inputs[1])); });
}

std::optional<std::vector<std::int32_t>> order_of(const Rewriter& r, Value v) {
  Tensor order = constant(r, v);
  if (!order.defined()) return std::nullopt;
  std::vector<std::int32_t> axes;
  const std::int64_t rank = order.num_elements();
  for (std::int64_t i = 0; i < rank; ++i) {
    std::int64_t axis = order.int_at(i) < 0 ? order.int_at(i) + rank : order.int_at(i);
    if (axis < 0 || axis >= rank) return std::nullopt;
    axes.push_back(static_cast<std::int32_t>(axis));
  }
  return axes;
}

Replacement transpose(Rewriter& r, const Node& node) {
  auto order = order_of(r, node.inputs[1]);
  if (!order) return {};
  bool in_place = true;
  for (std::size_t i = 0; i < order->size(); ++i) in_place &= (*order)[i] == static_cast<std::int32_t>(i);
  if (in_place) return first_input(r, node);
  const Node& inner = r.producer(node.inputs[0]);
  if (inner.op != node.op) return {};
  auto before = order_of(r, inner.inputs[1]);
  if (!before || before->size() != order->size()) return {};
  std::vector<std::int32_t> both;
  bool restores = true;
  for (std::size_t i = 0; i < order->size(); ++i) {
    both.push_back((*before)[static_cast<std::size_t>((*order)[i])]);
    restores &= both.back() == static_cast<std::int32_t>(i);
  }
  if (restores && says_as_much(r, inner.inputs[0], node.outputs[0])) return {inner.inputs[0]};
  return r.make([&] { return emit1("Transpose", {r.operand(inner.inputs[0]), build::ints(both)}); });
}

}  // namespace

void add_reshapes(Rules& rules) {
  for (const char* op : {"Reshape", "ExpandDims", "Squeeze"}) add(rules, op, back_to_the_source);
  add(rules, "Reshape", over_another);
  add(rules, "Transpose", transpose);
}

}  // namespace tracefn::simplify
