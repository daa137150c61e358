// Gradients of values of graphs being traced, across captures.
#include "autodiff/graph_gradients.h"

#include <cmath>

#include "autodiff/recording.h"

namespace tracefn::test {
namespace {

std::vector<Gradient> gradients_in(FuncGraph& graph, const Args& targets, const Args& sources, Args seeds = {},
                                   const Args& stops = {}) {
  seeds.resize(targets.size());
  return graph_gradients(graph, targets, seeds, sources, stops);
}

TEST(graph_gradients_of_one_graph) {
  Trace f;
  Operand x = f.input(DType::kDouble, Shape()), y = f.input(DType::kDouble, Shape(), "y");
  Operand z = f.input(DType::kDouble, Shape(), "z");
  Operand a = x * x * y, b = y * emit1("Sin", {x});
  std::vector<Gradient> g = gradients_in(*f, {a, b}, {x, y, z}, {Operand(), f64(10)});
  CHECK(g[0].defined() && g[1].defined() && !g[2].defined());
  f->add_output(g[0].dense());
  f->add_output(g[1].dense());
  std::vector<Tensor> results = run_graph(f.graph(), {f64(0.5), f64(3), f64(0)});
  CHECK(std::abs(results[0].item<double>() - (3 + 30 * std::cos(0.5))) < 1e-12);
  CHECK(std::abs(results[1].item<double>() - (0.25 + 10 * std::sin(0.5))) < 1e-12);
}

TEST(graph_gradients_stop_where_told) {
  Trace f;
  Operand x = f.input(DType::kDouble, Shape()), square = x * x, y = square * x;
  f->add_output(gradients_in(*f, {y}, {x}, {}, {square})[0].dense());
  f->add_output(gradients_in(*f, {y}, {x})[0].dense());
  CHECK(!gradients_in(*f, {y}, {x}, {}, {y})[0].defined());
  std::vector<Tensor> results = run_graph(f.graph(), {f64(3)});
  CHECK_EQ(results[0].item<double>(), 9.0);
  CHECK_EQ(results[1].item<double>(), 27.0);
}

TEST(graph_gradients_of_values_between) {
  Trace f;
  Operand x = f.input(DType::kDouble, Shape()), square = x * x, y = square * square;
  std::vector<Gradient> g = gradients_in(*f, {y}, {square, y});
  f->add_output(g[0].dense());
  f->add_output(g[1].dense());
  std::vector<Tensor> results = run_graph(f.graph(), {f64(3)});
  CHECK_EQ(results[0].item<double>(), 18.0);
  CHECK_EQ(results[1].item<double>(), 1.0);
}

TEST(graph_gradients_reach_the_graphs_around) {
  Operand small = f64(7), big = Tensor::zeros(DType::kDouble, Shape({200}));
  OpRecorder::watch(small);
  OpRecorder::watch(big);
  Trace outer("outer");
  Operand x = outer.input(DType::kDouble, Shape()), square = x * x;
  std::shared_ptr<FuncGraph> inner;
  {
    Trace trace("inner");
    inner = trace.shared();
    Operand y = trace.input(DType::kDouble, Shape(), "y");
    Operand target = y * square * small + build::sum(big, build::ints({0}));
    // By captures, through the outer graph's nodes, to tensors from outside.
    std::vector<Gradient> g = gradients_in(*trace, {target}, {y, x, small, big});
    for (const Gradient& each : g) {
      CHECK(each.defined());
      trace->add_output(each.dense());
    }
    CHECK(!gradients_in(*trace, {y * y}, {x})[0].defined());
    trace->finish();
  }
  for (const Operand& out : call(*inner, {x})) outer->add_output(out);
  outer->finish();
  std::vector<Tensor> args{f64(3)};
  for (const FuncGraph::Capture& c : outer->captures()) args.push_back(c.outer.tensor);
  std::vector<Tensor> results = run_graph(outer.graph(), args);
  CHECK_EQ(results[0].item<double>(), 63.0);   // 9 * 7
  CHECK_EQ(results[1].item<double>(), 126.0);  // 3 * 7 * 2 * 3
  CHECK_EQ(results[2].item<double>(), 27.0);
  CHECK_EQ(results[3].num_elements(), 200);
  CHECK_EQ(results[3].data<double>()[199], 1.0);
}

TEST(graph_gradients_reach_constants_made_of_outside_tensors) {
  Operand small = f64(7);
  OpRecorder::watch(small);
  Trace f;
  Operand x = f.input(DType::kDouble, Shape());
  Gradient g = gradients_in(*f, {x * small * small}, {small})[0];
  CHECK(f->captures().empty());
  CHECK(g.defined());
  f->add_output(g.dense());
  CHECK_EQ(run_graph(f.graph(), {f64(2)})[0].item<double>(), 28.0);
}

}  // namespace
}  // namespace tracefn::test
