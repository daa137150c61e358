// Shape arithmetic and repeated tensors: what gradients of functions with an unknown batch size are full of.
#include <cmath>

#include "passes/ops_text.h"

namespace tracefn::test {
namespace {

Operand shape_of(const Operand& x) { return emit1("Shape", {x}); }

Tensor numbers(Shape shape) {
  Tensor t(DType::kFloat, std::move(shape));
  for (std::int64_t i = 0; i < t.num_elements(); ++i)
    t.mutable_data<float>()[i] = std::sin(static_cast<float>(3 * i + 1));
  return t;
}

TEST(simplify_shapes_answers_what_static_shapes_say) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({2, 3}));
  make.output(shape_of(x));
  make.output(emit1("Size", {x}));
  make.output(emit1("Rank", {x}));
  CHECK_EQ(ops_after(kSimplifyShapes, make.graph()), "");
  check_same_results(make.graph(), {numbers({2, 3})});
}

TEST(simplify_shapes_knows_dimensions_by_symbol) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({-1, 3}));
  Operand y = emit1("Exp", {x});
  make.output(build::reshape(y, shape_of(x)));
  make.output(emit1("BroadcastTo", {x, shape_of(y)}));
  CHECK_EQ(ops_after(kSimplifyShapes, make.graph()), "Exp");
  check_same_results(make.graph(), {numbers({5, 3})});
}

TEST(simplify_shapes_keeps_what_may_differ) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({-1})), y = make.input(DType::kFloat, Shape({-1}), "y");
  make.output(build::reshape(x, shape_of(y)));
  Operand sum = x + y;
  make.output(build::reshape(sum, shape_of(x)));
  CHECK_EQ(ops_after(kSimplifyShapes, make.graph()), "Shape Reshape AddV2 Shape Reshape");
}

TEST(simplify_shapes_finds_the_axes_of_gradients) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({-1, 3})), w = make.input(DType::kFloat, Shape({3}), "w");
  Operand product = x * w;
  make.output(build::unbroadcast(product, x, w));
  make.output(build::unbroadcast(product, w, x));
  CHECK_EQ(ops_after(kSimplifyShapes, make.graph()), "Mul Sum");
  std::shared_ptr<const Graph> all = optimize(make.graph(), kVerified);
  CHECK_EQ(ops(*all), "Mul Sum");
  check_same_results(make.graph(), {numbers({5, 3}), numbers({3})});
}

TEST(simplify_shapes_keeps_reduced_axes) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({-1, 3}));
  Operand kept = build::sum(x, build::ints({1}), true);
  make.output(build::reshape(build::sum(x, build::ints({1})), shape_of(kept)));
  CHECK_EQ(ops_after(kSimplifyShapes, make.graph()), "Sum");
  check_same_results(make.graph(), {numbers({5, 3})});
}

TEST(simplify_shapes_knows_what_a_mean_divides_by) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({-1, 3}));
  Operand mean = emit1("Mean", {x, build::ints({1})}, {{"keep_dims", true}});
  Operand one = build::scalar(DType::kInt32, 1);
  Operand ratio = emit1("FloorDiv", {emit1("Size", {x}), emit1("Maximum", {emit1("Size", {mean}), one})});
  make.output(mean / build::cast(ratio, DType::kFloat));
  CHECK_EQ(ops_after(kSimplifyShapes, make.graph()), "Mean Cast RealDiv");
  check_same_results(make.graph(), {numbers({5, 3})});
  check_same_results(make.graph(), {numbers({0, 3})});
}

TEST(simplify_shapes_adds_equal_shapes_one_by_one) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({-1, 3}));
  Operand y = emit1("Exp", {x});
  Operand all[] = {x, y, x};
  make.output(emit_all("AddN", all)[0]);
  CHECK_EQ(ops_after(kSimplifyShapes, make.graph()), "Exp AddV2 AddV2");
  check_same_results(make.graph(), {numbers({5, 3})});
}

TEST(simplify_broadcasts_lets_ops_repeat) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({-1, 3})), s = make.input(DType::kFloat, Shape({1, 1}), "s");
  make.output(emit1("BroadcastTo", {s, shape_of(x)}) * x);
  make.output(emit1("Fill", {shape_of(x), real(2)}) + x);
  make.output(emit1("OnesLike", {x}) / x);
  CHECK_EQ(ops_after(kSimplifyBroadcasts, make.graph()), "Reshape Mul AddV2 RealDiv");
  check_same_results(make.graph(), {numbers({5, 3}), numbers({1, 1})});
}

TEST(simplify_broadcasts_does_the_op_first) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({-1, 3})), s = make.input(DType::kFloat, Shape({3}), "s");
  make.output(-emit1("BroadcastTo", {s, shape_of(x)}) / real(3));
  std::shared_ptr<const Graph> all = optimize(make.graph(), kVerified);
  CHECK_EQ(ops(*all), "Shape (Neg RealDiv) BroadcastTo");
  check_same_results(make.graph(), {numbers({5, 3}), numbers({3})});
}

TEST(simplify_broadcasts_keeps_results_of_their_shape) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({-1, 3})), y = make.input(DType::kFloat, Shape({-1, 3}), "y");
  make.output(emit1("BroadcastTo", {real(2), shape_of(x)}) * y);  // y may have one row, and x more
  CHECK_EQ(ops_after(kSimplifyBroadcasts, make.graph()), "Shape BroadcastTo Mul");
}

}  // namespace
}  // namespace tracefn::test
