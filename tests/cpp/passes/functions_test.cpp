// Functions put in place: calls, decided branches, loops without iterations, and what loops compute again in each
// iteration.
#include <cmath>

#include "exec/scalar/scalar_loop.h"
#include "passes/loops.h"
#include "passes/ops_text.h"

namespace tracefn::test {
namespace {

Operand call(const std::vector<Operand>& args, const Body& body) {
  FuncRef f = function("g", args, body);
  return emit_all("PartitionedCall", args, {{"f", f}, {"Tout", std::vector<DType>{args[0].dtype()}}})[0];
}

TEST(inline_calls_puts_functions_in_place) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({2}));
  auto inner = [](const std::vector<Operand>& a) { return std::vector<Operand>{emit1("Exp", {a[0]})}; };
  auto outer = [&](const std::vector<Operand>& a) { return std::vector<Operand>{call({a[0]}, inner) + a[0]}; };
  make.output(call({x}, outer) * call({x}, outer));
  CHECK_EQ(ops_after(kInlineCalls, make.graph()), "Exp AddV2 Exp AddV2 Mul");
  check_same_results(make.graph(), {Tensor::vector<float>(std::vector<float>{1, 2})});
}

TEST(inline_calls_finds_shapes_again) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({2, 3}));
  FuncRef f;
  {
    GraphMaker body("g");
    Operand a = body.input(DType::kFloat, Shape({-1, 3}), "a");
    body.output(emit1("Exp", {a}) + emit1("Fill", {emit1("Shape", {a}), real(1)}));
    f = {"g", body.graph()};
  }
  Operand inputs[] = {x};
  Operand y = emit_all("PartitionedCall", inputs, {{"f", f}, {"Tout", std::vector<DType>{DType::kFloat}}})[0];
  make.output(y);
  CHECK(!(y.shape() == Shape({2, 3})));
  std::shared_ptr<Graph> placed = passed(kInlineCalls, make.graph());
  CHECK(placed->info(placed->outputs[0]).shape == Shape({2, 3}));
}

TEST(inline_calls_keeps_effects_and_names) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape());
  FuncRef f;
  {
    GraphMaker body("g");
    Operand a = body.input(DType::kFloat, Shape(), "a");
    Operand text = build::constant(Tensor::scalar(std::string("text")));
    Operand inputs[] = {text};
    (void)emit_all("PrintV2", inputs, {{"output_stream", "stdout"}});
    body.graph()->control_outputs.push_back(body.graph()->size() - 1);
    body.output(emit1("CheckNumerics", {a}, {{"message", "bad"}}));
    f = {"g", body.graph()};
  }
  for (int i = 0; i < 2; ++i) {
    Operand inputs[] = {x};
    Operands out = emit_all("StatefulPartitionedCall", inputs, {{"f", f}, {"Tout", std::vector<DType>{DType::kFloat}}});
    make.graph()->control_outputs.push_back(out[0].value.node);
    make.output(out[0]);
  }
  std::shared_ptr<Graph> placed = passed(kInlineCalls, make.graph());
  CHECK_EQ(placed->control_outputs.size(), 2u);
  CHECK_EQ(ops_after(kInlineCalls, make.graph()), "PrintV2 CheckNumerics PrintV2 CheckNumerics");
  auto program = Program::compile(optimize(make.graph(), kVerified));
  ProgramState state(*program);
  std::vector<Tensor> args = {f32(NAN)}, results;
  CHECK_THROWS(run(*program, args, results, state), kInvalidArgument, "{{node CheckNumerics}}");
}

TEST(decide_branches_takes_constant_conditions) {
  for (bool condition : {true, false}) {
    GraphMaker make;
    Operand x = make.input(DType::kFloat, Shape());
    std::vector<Operand> args = {x};
    Operand inputs[] = {build::constant(Tensor::scalar(condition)), x};
    auto branch = [&](const char* op) {
      return function(op, args,
                      [op](const std::vector<Operand>& a) { return std::vector<Operand>{emit1(op, {a[0]})}; });
    };
    make.output(emit_all("StatelessIf", inputs,
                         {{"then_branch", branch("Exp")}, {"else_branch", branch("Tanh")}, {"Tout", dtypes(args)}})[0]);
    CHECK_EQ(ops(*optimize(make.graph(), kVerified)), condition ? "Exp" : "Tanh");
    check_same_results(make.graph(), {f32(0.5f)});
  }
}

