// Each pass on a small graph, compared as printed text; the verifier before and after.
#include "passes/ops_text.h"

namespace tracefn::test {
namespace {

std::string after(const Pass& pass, const std::shared_ptr<Graph>& graph) { return print(*passed(pass, graph)); }

TEST(drop_dead_keeps_arguments_and_effects) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape());
  (void)make.input(DType::kFloat, Shape(), "unused");
  (void)(x * x);
  make.output(x + x);
  CHECK_EQ(after(kDropDead, make.graph()),
           "graph f(x:0, unused:0) -> (AddV2:0)\n"
           "  %0 x = Placeholder[dtype=DT_FLOAT, shape=[]]() : float32[]\n"
           "  %1 unused = Placeholder[dtype=DT_FLOAT, shape=[]]() : float32[]\n"
           "  %2 AddV2 = AddV2[T=DT_FLOAT](x:0, x:0) : float32[]\n");
}

TEST(fold_constants_folds_chains) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape());
  Operand c = build::constant(f32(2)) * build::constant(f32(3));
  make.output(x + (c + c));
  std::string text = after(kDropDead, passed(kFoldConstants, make.graph()));
  CHECK_EQ(text,
           "graph f(x:0) -> (AddV2_1:0)\n"
           "  %0 x = Placeholder[dtype=DT_FLOAT, shape=[]]() : float32[]\n"
           "  %1 AddV2 = Const[value=" +
               Attr(f32(12)).text() +
               ", dtype=DT_FLOAT]() : float32[]\n"
               "  %2 AddV2_1 = AddV2[T=DT_FLOAT](x:0, AddV2:0) : float32[]\n");
  CHECK_EQ(run_graph(std::const_pointer_cast<Graph>(optimize(make.graph(), kVerified)), {f32(1)})[0].item<float>(),
           13.0f);
}

TEST(fold_constants_leaves_big_and_failing_nodes) {
  GraphMaker make;
  make.output(emit1("Fill", {build::ints({1000, 1000}), build::constant(f32(1))}));
  make.output(emit1("StringToNumber", {build::constant(Tensor::scalar(std::string("abc")))}));
  std::shared_ptr<Graph> folded = passed(kFoldConstants, make.graph());
  verify(*folded);
  CHECK(folded->node(folded->outputs[0].node).op->name == "Fill");
  CHECK(folded->node(folded->outputs[1].node).op->name == "StringToNumber");
}

TEST(merge_common_compares_attributes_by_value) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({2, 2}));
  auto product = [&](bool transpose) { return emit1("MatMul", {x, x}, {{"transpose_a", transpose}}); };
  make.output(product(false) + product(false));
  make.output(product(true));
  CHECK_EQ(after(kMergeCommon, make.graph()),
           "graph f(x:0) -> (AddV2:0, MatMul_2:0)\n"
           "  %0 x = Placeholder[dtype=DT_FLOAT, shape=[2,2]]() : float32[2,2]\n"
           "  %1 MatMul = MatMul[transpose_a=false, transpose_b=false, T=DT_FLOAT, grad_a=false, grad_b=false]"
           "(x:0, x:0) : float32[2,2]\n"
           "  %2 AddV2 = AddV2[T=DT_FLOAT](MatMul:0, MatMul:0) : float32[2,2]\n"
           "  %3 MatMul_2 = MatMul[transpose_a=true, transpose_b=false, T=DT_FLOAT, grad_a=false, grad_b=false]"
           "(x:0, x:0) : float32[2,2]\n");
}

TEST(merge_common_never_merges_effects_or_arguments) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape()), y = make.input(DType::kFloat, Shape());
  for (int i = 0; i < 2; ++i) {
    Operand handle = emit1("VarHandleOp", {}, {{"dtype", DType::kFloat}, {"shape", Shape()}});
    make.output(handle);
  }
  make.output(x + y);
  std::shared_ptr<Graph> merged = passed(kMergeCommon, make.graph());
  CHECK(!(merged->outputs[0] == merged->outputs[1]));
  CHECK(!(merged->inputs[0] == merged->inputs[1]));
}

TEST(optimize_reaches_bodies) {
  GraphMaker body("g");
  Operand x = body.input(DType::kFloat, Shape());
  body.output(x * (build::constant(f32(2)) + build::constant(f32(3))));
  std::shared_ptr<const Graph> result;
  {
    GraphMaker make;
    Operand inputs[] = {make.input(DType::kFloat, Shape())};
    FuncRef f{"g", body.graph()};
    make.output(emit_all("PartitionedCall", inputs, {{"f", f}, {"Tout", std::vector<DType>{DType::kFloat}}})[0]);
    // Else the call is put in place.
    result = optimize(make.graph(), {.off = kFunctionOptimization, .min_graph_nodes = 0, .verified = true});
  }
  const Node& call = result->node(result->outputs[0].node);
  CHECK_EQ(call.attr("f").func().body->size(), 3);
  CHECK_EQ(run_graph(std::const_pointer_cast<Graph>(result), {f32(2)})[0].item<float>(), 10.0f);
}

}  // namespace
}  // namespace tracefn::test
