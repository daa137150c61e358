// Comparisons. Equal and NotEqual take quantized integers and strings too, and, if asked to, any shapes.
#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/elementwise_record.h"
#include "ops/type_sets.h"
#include "tensor/stored_types.h"

namespace tracefn {
namespace {

// Without an error for incompatible shapes, an unknown dimension against a known one that is not 1 leaves it open
// whether the result is a scalar. Two unknown ones are taken to fit, as in TensorFlow.
Shape equality_shape(const Shape& x, const Shape& y) {
  if (!x.has_rank() || !y.has_rank()) return Shape::unknown();
  for (int k = std::min(x.rank(), y.rank()); k >= 1; --k) {
    std::int64_t a = x[x.rank() - k], b = y[y.rank() - k];
    if (a == 1 || b == 1 || (a < 0 && b < 0)) continue;
    if (a < 0 || b < 0) return Shape::unknown();
    if (a != b) return Shape();
  }
  return broadcast(x, y);
}

void infer_equality(InferContext& c) {
  if (c.attr("incompatible_shape_error").b()) return infer::broadcast_all(c);
  c.set_output(0, equality_shape(c.shape(0), c.shape(1)));
}

// Strings, quantized integers, and shapes that do not broadcast.
template <bool equal>
void equality_kernel(KernelContext& c) {
  const Tensor &x = c.input(0), &y = c.input(1);
  if (!c.attr("incompatible_shape_error").b() && !can_broadcast(x.shape(), y.shape())) {
    c.set_output(0, Tensor::scalar(!equal));
    return;
  }
  if (is_quantized(x.dtype())) {
    const Tensor a = numbers_of(x), b = numbers_of(y);
    TensorRef operands[] = {borrowed(a), borrowed(b)};
    using Function = std::conditional_t<equal, functions::Equal, functions::NotEqual>;
    return run_spec(c, block_of<Function, 3>, operands, c.output(0), DType::kBool);
  }
  run_strings<bool>(c, [](const std::string& a, const std::string& b) { return (a == b) == equal; });
}

void approximate_equal(KernelContext& c) {
  const Shape &x = c.input(0).shape(), &y = c.input(1).shape();
  if (!(x == y)) invalid_argument("x and y must be of the same shape. x shape: ", x.text(), ". y shape: ", y.text());
  Tensor tolerance = build::scalar_tensor(c.input(0).dtype(), static_cast<double>(c.attr("tolerance").f()));
  TensorRef operands[] = {c.operands()[0], c.operands()[1], {&tolerance, false}};
  run_spec(c, block_of<functions::ApproximateEqual>, operands, c.output(0), DType::kBool);
}

void add_order(Registry& r, std::string_view name, std::string_view python, std::string_view alias,
               std::string_view what, const BlockSpec* block) {
  std::string doc =
      concat(what, ", elementwise.\n\nx and y are broadcast together. The result is False where either is NaN.");
  add_binary(r, {.name = name,
                 .python = python,
                 .aliases = {alias},
                 .outputs = {"z: bool"},
                 .attrs = {kOrdered},
                 .doc = doc,
                 .block = block,
                 .grad = not_differentiable});
}

}  // namespace

void register_compare(Registry& r) {
  r.add({
      .name = "Equal",
      .python = "math.equal(x, y)",
      .aliases = {"equal"},
      .inputs = {"x: T", "y: T"},
      .outputs = {"z: bool"},
      .attrs = {"T: type", "incompatible_shape_error: bool = true"},
      .commutative = true,
      .doc = "x == y, elementwise.\n\nx and y are broadcast together. If incompatible_shape_error is False, shapes "
             "that do not broadcast give a scalar False instead of an error.",
      .infer = infer_equality,
      .kernel = equality_kernel<true>,
      .block = &block_of<functions::Equal, 3>,
      .grad = not_differentiable,
  });
  r.add({
      .name = "NotEqual",
      .python = "math.not_equal(x, y)",
      .aliases = {"not_equal"},
      .inputs = {"x: T", "y: T"},
      .outputs = {"z: bool"},
      .attrs = {"T: type", "incompatible_shape_error: bool = true"},
      .commutative = true,
      .doc = "x != y, elementwise.\n\nx and y are broadcast together. If incompatible_shape_error is False, shapes "
             "that do not broadcast give a scalar True instead of an error.",
      .infer = infer_equality,
      .kernel = equality_kernel<false>,
      .block = &block_of<functions::NotEqual, 3>,
      .grad = not_differentiable,
  });
  add_order(r, "Less", "math.less(x, y)", "less", "x < y", &block_of<functions::Less, 3>);
  add_order(r, "LessEqual", "math.less_equal(x, y)", "less_equal", "x <= y", &block_of<functions::LessEqual, 3>);
  add_order(r, "Greater", "math.greater(x, y)", "greater", "x > y", &block_of<functions::Greater, 3>);
  add_order(r, "GreaterEqual", "math.greater_equal(x, y)", "greater_equal", "x >= y",
            &block_of<functions::GreaterEqual, 3>);
  r.add({
      .name = "ApproximateEqual",
      .inputs = {"x: T", "y: T"},
      .outputs = {"z: bool"},
      .attrs = {"T: " TRACEFN_NUMBERS, "tolerance: float = 0.00001"},
      .commutative = true,
      .doc = "|x - y| < tolerance, elementwise.\n\nx and y must have the same shape.",
      .infer = [](InferContext& c) { c.set_output(0, merge_or_explain(c.shape(0), c.shape(1))); },
      .kernel = approximate_equal,
      .allocation = Allocation::kShared,
      .grad = not_differentiable,
  });
}

}  // namespace tracefn
