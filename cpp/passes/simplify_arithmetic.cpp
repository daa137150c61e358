// Rules of elementwise ops. IEEE 754 decides: x + 0.0 stays, since it turns -0.0 into 0.0, while x - 0.0 goes. (With
// subnormals flushed, a removed op does not flush its operand.)
#include <cmath>

#include "ops/build.h"
#include "passes/simplify.h"

namespace tracefn::simplify {
namespace {

bool is_real(DType dtype) { return is_floating(dtype) || is_integer(dtype); }

// If one operand is a constant of all `value` and the other determines the shape: the other.
std::optional<Value> other_than(const Rewriter& r, const Node& node, double value, bool either_side) {
  for (std::size_t i = either_side ? 0 : 1; i < 2; ++i) {
    Tensor c = constant(r, node.inputs[i]);
    Value x = node.inputs[1 - i];
    if (c.defined() && keeps_shape(r, x, c.shape()) && all_are(c, value) && says_as_much(r, x, node.outputs[0]))
      return x;
  }
  return std::nullopt;
}

Replacement as(std::optional<Value> v) { return v ? Replacement{*v} : Replacement(); }

Replacement times_one(Rewriter& r, const Node& node) { return as(other_than(r, node, 1, true)); }

Replacement times_minus_one(Rewriter& r, const Node& node) {
  DType dtype = node.outputs[0].dtype;
  if (!is_floating(dtype) && !is_signed_integer(dtype)) return {};
  std::optional<Value> x = other_than(r, node, -1, true);
  if (!x) return {};
  return r.make([&] { return build::neg(r.operand(*x)); });
}

Replacement times_itself(Rewriter& r, const Node& node) {
  DType dtype = node.outputs[0].dtype;
  if (!(node.inputs[0] == node.inputs[1]) || (!is_floating(dtype) && dtype != DType::kInt32 && dtype != DType::kInt64))
    return {};
  return r.make([&] { return emit1("Square", {r.operand(node.inputs[0])}); });
}

Replacement plus_nothing(Rewriter& r, const Node& node) {
  return as(other_than(r, node, is_floating(node.outputs[0].dtype) ? -0.0 : 0.0, true));
}

Replacement minus_nothing(Rewriter& r, const Node& node) { return as(other_than(r, node, 0.0, false)); }

Replacement over_one(Rewriter& r, const Node& node) { return as(other_than(r, node, 1, false)); }

std::optional<Value> negated(const Rewriter& r, Value v) {
  const Node& node = r.producer(v);
  if (node.op->name != "Neg") return std::nullopt;
  return node.inputs[0];
}

// a + (-b) is a - b, and a - (-b) is a + b.
Replacement plus_negated(Rewriter& r, const Node& node) {
  for (std::size_t i : {1, 0}) {
    std::optional<Value> x = negated(r, node.inputs[i]);
    if (!x) continue;
    return r.make([&] { return build::sub(r.operand(node.inputs[1 - i]), r.operand(*x)); });
  }
  return {};
}

Replacement minus_negated(Rewriter& r, const Node& node) {
  std::optional<Value> x = negated(r, node.inputs[1]);
  if (!x) return {};
  return r.make([&] { return build::add(r.operand(node.inputs[0]), r.operand(*x)); });
}

template <typename T>
std::optional<Tensor> exact_reciprocals(const Tensor& t) {
  Tensor out(t.dtype(), t.shape());
  T* to = out.mutable_data<T>();
  for (T x : t.span<T>()) {
    int exponent;
    if (!std::isnormal(x) || std::abs(std::frexp(x, &exponent)) != T(0.5) || !std::isnormal(1 / x)) return std::nullopt;
    *to++ = 1 / x;
  }
  return out;
}

// Division by a power of two is multiplication by its reciprocal, which is exact.
Replacement over_power_of_two(Rewriter& r, const Node& node) {
  Tensor c = constant(r, node.inputs[1]);
  if (!c.defined() || c.num_elements() == 0) return {};
  std::optional<Tensor> factor;
  if (c.dtype() == DType::kFloat) factor = exact_reciprocals<float>(c);
  if (c.dtype() == DType::kDouble) factor = exact_reciprocals<double>(c);
  if (!factor) return {};
  return r.make([&] { return build::mul(r.operand(node.inputs[0]), build::constant(*factor)); });
}

// Only for a scalar exponent: the kernel squares by multiplication then.
Replacement power(Rewriter& r, const Node& node) {
  Tensor c = constant(r, node.inputs[1]);
  if (!c.defined() || !is_real(c.dtype())) return {};
  Value x = node.inputs[0];
  if (all_are(c, 1) && keeps_shape(r, x, c.shape()) && says_as_much(r, x, node.outputs[0])) return {x};
  if ((c.dtype() != DType::kFloat && c.dtype() != DType::kDouble) || !c.shape().is_scalar() || !all_are(c, 2))
    return {};
  return r.make([&] { return emit1("Square", {r.operand(x)}); });
}

// f(f(x)) is x.
Replacement inverse_of_itself(Rewriter& r, const Node& node) {
  const Node& inner = r.producer(node.inputs[0]);
  if (inner.op != node.op || !says_as_much(r, inner.inputs[0], node.outputs[0])) return {};
  return {inner.inputs[0]};
}

// f(f(x)) is f(x).
Replacement idempotent(Rewriter& r, const Node& node) {
  return r.producer(node.inputs[0]).op == node.op ? first_input(r, node) : Replacement();
}

// max or min of x and x; x and x, x or x.
Replacement both_the_same(Rewriter& r, const Node& node) {
  return node.inputs[0] == node.inputs[1] ? first_input(r, node) : Replacement();
}

// x and true, x or false: x. x and false, x or true: the constant, where it has the shape.
template <bool neutral>
Replacement logical(Rewriter& r, const Node& node) {
  if (auto x = other_than(r, node, neutral, true)) return {*x};
  for (std::size_t i = 0; i < 2; ++i) {
    Tensor c = constant(r, node.inputs[i]);
    if (c.defined() && all_are(c, !neutral) && c.shape() == node.outputs[0].shape) return {node.inputs[i]};
  }
  return {};
}

// Whether every value of `from` is one of `to`.
bool holds_exactly(DType from, DType to) {
  if (from == to) return true;
  if (from == DType::kBool) return is_floating(to) || is_integer(to);
  const auto bits = [](DType d) { return static_cast<int>(size_of(d)) * 8; };
  if (is_integer(from) && is_integer(to)) {
    if (is_signed_integer(from)) return is_signed_integer(to) && bits(from) < bits(to);
    return bits(from) < bits(to);
  }
  if (is_integer(from) && to == DType::kDouble) return bits(from) <= 32;
  if (is_integer(from) && to == DType::kFloat) return bits(from) <= 16;
  if (from == DType::kHalf || from == DType::kBFloat16) return to == DType::kFloat || to == DType::kDouble;
  return from == DType::kFloat && to == DType::kDouble;
}

Replacement cast(Rewriter& r, const Node& node) {
  const DType to = node.outputs[0].dtype;
  if (node.attr("Truncate").b()) return {};
  if (r.info(node.inputs[0]).dtype == to) return first_input(r, node);
  const Node& inner = r.producer(node.inputs[0]);
  if (inner.op != node.op || inner.attr("Truncate").b()) return {};
  const Value x = inner.inputs[0];
  const DType from = r.info(x).dtype;
  if (!holds_exactly(from, inner.outputs[0].dtype)) return {};
  if (from == to) return says_as_much(r, x, node.outputs[0]) ? Replacement{x} : Replacement();
  // Which values are out of range depends on the intermediate type.
  if (!is_floating(to) && !(is_integer(to) && (is_integer(from) || from == DType::kBool))) return {};
  return r.make([&] { return build::cast(r.operand(x), to); });
}

// A select whose condition is a constant with all elements equal.
Replacement select(Rewriter& r, const Node& node) {
  Tensor c = constant(r, node.inputs[0]);
  const bool alike = node.inputs[1] == node.inputs[2];
  if (!c.defined() && !alike) return {};
  for (bool side : {true, false}) {
    if (!alike && (c.num_elements() == 0 || !all_are(c, side))) continue;
    const Value taken = node.inputs[side ? 1 : 2], left = node.inputs[side ? 2 : 1];
    const bool keeps = node.op->name == "Select" || (keeps_shape(r, taken, r.info(left).shape) &&
                                                     keeps_shape(r, taken, r.info(node.inputs[0]).shape));
    return keeps && says_as_much(r, taken, node.outputs[0]) ? Replacement{taken} : Replacement();
  }
  return {};
}

Replacement sum_of_one(Rewriter& r, const Node& node) {
  return node.inputs.size() == 1 ? first_input(r, node) : Replacement();
}

}  // namespace

void add_arithmetic(Rules& rules) {
  add(rules, "Mul", times_one);
  add(rules, "Mul", times_minus_one);
  add(rules, "Mul", times_itself);
  for (const char* op : {"Add", "AddV2"}) {
    add(rules, op, plus_nothing);
    add(rules, op, plus_negated);
  }
  add(rules, "Sub", minus_nothing);
  add(rules, "Sub", minus_negated);
  add(rules, "RealDiv", over_one);
  add(rules, "RealDiv", over_power_of_two);
  add(rules, "Pow", power);
  for (const char* op : {"Neg", "LogicalNot", "Invert", "Conj"}) add(rules, op, inverse_of_itself);
  for (const char* op : {"Abs", "Relu", "Relu6", "Floor", "Ceil", "Rint", "Sign"}) add(rules, op, idempotent);
  for (const char* op : {"Maximum", "Minimum", "LogicalAnd", "LogicalOr"}) add(rules, op, both_the_same);
  add(rules, "LogicalAnd", logical<true>);
  add(rules, "LogicalOr", logical<false>);
  add(rules, "Cast", cast);
  add(rules, "Select", select);
  add(rules, "SelectV2", select);
  add(rules, "AddN", sum_of_one);
}

}  // namespace tracefn::simplify
