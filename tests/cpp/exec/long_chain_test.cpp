// A chain of a million nodes: nothing on the way from the graph to its end may recurse along it.
#include "check.h"
#include "exec/graphs.h"
#include "io/graph_def.h"
#include "ir/verify.h"
#include "passes/pass.h"

namespace tracefn::test {
namespace {

std::shared_ptr<Graph> long_chain(int length) {
  GraphMaker make;
  Operand x = make.input(DType::kDouble, Shape());
  Operand y = x;
  for (int i = 0; i < length; ++i) y = y + x;
  make.output(y);
  return make.graph();
}

TEST(chain_of_a_million_nodes) {
  constexpr int kLength = 1'000'000;
  CHECK_EQ(run_graph(long_chain(kLength), {Tensor::scalar(1.0)})[0].item<double>(), kLength + 1.0);
}

TEST(chain_of_nodes_through_passes_and_formats) {
  constexpr int kLength = 100'000;
  std::shared_ptr<const Graph> optimized;
  {
    std::shared_ptr<Graph> graph = long_chain(kLength);
    verify(*graph);
    CHECK(graph_def(*graph).binary().size() > 10 * kLength);
    optimized = optimize(graph);
  }
  CHECK(optimized->size() >= kLength);
}

TEST(bodies_inside_of_bodies) {
  constexpr int kDepth = 50;
  FuncRef body;
  for (int i = 0; i < kDepth; ++i) {
    GraphMaker make("level_" + std::to_string(i));
    Operand x = make.input(DType::kDouble, Shape());
    if (body.body) {
      Operand args[] = {x};
      x = emit_all("PartitionedCall", args, {{"f", body}, {"Tout", std::vector<DType>{DType::kDouble}}})[0];
    }
    make.output(x + build::scalar(DType::kDouble, 1));
    body = {make.graph()->name(), make.graph()};
  }
  std::shared_ptr<const Graph> outermost = optimize(body.body);
  auto program = Program::compile(outermost);
  ProgramState state(*program);
  std::vector<Tensor> args{Tensor::scalar(0.0)}, results;
  run(*program, args, results, state);
  CHECK_EQ(results[0].item<double>(), 1.0 * kDepth);
}

}  // namespace
}  // namespace tracefn::test
