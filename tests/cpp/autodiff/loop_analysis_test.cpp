// Invariants, counters and bounds of loops.
#include "autodiff/loop_analysis.h"

#include <cmath>

#include "passes/loops.h"
#include "trace/traces.h"

namespace tracefn::test {
namespace {

using Vars = std::vector<Operand>;

Operand op(const char* name, const Operand& a, const Operand& b) { return emit1(name, {a, b}); }
Operand whole(DType dtype, double v) { return build::scalar(dtype, v); }

// A loop in a graph, and what is known about it.
struct Loop {
  GraphMaker make;
  std::shared_ptr<Graph> cond, body;
  std::unique_ptr<LoopSteps> steps;

  Loop& of(const Vars& variables, const Body& condition, const Body& step) {
    Operands out = loop(variables, condition, step);
    const NodeId id = out[0].value.node;
    const Node& node = make.graph()->node(id);
    cond = std::const_pointer_cast<Graph>(node.attr("cond").func().body);
    body = std::const_pointer_cast<Graph>(node.attr("body").func().body);
    steps = std::make_unique<LoopSteps>(make.graph(), id, cond, body);
    return *this;
  }
  // -1: unknown; -2: not a constant.
  std::int64_t most() const {
    std::optional<Operand> found = steps->most_steps();
    if (!found) return -1;
    Tensor t = make_target().constant_value(*found);
    return t.defined() ? t.int_at(0) : -2;
  }
  EmitTarget& make_target() const { return const_cast<GraphMaker&>(make).target(); }
};

Vars next(const Operand& i, const Operand& by) { return {i + by}; }

TEST(loop_steps_are_bounded_by_the_condition) {
  struct Case {
    DType dtype;
    double first, end, by;
    std::int64_t most;
  };
  const Case known[] = {
      {DType::kInt32, 0, 10, 1, 10},
      {DType::kInt32, 3, 10, 2, 4},
      {DType::kInt32, 3, 11, 2, 4},
      {DType::kInt32, 10, 10, 1, 0},
      {DType::kInt32, 12, 10, 1, 0},
      {DType::kInt64, 0, 7, 3, 3},
      {DType::kInt64, 0, std::pow(2, 40), 1, -1},  // more than a list holds
      {DType::kInt32, 0, 10, 0, -1},
      {DType::kInt32, 0, 10, -1, -1},
      {DType::kInt32, -1, 10, 1, -1},
  };
  for (const Case& c : known) {
    Loop l;
    l.of(
        {whole(c.dtype, c.first)}, [&](const Vars& v) { return Vars{op("Less", v[0], whole(c.dtype, c.end))}; },
        [&](const Vars& v) { return next(v[0], whole(c.dtype, c.by)); });
    CHECK_EQ(l.most(), c.most);
  }
}

TEST(loop_steps_of_a_limit_from_outside) {
  auto up_to = [](DType dtype, double first, double by) {
    auto l = std::make_unique<Loop>();
    Operand n = l->make.input(dtype, Shape(), "n");
    l->of(
        {whole(dtype, first), n}, [](const Vars& v) { return Vars{op("Less", v[0], v[1])}; },
        [=](const Vars& v) {
          return Vars{v[0] + whole(dtype, by), v[1]};
        });
    return l;
  };
  std::unique_ptr<Loop> l = up_to(DType::kInt32, 0, 1);
  std::optional<Operand> most = l->steps->most_steps();
  CHECK(most.has_value());
  l->make.output(*most);
  for (std::int32_t n : {-3, 0, 5})
    CHECK_EQ(run_graph(l->make.graph(), {i32(n)})[0].item<std::int32_t>(), std::max(n, 0));
  CHECK_EQ(up_to(DType::kInt32, 1, 1)->most(), -1);
  CHECK_EQ(up_to(DType::kInt32, 0, 2)->most(), -1);
  CHECK_EQ(up_to(DType::kInt64, 0, 1)->most(), -1);  // it may exceed what a list holds
}

TEST(loop_steps_of_a_condition_of_two_parts) {
  Loop l;
  Operand x = l.make.input(DType::kFloat, Shape());
  l.of(
      {number(0), x},
      [](const Vars& v) {
        Operand small = op("Less", v[1], build::constant(f32(100)));
        return Vars{op("LogicalAnd", small, op("Less", v[0], number(6)))};
      },
      [](const Vars& v) {
        return Vars{v[0] + number(1), v[1] + v[1]};
      });
  CHECK_EQ(l.most(), 6);
  Loop other;
  Operand y = other.make.input(DType::kFloat, Shape());
  other.of(
      {number(0), y},
      [](const Vars& v) {
        Operand small = op("Less", v[1], build::constant(f32(100)));
        return Vars{op("LogicalOr", small, op("Less", v[0], number(6)))};
      },
      [](const Vars& v) {
        return Vars{v[0] + number(1), v[1] + v[1]};
      });
  CHECK_EQ(other.most(), -1);  // the other part may go on
}

TEST(loop_counters) {
  Loop l;
  Operand n = l.make.input(DType::kInt32, Shape(), "n"), x = l.make.input(DType::kFloat, Shape(), "x");
  l.of(
      {number(0), number(5), n, x, number(2), number(0)}, [](const Vars& v) { return Vars{op("Less", v[0], v[4])}; },
      [](const Vars& v) {
        return Vars{v[0] + number(1),          v[4] + v[1],     v[2] + number(3), v[3] + v[3],
                    emit1("Identity", {v[4]}), v[5] * number(2)};
      });
  std::optional<LoopSteps::Counter> steps = l.steps->counter(0), by_variable = l.steps->counter(1);
  std::optional<LoopSteps::Counter> from_outside = l.steps->counter(2);
  CHECK(steps && steps->first.tensor.int_at(0) == 0 && steps->by.tensor.int_at(0) == 1);
  // The step is a loop-invariant variable, on either side of the sum.
  CHECK(by_variable && by_variable->first.tensor.int_at(0) == 5 && by_variable->by.tensor.int_at(0) == 2);
  CHECK(from_outside && from_outside->first.graph == l.make.graph() && from_outside->first.value == n.value);
  CHECK(!l.steps->counter(3));  // no integer
  CHECK(!l.steps->counter(4));  // it stays as it is
  CHECK(!l.steps->counter(5));  // it grows by more each time
  CHECK(!l.steps->counter(6));  // there is none
  CHECK(l.steps->counts_steps(0));
  for (std::size_t i : {1u, 2u, 3u, 4u, 5u, 6u}) CHECK(!l.steps->counts_steps(i));
}

TEST(loop_invariants) {
  Loop l;
  Operand x = l.make.input(DType::kFloat, Shape(), "x");
  Value same, mixed, drawn, moved;
  l.of(
      {number(0), x, x}, [](const Vars& v) { return Vars{op("Less", v[0], number(3))}; },
      [&](const Vars& v) {
        Operand fixed = emit1("Exp", {v[1] * build::constant(f32(2))});
        Operand random = emit1("RandomStandardNormal", {build::ints({0})}, {{"dtype", DType::kFloat}});
        Operand changes = fixed + v[2];
        same = fixed.value;
        mixed = changes.value;
        drawn = random.value;
        moved = v[2].value;
        return Vars{v[0] + number(1), emit1("Identity", {v[1]}), changes};
      });
  CHECK(!l.steps->is_invariant(0) && l.steps->is_invariant(1) && !l.steps->is_invariant(2));
  CHECK(l.steps->is_invariant(same));
  CHECK(!l.steps->is_invariant(mixed));
  CHECK(!l.steps->is_invariant(drawn));  // without inputs, and new each time
  CHECK(!l.steps->is_invariant(moved));
}

TEST(loop_invariants_of_deep_bodies_without_recursion) {
  Loop l;
  Operand x = l.make.input(DType::kFloat, Shape(), "x");
  Value deep;
  l.of(
      {number(0), x}, [](const Vars& v) { return Vars{op("Less", v[0], number(3))}; },
      [&](const Vars& v) {
        Operand y = v[1];
        for (int i = 0; i < 50'000; ++i) y = -y;
        deep = y.value;
        return Vars{v[0] + number(1), v[1]};
      });
  CHECK(l.steps->is_invariant(deep));
}

}  // namespace
}  // namespace tracefn::test
