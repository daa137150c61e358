// Loops over arrays whose iterations scalars decide.
#include "exec/fusion/array_loop.h"
#include "passes/loops.h"
#include "passes/ops_text.h"

namespace tracefn::test {
namespace {

using Values = std::vector<Operand>;

Tensor ramp(std::int64_t n, float first, float step) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(first + step * static_cast<float>(i % 1001));
  return Tensor::vector<float>(values);
}

// The loops of the graph that run block by block.
int array_loops(const Graph& graph) {
  int n = 0;
  for (NodeId id : graph.order())
    n += graph.node(id).op->name == "StatelessWhile" && ArrayLoop::compile(graph.node(id)) != nullptr;
  return n;
}

TEST(split_loops_separates_scalars_from_arrays) {
  GraphMaker make;
  Operand n = make.input(DType::kInt32, Shape(), "n"), x = make.input(DType::kFloat, Shape({-1}), "x");
  auto body = [](const Values& v) { return Values{v[2] * v[2] - v[3]}; };
  Operands results = counted(n, x, body);
  for (std::size_t i = 0; i < 4; ++i) make.output(results[i]);
  CHECK_EQ(ops_after(kSplitLoops, make.graph()),
           "StatelessWhile{Less}{AddV2 AddV2} StatelessWhile{Less}{Mul Sub AddV2}");
  auto all = optimize(make.graph(), kVerified);
  CHECK_EQ(array_loops(*all), 1);
  // It stays split.
  CHECK_EQ(ops(*optimize(all, kVerified)), ops(*all));
  for (int iterations : {-1, 0, 1, 2, 3, 10})
    for (std::int64_t size : {0, 1, 17, 5000, 100000})
      check_same_results(make.graph(), {i32(iterations), ramp(size, -0.9f, 0.0011f)});
}

// Variables that change together read what the others were, not what they have become.
TEST(split_loops_exchanges_values) {
  GraphMaker make;
  Operand n = make.input(DType::kInt32, Shape(), "n"), x = make.input(DType::kFloat, Shape({-1}), "x"),
          y = make.input(DType::kFloat, Shape({-1}), "y"), c = make.input(DType::kFloat, Shape(), "c");
  auto condition = [](const Values& v) { return Values{emit1("Less", {v[0], v[1]})}; };
  auto step = [](const Values& v) {
    return Values{v[0] + build::scalar(DType::kInt32, 2), v[1], v[3] * v[4], emit1("Neg", {v[2]}) + v[3], v[4]};
  };
  Operands results = loop({build::scalar(DType::kInt32, 0), n, x, y, c}, condition, step);
  make.output(results[2]);
  make.output(results[3]);
  CHECK_EQ(array_loops(*optimize(make.graph(), kVerified)), 1);
  for (int iterations : {1, 2, 7, 8})
    check_same_results(make.graph(), {i32(iterations), ramp(3001, 1, 0.5f), ramp(3001, -1, 0.25f), f32(0.5f)});
}

TEST(split_loops_runs_as_before_when_shapes_change) {
  GraphMaker make;
  Operand n = make.input(DType::kInt32, Shape(), "n"), x = make.input(DType::kFloat, Shape::unknown(), "x"),
          y = make.input(DType::kFloat, Shape({-1}), "y");
  auto condition = [](const Values& v) { return Values{emit1("Less", {v[0], v[1]})}; };
  auto step = [](const Values& v) {
    return Values{v[0] + build::scalar(DType::kInt32, 1), v[1], v[2] * v[3] + v[3], v[3]};
  };
  make.output(loop({build::scalar(DType::kInt32, 0), n, x, y}, condition, step)[2]);
  check_same_results(make.graph(), {i32(3), ramp(1, 2, 0), ramp(9, 1, 0.5f)});
  check_same_results(make.graph(), {i32(3), ramp(9, 2, 1), ramp(9, 1, 0.5f)});
}

TEST(split_loops_leaves_other_loops) {
  auto leaves = [](const Body& body) {
    GraphMaker make;
    Operand n = make.input(DType::kInt32, Shape(), "n"), x = make.input(DType::kFloat, Shape({-1}), "x");
    make.output(counted(n, x, body)[2]);
    CHECK(kSplitLoops.run(*make.graph()) == nullptr);
    check_same_results(make.graph(), {i32(3), ramp(50, -1, 0.02f)});
  };
  // Another number in each iteration; elements that depend on others.
  leaves([](const Values& v) { return Values{v[2] * build::cast(v[0], DType::kFloat)}; });
  leaves([](const Values& v) { return Values{v[2] - build::sum(v[2], build::ints({0}))}; });
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({-1}), "x");
  auto condition = [](const Values& v) {
    return Values{emit1("Less", {build::sum(v[1], build::ints({0})), build::scalar(DType::kFloat, 100)})};
  };
  auto step = [](const Values& v) { return Values{v[0] + build::scalar(DType::kInt32, 1), v[1] * v[1] + v[1]}; };
  make.output(loop({build::scalar(DType::kInt32, 0), x}, condition, step)[1]);
  CHECK(kSplitLoops.run(*make.graph()) == nullptr);
}

}  // namespace
}  // namespace tracefn::test
