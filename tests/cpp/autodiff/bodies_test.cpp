// Gradients through conditionals, loops and calls: of the first and second order, on tapes and in graphs, against the
// slopes of the function itself.
#include <cmath>
#include <functional>

#include "autodiff/body_gradient.h"
#include "autodiff/call_gradient.h"
#include "autodiff/graph_gradients.h"
#include "autodiff/recording.h"
#include "passes/loops.h"
#include "passes/pass.h"

namespace tracefn::test {
namespace {

using Function = std::function<Operand(const Operand&)>;
using Vars = std::vector<Operand>;

Operand less(const Operand& a, const Operand& b) { return emit1("Less", {a, b}); }
Operand op(const char* name, const Operand& x) { return emit1(name, {x}); }
Operand real(double v) { return build::constant(f64(v)); }
Operand pick(const Operand& condition, const Operand& x, const Body& yes, const Body& no) {
  Operand inputs[] = {condition, x};
  return emit_all("StatelessIf", inputs,
                  {{"then_branch", function("yes", Vars{x}, yes)},
                   {"else_branch", function("no", Vars{x}, no)},
                   {"Tout", std::vector<DType>{DType::kDouble}}})[0];
}
Operand called(const FuncRef& f, const Operand& x) {
  Operand inputs[] = {x};
  return emit_all("PartitionedCall", inputs, {{"f", f}, {"Tout", std::vector<DType>{DType::kDouble}}})[0];
}
// while i < n: variables = body(i, variables); without i and n.
Vars repeated(int n, const Vars& variables, const Body& body) {
  Vars all{number(0)};
  all.insert(all.end(), variables.begin(), variables.end());
  Operands out = loop(
      all, [=](const Vars& v) { return Vars{less(v[0], number(n))}; },
      [&](const Vars& v) {
        Vars next = body(v);
        next.insert(next.begin(), v[0] + number(1));
        return next;
      });
  return {out.begin() + 1, out.end()};
}

// The gradient of y = f(x) in the graph being traced; zeros if none flows.
Operand in_graph(FuncGraph& graph, const Operand& y, const Operand& x) {
  const Operand seed{};
  Gradient g = graph_gradients(graph, std::span(&y, 1), std::span(&seed, 1), std::span(&x, 1), {})[0];
  return g.defined() ? g.dense() : build::zeros_like(x);
}

struct Orders {
  double first = 0, second = 0;
};

Orders in_graph(const Function& f, double at) {
  Trace g;
  Operand x = g.input(DType::kDouble, Shape()), y = f(x), first = in_graph(*g, y, x);
  g->add_output(first);
  g->add_output(in_graph(*g, first, x));
  g->finish();
  std::vector<Tensor> plain = run_graph(g.graph(), {f64(at)});
  auto better = std::const_pointer_cast<Graph>(optimize(g.graph(), kVerified));
  std::vector<Tensor> optimized = run_graph(better, {f64(at)});
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(std::abs(plain[i].item<double>() - optimized[i].item<double>()) <=
          1e-12 * (1 + std::abs(plain[i].item<double>())));
  return {plain[0].item<double>(), plain[1].item<double>()};
}

// `f` is run eagerly under two tapes.
Orders on_tapes(const Function& f, double at) {
  Recording outer;
  Operand x = outer.watch(f64(at)), first;
  {
    Recording inner;
    inner.watch(x);
    Operand y = f(x);
    inner.stop();
    first = inner.gradient(y, x).dense();
    if (!first.defined()) return {};
  }
  const double second = outer.slope(first, x);
  return {value(first), std::isnan(second) ? 0 : second};
}

Orders on_one_persistent_tape(const Function& f, double at) {
  Recording tape{Recording::Persistent()};
  Operand x = tape.watch(f64(at)), first = tape.gradient(f(x), x).dense();
  if (!first.defined()) return {};
  const double second = tape.slope(first, x);
  return {value(first), std::isnan(second) ? 0 : second};
}

// As the tape of a call of the traced function.
Function traced_call(const Function& f) {
  std::shared_ptr<FuncGraph> body;
  {
    TapePause pause;
    body = traced("f", {kDouble}, [&](Args& a) { return Args{f(a[0])}; });
  }
  return [body](const Operand& x) {
    auto never = []() -> const CompiledFunction& { fail(ErrorKind::kInternal, "a tape records"); };
    return call_under_tapes(body->shared_graph(), "f", std::span(&x, 1), {}, never)[0];
  };
}

// As a call node inside another function.
Function call_node(const Function& f) {
  std::shared_ptr<FuncGraph> body = traced("f", {kDouble}, [&](Args& a) { return Args{f(a[0])}; });
  return [body](const Operand& x) { return called({"f", body->shared_graph()}, x); };
}

void check_close(double got, double wanted, const std::string& what) {
  if (!(std::abs(got - wanted) <= 2e-6 * (1 + std::abs(wanted))))
    failed(__FILE__, __LINE__, concat(what, ": ", got, " is not ", wanted));
}

void check_orders(const char* name, const Function& f, std::initializer_list<double> points) {
  constexpr double kStep = 1e-5;
  auto run = [&](double x) { return value(f(Operand(f64(x)))); };
  for (double x : points) {
    const Orders exact = in_graph(f, x);
    check_close(exact.first, (run(x + kStep) - run(x - kStep)) / (2 * kStep), concat(name, " at ", x, ", slope"));
    check_close(exact.second, (in_graph(f, x + kStep).first - in_graph(f, x - kStep).first) / (2 * kStep),
                concat(name, " at ", x, ", slope of the gradient"));
    const std::pair<const char*, Orders> ways[] = {
        {"on tapes", on_tapes(f, x)},
        {"on a persistent tape", on_one_persistent_tape(f, x)},
        {"of a traced call on tapes", on_tapes(traced_call(f), x)},
        {"of a traced call on a persistent tape", on_one_persistent_tape(traced_call(f), x)},
        {"of a call node", in_graph(call_node(f), x)},
        {"of an eager call node", on_tapes(call_node(f), x)},
    };
    for (const auto& [way, orders] : ways) {
      check_close(orders.first, exact.first, concat(name, " at ", x, ", ", way));
      check_close(orders.second, exact.second, concat(name, " at ", x, ", second order ", way));
    }
  }
}

TEST(gradient_of_conditionals) {
  check_orders("if",
               [](const Operand& x) {
                 return pick(
                     less(x, real(1)), x, [](const Vars& v) { return Vars{op("Sin", v[0]) * v[0]}; },
                     [](const Vars& v) { return Vars{v[0] * v[0] * v[0]}; });
               },
               {0.5, 2});
  check_orders("if with a constant branch",
               [](const Operand& x) {
                 return pick(
                            less(x, real(1)), x, [](const Vars& v) { return Vars{op("Exp", v[0])}; },
                            [](const Vars&) { return Vars{real(3)}; }) *
                        x;
               },
               {0.5, 2});
  check_orders("nested if",
               [](const Operand& x) {
                 return pick(
                     less(x, real(1)), x,
                     [](const Vars& v) {
                       return Vars{pick(
                           less(v[0], real(0)), v[0], [](const Vars& w) { return Vars{op("Exp", w[0] * w[0])}; },
                           [](const Vars& w) { return Vars{op("Cos", w[0])}; })};
                     },
                     [](const Vars& v) { return Vars{v[0] / (v[0] + real(1))}; });
               },
               {-0.5, 0.5, 2});
  check_orders(
      "case",
      [](const Operand& x) {
        std::vector<FuncRef> branches;
        for (const char* name : {"Sin", "Exp", "Tanh"})
          branches.push_back(function("branch", Vars{x}, [=](const Vars& v) { return Vars{op(name, v[0] * v[0])}; }));
        Operand inputs[] = {build::cast(x, DType::kInt32), x};
        return emit_all("StatelessCase", inputs,
                        {{"branches", branches}, {"Tout", std::vector<DType>{DType::kDouble}}})[0];
      },
      {0.5, 1.5, 2.5});
}

TEST(gradient_of_loops) {
  check_orders("power",
               [](const Operand& x) {
                 return repeated(4, {real(1), x}, [](const Vars& v) { return Vars{v[1] * v[2], v[2]}; })[0];
               },
               {-1.5, 0.5});
  check_orders("until large",
               [](const Operand& x) {
                 Vars variables{x, x};
                 return loop(
                     variables, [](const Vars& v) { return Vars{less(v[0], real(10))}; },
                     [](const Vars& v) {
                       return Vars{v[0] * v[1] + real(1), v[1]};
                     })[0];
               },
               {1.25, 2.5});
  check_orders("counted",
               [](const Operand& x) {
                 return repeated(5, {x}, [](const Vars& v) {
                   return Vars{op("Sin", v[1]) * build::cast(v[0], DType::kDouble) + v[1]};
                 })[0];
               },
               {0.5, 2});
  check_orders("invariant inside",
               [](const Operand& x) {
                 return repeated(3, {x, x}, [](const Vars& v) { return Vars{v[1] * op("Exp", v[2] * v[2]), v[2]}; })[0];
               },
               {0.5, -0.25});
  check_orders("values that change places",
               [](const Operand& x) {
                 return repeated(3, {x, op("Exp", x)}, [](const Vars& v) { return Vars{v[2], v[1] * v[2]}; })[1];
               },
               {0.5});
  check_orders(
      "steps of two from the far end",
      [](const Operand& x) {
        Vars variables{build::scalar(DType::kInt64, 3), x};
        return loop(
            variables, [](const Vars& v) { return Vars{less(v[0], build::scalar(DType::kInt64, 10))}; },
            [](const Vars& v) {
              return Vars{v[0] + build::scalar(DType::kInt64, 2), v[1] * v[1] / build::cast(v[0], DType::kDouble)};
            })[1];
      },
      {1.5});
}

TEST(gradient_of_loops_without_iterations) {
  auto never = [](const Operand& x) {
    return repeated(0, {x, op("Exp", x)}, [](const Vars& v) { return Vars{v[1] * v[2], v[2] * v[2]}; })[0];
  };
  for (double x : {0.5, 2.0}) {
    for (const Orders& o : {in_graph(never, x), on_tapes(never, x), on_tapes(traced_call(never), x)}) {
      CHECK_EQ(o.first, 1.0);
      CHECK_EQ(o.second, 0.0);
    }
  }
  check_orders("a loop that may not run",
               [](const Operand& x) {
                 Vars variables{x};
                 return loop(
                            variables, [](const Vars& v) { return Vars{less(v[0], real(1))}; },
                            [](const Vars& v) { return Vars{op("Exp", v[0]) * v[0] + real(1)}; })[0] *
                        x;
               },
               {0.5, 3});
}

TEST(gradient_of_nested_bodies) {
  check_orders(
      "nested loops",
      [](const Operand& x) {
        return repeated(3, {x}, [](const Vars& v) {
          return Vars{repeated(2, {v[1], op("Sin", v[1])}, [](const Vars& w) { return Vars{w[1] * w[2], w[2]}; })[0]};
        })[0];
      },
      {0.5, 1.5});
  check_orders(
      "a loop in a branch in a loop",
      [](const Operand& x) {
        return repeated(3, {x}, [](const Vars& v) {
          return Vars{pick(
              less(v[1], real(1)), v[1],
              [](const Vars& w) {
                return Vars{repeated(2, {w[0]}, [](const Vars& u) { return Vars{op("Exp", u[1] * real(0.5))}; })[0]};
              },
              [](const Vars& w) { return Vars{op("Sin", w[0]) + w[0] * real(0.25)}; })};
        })[0];
      },
      {0.5, 1.5});
  check_orders("a loop of calls",
               [](const Operand& x) {
                 FuncRef f = function("step", Vars{x}, [](const Vars& v) { return Vars{op("Tanh", v[0]) * v[0]}; });
                 return repeated(3, {x}, [&](const Vars& v) { return Vars{called(f, v[1])}; })[0];
               },
               {0.5, 1.5});
}

// Gradients of rows of a table: IndexedSlices out of a branch and out of a call, dense out of a loop.
TEST(gradient_of_rows_through_bodies) {
  const std::vector<std::pair<DType, Shape>> types{{DType::kDouble, Shape({4})}};
  auto rows = [](const Operand& table) { return emit1("GatherV2", {table, build::ints({3, 1, 3}), number(0)}); };
  const Tensor wanted = doubles({0, 1, 0, 2});
  Operand table = doubles({1, 2, 3, 4});
  FuncRef lookup = function("lookup", Vars{table}, [&](const Vars& v) { return Vars{rows(v[0])}; });
  FuncRef zero = function("zero", Vars{table}, [&](const Vars&) {
    return Vars{build::constant(Tensor::zeros(DType::kDouble, Shape({3})))};
  });
  auto through_if = [&](bool taken) {
    Recording tape;
    Operand x = tape.watch(table);
    Operand inputs[] = {Tensor::scalar(taken), x};
    Operand y =
        emit_all("StatelessIf", inputs,
                 {{"then_branch", lookup}, {"else_branch", zero}, {"Tout", std::vector<DType>{DType::kDouble}}})[0];
    return tape.gradient(y, x);
  };
  CHECK(through_if(true).is_indexed_slices());
  CHECK(identical(through_if(true).dense().tensor, wanted));
  CHECK(identical(through_if(false).dense().tensor, Tensor::zeros(DType::kDouble, Shape({4}))));
  {
    Recording tape;
    Operand x = tape.watch(table);
    Gradient g = tape.gradient(called(lookup, x), x);
    CHECK(g.is_indexed_slices());
    CHECK(identical(g.dense().tensor, wanted));
  }
  Recording tape;
  Operand x = tape.watch(table);
  Operand y = repeated(2, {real(0), x}, [&](const Vars& v) {
    return Vars{v[1] + build::sum(rows(v[2]), build::ints({0})), v[2]};
  })[0];
  Gradient g = tape.gradient(y, x);
  CHECK(!g.is_indexed_slices());
  CHECK(identical(g.values.tensor, doubles({0, 2, 0, 4})));
}

// Variables of a loop of which the gradient needs nothing stay out of the backward loop, and have zeros.
TEST(gradient_of_a_loop_is_zero_where_none_flows) {
  Trace g;
  Operand x = g.input(DType::kDouble, Shape()), y = g.input(DType::kDouble, Shape(), "y");
  Vars out = repeated(3, {x, y}, [](const Vars& v) { return Vars{v[1] * v[1], v[2] + v[1]}; });
  const Operand sources[] = {x, y}, seed{};
  std::vector<Gradient> of_first = graph_gradients(*g, std::span(out.data(), 1), std::span(&seed, 1), sources, {});
  CHECK(of_first[0].defined() && of_first[1].defined());
  std::vector<Gradient> of_second = graph_gradients(*g, std::span(&out[1], 1), std::span(&seed, 1), sources, {});
  CHECK(of_second[0].defined() && of_second[1].defined());
  g->add_output(of_first[0].dense());
  g->add_output(of_second[0].dense());
  g->add_output(of_second[1].dense());
  std::vector<Tensor> results = run_graph(g.graph(), {f64(1.5), f64(2)});
  CHECK(std::abs(results[0].item<double>() - 8 * std::pow(1.5, 7)) < 1e-12);
  CHECK(std::abs(results[1].item<double>() - (1 + 2 * 1.5 + 4 * std::pow(1.5, 3))) < 1e-12);
  CHECK_EQ(results[2].item<double>(), 1.0);
}

// A variable's handle inside bodies: its gradient comes out through all of them.
TEST(gradient_of_a_variable_through_bodies) {
  Operand v = variable(f64(1.5));
  auto check = [&](const Function& f) {
    Recording tape;
    Operand y = f(v);
    CHECK(std::abs(value(tape.gradient(y, v).dense()) - 3 * 1.5 * 1.5) < 1e-12);
  };
  auto cube = [](const Operand& handle) {
    Operand x = read(handle, DType::kDouble);
    return x * x * x;
  };
  auto of_handle = [](const std::string& name, const Function& f) {
    GraphMaker make(name);
    Operand handle = make.input(DType::kResource, Shape(), "v");
    make.graph()->info(handle.value).handle_dtype = DType::kDouble;
    make.graph()->info(handle.value).handle_shape = Shape();
    make.output(f(handle));
    return FuncRef{name, make.graph()};
  };
  check(cube);
  check([&](const Operand& handle) {
    Operand inputs[] = {handle};
    return emit_all("PartitionedCall", inputs,
                    {{"f", of_handle("cube", cube)}, {"Tout", std::vector<DType>{DType::kDouble}}})[0];
  });
  check([&](const Operand& handle) {
    Operand inputs[] = {Tensor::scalar(true), handle};
    FuncRef one = of_handle("one", [](const Operand&) { return real(1); });
    return emit_all("If", inputs,
                    {{"then_branch", of_handle("cube", cube)},
                     {"else_branch", one},
                     {"Tout", std::vector<DType>{DType::kDouble}}})[0];
  });
}

TEST(gradient_of_an_eager_op_that_holds_graphs_needs_its_record) {
  // Without the record of a call there is no graph to extend.
  FuncRef f = function("f", Vars{Operand(f64(1))}, [](const Vars& v) { return Vars{-v[0]}; });
  const OpDef& call = Registry::get().at("PartitionedCall");
  AttrList attrs(call.signature.attrs.size());
  attrs[static_cast<std::size_t>(call.signature.attr_index("f"))] = f;
  const Operand x = f64(1), y = f64(-1);
  const Gradient dy = Operand(f64(1));
  GradContext c(call, attrs, std::span(&x, 1), std::span(&y, 1), std::span(&dy, 1));
  CHECK_THROWS(call_gradient(c), kUnimplemented, "The gradient of an eager PartitionedCall op is not supported.");
}

TEST(differentiate_body_keeps_the_body) {
  std::shared_ptr<FuncGraph> f = traced("f", {kDouble, kDouble, kDouble}, [](Args& a) {
    return Args{op("Exp", a[0]) * a[1], -a[2]};
  });
  const Graph& body = *f->graph();
  const std::string before = print(body);
  Recording tape;
  BodyGradient g = differentiate_body(body, body.inputs, {0}, "f_grad");
  CHECK_EQ(tape->size(), 0u);
  CHECK_EQ(print(body), before);
  CHECK_EQ(g.forward->lineage(), body.lineage());
  CHECK(g.gradients[0].defined() && g.gradients[1].defined() && !g.gradients[2].defined());
  CHECK_EQ(g.backward->graph()->inputs.size(), 1u);
  CHECK(!g.backward->finished());
}

TEST(derived_names_are_unique) {
  std::string one = derived_name("f", "grad"), two = derived_name("f", "grad");
  CHECK(one != two);
  CHECK(one.starts_with("f_grad_") && two.starts_with("f_grad_"));
}

}  // namespace
}  // namespace tracefn::test
