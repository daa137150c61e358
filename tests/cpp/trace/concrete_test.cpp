// Traced functions ready to run: arguments, captures, constants as arguments, parts of graphs.
#include "trace/concrete.h"

#include "trace/constant_inputs.h"
#include "trace/graph_part.h"
#include "trace/traces.h"

namespace tracefn::test {
namespace {

std::unique_ptr<Concrete> concrete(std::shared_ptr<FuncGraph> graph) {
  return std::make_unique<Concrete>("__inference_f_1", std::move(graph), CallKey(), TraceTypePtr());
}

std::vector<Tensor> run(const CompiledFunction& f, const std::vector<Tensor>& args) {
  std::vector<TensorRef> refs;
  for (const Tensor& t : args) refs.push_back(borrowed(t));
  std::vector<Tensor> results(f.num_results());
  f.run(refs, results);
  return results;
}

Tensor threes() {
  Tensor t(DType::kFloat, Shape({200}));
  std::fill_n(t.mutable_data<float>(), 200, 3.0f);
  return t;
}

TEST(concrete_runs_with_its_captures) {
  Operand big = threes(), small = f32(2);
  auto f = concrete(traced("f", {kFloat}, [&](Args& a) { return Args{a[0] * big + small}; }));
  CHECK_EQ(f->num_args(), 1u);
  CHECK_EQ(f->compiled().num_args(), 1u);
  CHECK_EQ(run(f->compiled(), {f32(5)})[0].data<float>()[7], 17.0f);
  CHECK(&f->compiled() == &f->compiled());
  // What the type shows are captures and constants, in order of use.
  CHECK_EQ(f->type()->captures().size(), 2u);
  CHECK_EQ(f->type()->captures()[1].id,
           static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(small.tensor.raw())));
}

TEST(concrete_of_an_inner_function_does_not_run_alone) {
  Trace outer("outer");
  Operand x = outer.input(DType::kFloat, Shape());
  auto f = concrete(traced("f", {}, [&](Args&) { return Args{-x}; }));
  CHECK_THROWS(f->compiled(), kType,
               "The tensor <tf.Tensor 'x:0' shape=() dtype=float32> cannot be accessed from here");
}

TEST(concrete_callee_takes_its_differentiable_constants) {
  Operand big = threes(), real = f32(2), whole = i32(4);
  auto f = concrete(traced("f", {kFloat}, [&](Args& a) {
    return Args{a[0] * big * real, build::cast(a[0], DType::kInt32) + whole};
  }));
  const Concrete::Callee& callee = f->callee();
  CHECK_EQ(callee.constants.size(), 1u);
  CHECK(callee.constants[0].outer.tensor.raw() == real.tensor.raw());
  CHECK_EQ(f->graph()->graph()->inputs.size(), 2u);
  CHECK_EQ(callee.graph->inputs.size(), 3u);
  auto copy = std::make_shared<Graph>(*callee.graph);
  std::vector<Tensor> results = run_graph(copy, {f32(5), big.tensor, f32(10)});
  CHECK_EQ(results[0].data<float>()[0], 150.0f);
  CHECK_EQ(results[1].item<std::int32_t>(), 9);
  CHECK_EQ(run(f->compiled(), {f32(5)})[0].data<float>()[0], 30.0f);  // its own graph has them still

  auto without = concrete(traced("g", {kInt}, [&](Args& a) { return Args{a[0] + whole}; }));
  CHECK(without->callee().constants.empty());
  CHECK(without->callee().graph == without->graph()->shared_graph());
}

TEST(concrete_runs_only_what_initial_values_need) {
  Operand v = variable(f32(0)), w = variable(f32(0));
  NodeId first = -1, second = -1;
  Trace trace;
  Operand x = trace.input(DType::kFloat, Shape());
  auto assign = [&](const Operand& handle, const Operand& value) {
    Operand inputs[] = {handle, value};
    emit_all("AssignVariableOp", inputs);
    return trace.graph()->size() - 1;
  };
  first = assign(v, f32(7));
  second = assign(w, x + f32(1));
  trace->finish();
  Concrete f("__inference_f_2", trace.shared(), CallKey(), TraceTypePtr());
  TargetScope eager(eager_target());
  f.run_only({first}, {}, false);
  CHECK_EQ(read(v, DType::kFloat).tensor.item<float>(), 7.0f);
  CHECK_EQ(read(w, DType::kFloat).tensor.item<float>(), 0.0f);
  CHECK_THROWS(f.run_only({second}, {}, false), kValue,
               "The initial value of a Variable made in f depends on an argument");
  Tensor args[] = {f32(4)};
  f.run_only({second}, args, true);
  CHECK_EQ(read(w, DType::kFloat).tensor.item<float>(), 5.0f);
}

TEST(graph_part_has_feeds_for_inputs_and_keeps_names_captures_and_effects) {
  Operand big = threes(), v = variable(f32(1));
  std::shared_ptr<FuncGraph> from;
  Operand fed, other, out;
  NodeId effect = -1;
  {
    Trace trace("from");
    from = trace.shared();
    Operand x = trace.input(DType::kFloat, Shape());
    fed = emit1("Exp", {x});
    other = -fed;
    out = other * trace->capture(big);
    Operand inputs[] = {v, other};
    emit_all("AssignAddVariableOp", inputs);
    effect = trace.graph()->size() - 1;
    trace->finish();
  }
  const NodeId capture = from->captures()[0].inner.node, handle = from->captures()[1].inner.node;
  std::vector<NodeId> nodes{effect, out.value.node, handle, capture, other.value.node};  // in any order
  Trace to("to");
  const Value feeds[] = {fed.value}, fetches[] = {out.value, fed.value};
  std::vector<Value> copies = copy_part(*from, feeds, nodes, fetches, std::span(&effect, 1), *to);
  CHECK_EQ(to->captures().size(), 2u);
  CHECK(to.graph()->inputs == std::vector<Value>{copies[1]});
  CHECK_EQ(to.graph()->node(copies[0].node).name, from->graph()->node(out.value.node).name);
  CHECK_EQ(to.graph()->control_outputs.size(), 1u);
  to.graph()->outputs = {copies[0]};
  to->finish();
  TargetScope eager(eager_target());
  std::vector<Tensor> args{f32(2)};
  for (const FuncGraph::Capture& c : to->captures()) args.push_back(c.outer.tensor);
  CHECK_EQ(run_graph(to.graph(), args)[0].data<float>()[0], -6.0f);
  CHECK_EQ(read(v, DType::kFloat).tensor.item<float>(), -1.0f);
}

}  // namespace
}  // namespace tracefn::test
