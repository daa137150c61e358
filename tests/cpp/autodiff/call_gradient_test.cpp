// Calls of traced functions under tapes.
#include "autodiff/call_gradient.h"

#include <cmath>

#include "autodiff/recording.h"

namespace tracefn::test {
namespace {

// A traced function, and how often it ran outside of tapes.
struct Callee {
  std::shared_ptr<FuncGraph> graph;
  std::unique_ptr<CompiledFunction> compiled;
  int plain_runs = 0;

  template <typename F>
  Callee(const ArgTypes& inputs, F make_outputs) {
    TapePause pause;
    graph = traced("f", inputs, make_outputs);
  }
  std::vector<Operand> operator()(std::vector<Operand> args) {
    std::vector<Tensor> captured;
    for (const FuncGraph::Capture& c : graph->captures()) {
      captured.push_back(c.outer.tensor);
      args.push_back(c.outer);
    }
    auto plain = [&]() -> const CompiledFunction& {
      ++plain_runs;
      if (!compiled) compiled = std::make_unique<CompiledFunction>(graph->shared_graph(), "f", captured);
      return *compiled;
    };
    return call_under_tapes(graph->shared_graph(), "f", args, graph->constants(), plain);
  }
};

// What is cached with a graph.
std::vector<const void*> cached(const Graph& graph) {
  struct Seen final : OwnedVisitor {
    void host(const void*) override {}
    void add_shared(const std::shared_ptr<const void>& object, Visit) override { objects.push_back(object.get()); }
    void add_counted(const RefCounted&) override {}
    std::vector<const void*> objects;
  } seen;
  graph.derived().visit_owned(seen);
  return seen.objects;
}

TEST(call_without_tapes_runs_the_plain_program) {
  Callee f({kDouble}, [](Args& a) { return Args{a[0] * a[0]}; });
  CHECK_EQ(value(f({f64(3)})[0]), 9.0);
  Recording tape;
  CHECK_EQ(value(f({f64(3)})[0]), 9.0);  // which nobody watches
  CHECK_EQ(f.plain_runs, 2);
  CHECK_EQ(tape->size(), 0u);
  CHECK(cached(*f.graph->graph()).empty());
  f({tape.watch(f64(3))});
  CHECK_EQ(f.plain_runs, 2);
  CHECK_EQ(tape->size(), 1u);
}

TEST(call_returns_its_own_results_alone_and_builds_its_programs_once) {
  Callee f({kDouble, kInt}, [](Args& a) { return Args{emit1("Exp", {a[0]}) * a[0], a[1], -a[0]}; });
  std::vector<const void*> first;
  for (double x : {0.5, 2.0}) {
    Recording tape;
    Operand in = tape.watch(f64(x));
    std::vector<Operand> out = f({in, i32(4)});
    CHECK_EQ(out.size(), 3u);  // what the gradient needs comes to nobody else
    CHECK_EQ(out[1].tensor.item<std::int32_t>(), 4);
    CHECK(std::abs(tape.slope(out[0], in) - std::exp(x) * (1 + x)) < 1e-12);
    CHECK_EQ(tape.slope(out[2], in), -1.0);
    const std::vector<const void*> kept = cached(*f.graph->graph());
    CHECK(kept.size() == 1 && (first.empty() || kept == first));
    first = kept;
  }
}

TEST(call_gradients_of_unconnected_inputs_are_undefined) {
  Callee f({kDouble, kDouble, kInt}, [](Args& a) { return Args{a[0] * a[0], a[1] * a[1]}; });
  Recording tape;
  Operand x = tape.watch(f64(3)), y = tape.watch(f64(4)), n = tape.watch(i32(1));
  std::vector<Operand> out = f({x, y, n});
  CHECK_EQ(tape.slope(out[0], x), 6.0);
  CHECK_EQ(tape.slope(out[1], y), 8.0);
  CHECK(!tape.gradient(out[0], n).defined());
  Callee constant({kDouble}, [](Args&) { return Args{build::constant(f64(5))}; });
  CHECK(!tape.gradient(constant({x})[0], x).defined());
}

// One pair of programs for each set of inputs that are watched.
TEST(call_gradients_of_each_set_of_watched_inputs) {
  Callee f({kDouble, kDouble}, [](Args& a) { return Args{emit1("Exp", {a[0]}) * a[1] * a[1]}; });
  for (int watched : {1, 2, 3, 2, 1}) {
    Recording tape;
    Operand x = f64(0), y = f64(3);
    if (watched & 1) x = tape.watch(x);
    if (watched & 2) y = tape.watch(y);
    Operand z = f({x, y})[0];
    CHECK_EQ(value(z), 9.0);
    if (watched & 1) CHECK_EQ(tape.slope(z, x), 9.0);
    if (watched & 2) CHECK_EQ(tape.slope(z, y), 6.0);
  }
}

TEST(call_gradients_of_captures_and_constants) {
  Operand big = Tensor::zeros(DType::kDouble, Shape({200})), small = f64(7), v = variable(f64(2));
  std::fill_n(big.tensor.mutable_data<double>(), 200, 0.5);
  OpRecorder::watch(big);
  OpRecorder::watch(small);
  Callee f({kDouble}, [&](Args& a) {
    return Args{a[0] * build::sum(big, build::ints({0})) * small * small * read(v, DType::kDouble)};
  });
  CHECK_EQ(f.graph->captures().size(), 2u);
  Recording tape;
  tape.watch(big);
  tape.watch(small);
  Operand x = tape.watch(f64(3)), y = f({x})[0];
  CHECK_EQ(value(y), 3.0 * 100 * 49 * 2);
  CHECK_EQ(tape.slope(y, x), 100.0 * 49 * 2);
  CHECK_EQ(tape.slope(y, small), 3.0 * 100 * 14 * 2);
  CHECK_EQ(tape.gradient(y, big).dense().tensor.data<double>()[3], 3.0 * 49 * 2);
  CHECK_EQ(value(tape.gradient(y, v).dense()), 3.0 * 100 * 49);
  CHECK_EQ(tape->variables().size(), 1u);
}

TEST(call_gradients_of_constants_of_second_order) {
  Operand small = f64(7);
  OpRecorder::watch(small);
  Callee f({kDouble}, [&](Args& a) { return Args{a[0] * small * small * small}; });
  CHECK(f.graph->captures().empty());
  Recording tape{Recording::Persistent()};
  tape.watch(small);
  Operand x = tape.watch(f64(2)), y = f({x})[0];
  Operand first = tape.gradient(y, small).dense();
  CHECK_EQ(value(first), 2.0 * 3 * 49);
  CHECK_EQ(tape.slope(first, small), 2.0 * 6 * 7);
  CHECK_EQ(tape.slope(first, x), 3.0 * 49);
}

TEST(call_gradients_of_rows_are_indexed_slices) {
  Callee f({{DType::kDouble, Shape({3})}}, [](Args& a) {
    return Args{emit1("GatherV2", {a[0], build::ints({2, 0, 2}), number(0)})};
  });
  Recording tape;
  Operand table = tape.watch(doubles({1, 2, 3}));
  Gradient g = tape.gradient(f({table})[0], table);
  CHECK(g.is_indexed_slices());
  CHECK(identical(g.dense().tensor, doubles({1, 0, 2})));
}

// As in TensorFlow: the gradient of a linear function has the gradient zero, not none.
TEST(call_gradients_depend_on_the_inputs) {
  Callee f({kDouble}, [](Args& a) { return Args{a[0] * build::constant(f64(3))}; });
  Recording tape{Recording::Persistent()};
  Operand x = tape.watch(f64(5)), first = tape.gradient(f({x})[0], x).dense();
  CHECK_EQ(value(first), 3.0);
  Gradient second = tape.gradient(first, x);
  CHECK(second.defined());
  CHECK_EQ(value(second.dense()), 0.0);
}

TEST(call_gradients_taken_while_a_function_is_traced) {
  Callee f({kDouble}, [](Args& a) { return Args{a[0] * a[0] * a[0]}; });
  Recording tape;
  Operand x = tape.watch(f64(2)), y = f({x})[0];
  Trace g;
  Operand seed = g.input(DType::kDouble, Shape());
  g->add_output(tape.gradient(y, x, seed).dense());
  g->finish();
  std::vector<Tensor> args{f64(10)};
  for (const FuncGraph::Capture& c : g->captures()) args.push_back(c.outer.tensor);
  CHECK_EQ(run_graph(g.graph(), args)[0].item<double>(), 120.0);
}

TEST(call_gradient_runs_effects_of_the_forward_function_once) {
  Operand v = variable(f64(1));
  Callee f({kDouble}, [&](Args& a) {
    Operand inputs[] = {v, f64(1)};
    emit_all("AssignAddVariableOp", inputs);
    return Args{a[0] * read(v, DType::kDouble)};
  });
  Recording tape;
  Operand x = tape.watch(f64(5)), y = f({x})[0];
  CHECK_EQ(value(y), 10.0);
  CHECK_EQ(tape.slope(y, x), 2.0);
  CHECK_EQ(value(read(v, DType::kDouble)), 2.0);
}

}  // namespace
}  // namespace tracefn::test
