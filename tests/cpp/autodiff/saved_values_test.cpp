// What a backward graph receives of its forward graph, and what it computes again.
#include "autodiff/saved_values.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "autodiff/body_gradient.h"
#include "autodiff/recording.h"
#include "passes/ops_text.h"

namespace tracefn::test {
namespace {

using Make = std::function<Operand(Args&)>;

struct Saved {
  BodyGradient gradient;
  std::vector<FuncGraph::Capture> values;

  // The ops whose results are saved, in order of their nodes; arguments by "Placeholder".
  std::vector<std::string> ops() const {
    std::vector<NodeId> nodes;
    for (const FuncGraph::Capture& c : values) nodes.push_back(c.outer.value.node);
    std::sort(nodes.begin(), nodes.end());
    std::vector<std::string> names;
    for (NodeId id : nodes) names.push_back(gradient.forward->node(id).op->name);
    return names;
  }
};

// The gradient of one result of two double scalars. Arguments are at hand.
Saved saved(const Make& f) {
  std::shared_ptr<FuncGraph> body = traced("f", {kDouble, kDouble}, [&](Args& a) { return Args{f(a)}; });
  Saved made;
  made.gradient = differentiate_body(*body->graph(), body->graph()->inputs, {0}, "grad");
  const Graph& forward = *made.gradient.forward;
  {
    TargetScope scope(*made.gradient.backward);
    for (const Gradient& g : made.gradient.gradients)
      if (g.defined()) made.gradient.backward->add_output(g.dense());
  }
  AtHand at_hand = [&](Value v) { return input_index(forward, v) >= 0; };
  made.values = choose_saved(made.gradient.forward, *made.gradient.backward, at_hand);
  return made;
}

// Whether the two graphs, one after the other, give these slopes.
void check_slopes(const Make& f, double x, double y, const std::vector<double>& wanted) {
  Saved s = saved(f);
  s.gradient.forward->outputs.clear();
  std::vector<Value> inner;
  for (const FuncGraph::Capture& c : s.values) {
    s.gradient.forward->outputs.push_back(c.outer.value);
    inner.push_back(c.inner);
  }
  s.gradient.backward->finish_with(inner);
  verify(*s.gradient.backward->graph());
  std::vector<Tensor> args{f64(1)};
  for (Tensor& t : run_graph(s.gradient.forward, {f64(x), f64(y)})) args.push_back(t);
  std::vector<Tensor> slopes = run_graph(s.gradient.backward->shared_graph(), args);
  CHECK_EQ(slopes.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    CHECK(std::abs(slopes[i].item<double>() - wanted[i]) < 1e-12 * (1 + std::abs(wanted[i])));
}

Operand unary(const char* name, const Operand& x) { return emit1(name, {x}); }
Operand number(double v) { return build::scalar(DType::kDouble, v); }
using Names = std::vector<std::string>;

TEST(saved_values_are_results_that_cost_much) {
  Make f = [](Args& a) { return unary("Exp", a[0]); };
  CHECK(saved(f).ops() == Names{"Exp"});
  check_slopes(f, 0.5, 0, {std::exp(0.5)});
}

TEST(saved_values_leave_out_arithmetic_on_arguments) {
  Make f = [](Args& a) { return (a[0] + number(1)) * (a[0] - a[1]); };
  CHECK(saved(f).ops() == (Names{"Placeholder", "Placeholder"}));
  check_slopes(f, 3, 1, {2.0 + 4.0, -4.0});
}

TEST(saved_values_leave_out_arithmetic_on_saved_values) {
  Make f = [](Args& a) {
    Operand e = unary("Exp", a[0]);
    return (e + number(1)) * (e * number(2)) * e;
  };
  CHECK(saved(f).ops() == Names{"Exp"});
  const double e = std::exp(0.25);
  check_slopes(f, 0.25, 0, {(6 * e * e + 4 * e) * e});
}

TEST(saved_values_are_computed_again_in_few_ops_only) {
  auto chain = [](int n) -> Make {
    return [n](Args& a) {
      Operand x = a[0];
      for (int i = 0; i < n; ++i) x = x + number(1);
      return x * a[1];
    };
  };
  CHECK(saved(chain(4)).ops() == (Names{"Placeholder", "Placeholder"}));
  CHECK(saved(chain(5)).ops() == (Names{"Placeholder", "AddV2"}));
  check_slopes(chain(4), 2, 3, {3, 6});
  check_slopes(chain(5), 2, 3, {3, 7});
}

TEST(saved_values_are_one_where_several_come_of_it) {
  // e is needed by nobody itself: its sums are. Of one sum, the sum is saved.
  auto sums = [](std::initializer_list<double> more) -> Make {
    std::vector<double> all(more);
    return [all](Args& a) {
      Operand e = unary("Exp", unary("Floor", a[0])), out = a[1];
      for (double v : all) out = out * (e + number(v));
      return out;
    };
  };
  CHECK(saved(sums({1})).ops() == Names{"AddV2"});
  for (const std::string& name : saved(sums({1, 2, 3})).ops()) CHECK(name == "Exp" || name == "Mul");
  check_slopes(sums({1}), 0.5, 3, {2});
  check_slopes(sums({1, 2, 3}), 0.5, 3, {24});
}

TEST(saved_values_are_captured_once) {
  Make f = [](Args& a) {
    Operand e = unary("Exp", a[0]);
    return unary("Identity", e) * unary("Identity", unary("Identity", e)) * e;
  };
  CHECK(saved(f).ops() == Names{"Exp"});
  check_slopes(f, 0.25, 0, {3 * std::exp(0.75)});
}

TEST(saved_values_are_never_constants) {
  Make f = [](Args& a) { return a[0] * number(3) + a[1] * unary("Exp", number(2)); };
  Saved s = saved(f);
  for (const std::string& name : s.ops()) CHECK(name != "Const");
  check_slopes(f, 1, 1, {3, std::exp(2.0)});
}

// The gradient of a sum over unknown shapes needs shapes only: no value is saved for zeros or ones like it.
TEST(saved_values_are_not_kept_for_their_shape) {
  std::shared_ptr<FuncGraph> body = traced("f", {{DType::kDouble, Shape({-1})}}, [&](Args& a) {
    return Args{build::sum(unary("Floor", unary("Exp", a[0])) + a[0], build::ints({0}))};
  });
  BodyGradient g = differentiate_body(*body->graph(), body->graph()->inputs, {0}, "grad");
  {
    TargetScope scope(*g.backward);
    g.backward->add_output(g.gradients[0].dense());
  }
  const Graph& forward = *g.forward;
  AtHand at_hand = [&](Value v) { return input_index(forward, v) >= 0; };
  for (const FuncGraph::Capture& c : choose_saved(g.forward, *g.backward, at_hand)) {
    const OutputInfo& info = forward.info(c.outer.value);
    CHECK_EQ(info.dtype, DType::kInt32);  // a shape
  }
}

TEST(replace_argument_makes_it_an_identity) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape()), y = -x;
  Operand argument = make.input(DType::kFloat, Shape(), "saved");
  Operand out = argument + x;
  make.graph()->inputs.pop_back();
  make.output(out);
  replace_argument(*make.graph(), argument.value.node, y.value);
  verify(*make.graph());
  CHECK_EQ(run_graph(make.graph(), {f32(3)})[0].item<float>(), 0.0f);
}

}  // namespace
}  // namespace tracefn::test