TEST(decide_branches_takes_constant_indices) {
  for (int index : {0, 1, 7}) {
    GraphMaker make;
    Operand x = make.input(DType::kFloat, Shape());
    std::vector<Operand> args = {x};
    std::vector<FuncRef> branches;
    for (const char* op : {"Exp", "Tanh"})
      branches.push_back(
          function(op, args, [op](const std::vector<Operand>& a) { return std::vector<Operand>{emit1(op, {a[0]})}; }));
    Operand inputs[] = {build::scalar(DType::kInt32, index), x};
    make.output(emit_all("StatelessCase", inputs, {{"branches", branches}, {"Tout", dtypes(args)}})[0]);
    CHECK_EQ(ops(*optimize(make.graph(), kVerified)), index == 0 ? "Exp" : "Tanh");
    check_same_results(make.graph(), {f32(0.5f)});
  }
}

TEST(decide_branches_drops_loops_without_iterations) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({2}));
  auto body = [](const std::vector<Operand>& v) { return std::vector<Operand>{emit1("Exp", {v[2]})}; };
  make.output(counted(build::scalar(DType::kInt32, 0), x, body)[2]);
  CHECK_EQ(ops_after(kDecideBranches, make.graph()), "");
  GraphMaker other;
  Operand n = other.input(DType::kInt32, Shape(), "n"), y = other.input(DType::kFloat, Shape({2}), "y");
  other.output(counted(n, y, body)[2]);
  CHECK_EQ(ops_after(kDecideBranches, other.graph()), "StatelessWhile{Less}{AddV2 Exp}");
}

TEST(hoist_takes_out_what_no_trip_changes) {
  GraphMaker make;
  Operand n = make.input(DType::kInt32, Shape(), "n"), x = make.input(DType::kFloat, Shape({2}), "x");
  auto body = [](const std::vector<Operand>& v) {
    return std::vector<Operand>{v[2] * emit1("Exp", {emit1("Sin", {v[3]})})};
  };
  make.output(counted(n, x, body)[2]);
  CHECK_EQ(ops_after(kHoist, make.graph()), "Sin Exp StatelessWhile{Less}{AddV2 Mul}");
  for (int iterations : {0, 1, 3})
    check_same_results(make.graph(), {i32(iterations), Tensor::vector<float>(std::vector<float>{0.5, 2})});
}

TEST(hoist_leaves_what_may_fail) {
  GraphMaker make;
  Operand n = make.input(DType::kInt32, Shape(), "n"), x = make.input(DType::kInt32, Shape({2}), "x");
  auto body = [](const std::vector<Operand>& v) { return std::vector<Operand>{emit1("FloorDiv", {v[3], v[3]})}; };
  make.output(counted(n, x, body)[2]);
  CHECK_EQ(ops_after(kHoist, make.graph()), "StatelessWhile{Less}{AddV2 FloorDiv}");
  check_same_results(make.graph(), {i32(0), Tensor::vector<std::int32_t>(std::vector<std::int32_t>{0, 1})});
}

TEST(hoist_takes_invariants_of_scalar_loops) {
  GraphMaker make;
  Operand n = make.input(DType::kInt32, Shape(), "n"), x = make.input(DType::kFloat, Shape(), "x");
  auto body = [](const std::vector<Operand>& v) { return std::vector<Operand>{v[2] + emit1("Sqrt", {v[3]})}; };
  make.output(counted(n, x, body)[2]);
  std::shared_ptr<const Graph> all = optimize(make.graph(), kVerified);
  CHECK_EQ(ops(*all), "Sqrt StatelessWhile{Less}{AddV2 AddV2}");
  for (NodeId id : all->order())
    if (all->node(id).op->name == "StatelessWhile") CHECK(ScalarLoop::compile(*all, all->node(id)) != nullptr);
  check_same_results(make.graph(), {i32(5), f32(2)});
}

}  // namespace
}  // namespace tracefn::test
