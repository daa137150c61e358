// Loop variables that nothing needs.
#include "check.h"
#include "exec/graphs.h"
#include "ir/verify.h"
#include "passes/pass.h"

namespace tracefn::test {
namespace {

struct Loop {
  std::shared_ptr<Graph> condition, body;

  // The loop's node over the arguments.
  Operands emit(std::initializer_list<Operand> inputs) const {
    std::vector<Operand> args(inputs);
    return emit_all("StatelessWhile", args, {{"cond", FuncRef{"cond", condition}}, {"body", FuncRef{"body", body}}});
  }
};

// while (i < n): counter, i, s, unused = counter + 1, i + 1, s + i, unused * s
Loop sum_loop() {
  Loop loop;
  auto arguments = [](GraphMaker& make) {
    std::vector<Operand> args;
    for (const char* name : {"counter", "i", "n", "s", "unused"})
      args.push_back(make.input(DType::kInt32, Shape(), name));
    return args;
  };
  {
    GraphMaker make("cond");
    std::vector<Operand> args = arguments(make);
    make.output(emit1("Less", {args[1], args[2]}));
    loop.condition = make.graph();
  }
  {
    GraphMaker make("body");
    std::vector<Operand> args = arguments(make);
    Operand one = build::constant(i32(1));
    make.output(args[0] + one);
    make.output(args[1] + one);
    make.output(args[2]);
    make.output(args[3] + args[1]);
    make.output(args[4] * args[3]);
    loop.body = make.graph();
  }
  return loop;
}

std::shared_ptr<Graph> graph_with(std::initializer_list<int> results) {
  Loop loop = sum_loop();
  GraphMaker make;
  Operand n = make.input(DType::kInt32, Shape(), "n");
  Operand zero = build::constant(i32(0));
  Operands outputs = loop.emit({zero, zero, n, zero, n});
  for (int r : results) make.output(outputs[static_cast<std::size_t>(r)]);
  return make.graph();
}

TEST(drop_loop_variables_keeps_what_results_and_condition_need) {
  std::shared_ptr<Graph> graph = graph_with({3});
  std::shared_ptr<Graph> result = kDropLoopVariables.run(*graph);
  verify(*result);
  const Node& loop = result->node(result->outputs[0].node);
  CHECK_EQ(loop.inputs.size(), 3u);
  CHECK_EQ(result->outputs[0].output, 2);
  CHECK_EQ(loop.attr("body").func().body->inputs.size(), 3u);
  CHECK_EQ(loop.attr("T").types().size(), 3u);
  CHECK_EQ(run_graph(result, {i32(10)})[0].item<std::int32_t>(), 45);
  CHECK(kDropLoopVariables.run(*result) == nullptr);
}

TEST(drop_loop_variables_drops_dead_users_with_them) {
  Loop loop = sum_loop();
  GraphMaker make;
  Operand n = make.input(DType::kInt32, Shape(), "n");
  Operand zero = build::constant(i32(0));
  Operands outputs = loop.emit({zero, zero, n, zero, n});
  (void)(outputs[4] + outputs[0]);
  make.output(outputs[3]);
  std::shared_ptr<Graph> result = kDropLoopVariables.run(*make.graph());
  verify(*result);
  CHECK_EQ(run_graph(result, {i32(10)})[0].item<std::int32_t>(), 45);
}

TEST(drop_loop_variables_keeps_what_others_are_made_of) {
  std::shared_ptr<Graph> graph = graph_with({4, 0});
  CHECK(kDropLoopVariables.run(*graph) == nullptr);
  CHECK_EQ(run_graph(graph, {i32(2)})[1].item<std::int32_t>(), 2);
}

}  // namespace
}  // namespace tracefn::test
