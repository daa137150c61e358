// Loops of scalars as register code: the same answers as bodies run by the executor.
#include "exec/scalar_loop.h"

#include "../check.h"
#include "graphs.h"

namespace tracefn::test {
namespace {

using Args = std::vector<Operand>;

template <typename F>
FuncRef function(const std::string& name, const std::vector<std::pair<DType, Shape>>& inputs, F make_outputs) {
  GraphMaker make(name);
  Args args;
  for (const auto& [dtype, shape] : inputs) args.push_back(make.input(dtype, shape));
  for (const Operand& out : make_outputs(args)) make.output(out);
  return {name, make.graph()};
}

Operand number(std::int32_t v) { return build::constant(i32(v)); }

const std::pair<DType, Shape> kInt{DType::kInt32, Shape()}, kFloat{DType::kFloat, Shape()};
const std::pair<DType, Shape> kAnyFloat{DType::kFloat, Shape::unknown()};

// A graph whose only node is the loop, its arguments those of the loop.
struct Loop {
  Loop(const std::vector<std::pair<DType, Shape>>& inputs, const FuncRef& cond, const FuncRef& body) {
    Args args;
    for (const auto& [dtype, shape] : inputs) args.push_back(make.input(dtype, shape));
    Operands outputs = emit_all("StatelessWhile", std::span<const Operand>(args), {{"cond", cond}, {"body", body}});
    for (const Operand& out : outputs) make.output(out);
  }
  bool is_scalar() {
    const Graph& g = *make.graph();
    return ScalarLoop::compile(g.node(g.outputs[0].node)) != nullptr;
  }
  GraphMaker make;
};

TEST(scalar_loop_swaps_variables) {
  std::vector<std::pair<DType, Shape>> types{kInt, kInt, kInt};
  Loop loop(types,
            function("cond", types,
                     [](Args& a) {
                       return Args{emit1("Less", {a[0], number(5)})};
                     }),
            function("body", types, [](Args& a) {
              return Args{a[0] + number(1), a[2], a[1] + a[2]};
            }));
  CHECK(loop.is_scalar());
  auto results = run_graph(loop.make.graph(), {i32(0), i32(0), i32(1)});
  CHECK_EQ(results[1].item<std::int32_t>(), 5);  // Fibonacci
  CHECK_EQ(results[2].item<std::int32_t>(), 8);
}

TEST(scalar_loop_nests_loops_conditionals_and_calls) {
  std::vector<std::pair<DType, Shape>> types{kInt, kInt};
  FuncRef twice = function("twice", {kInt}, [](Args& a) { return Args{a[0] + a[0]}; });
  FuncRef same = function("same", {kInt}, [](Args& a) { return Args{a[0]}; });
  const std::vector<DType> one_int{DType::kInt32};
  auto body = function("body", types, [&](Args& a) {
    Operand inner_inputs[] = {number(0), a[1]};
    Operands inner = emit_all("StatelessWhile", inner_inputs,
                              {{"cond", function("inner_cond", types,
                                                 [](Args& b) {
                                                   return Args{emit1("Less", {b[0], number(3)})};
                                                 })},
                               {"body", function("inner_body", types, [](Args& b) {
                                  return Args{b[0] + number(1), b[1] + b[0]};
                                })}});
    Operand if_inputs[] = {emit1("Less", {a[0], number(2)}), inner[1]};
    Operand chosen =
        emit_all("StatelessIf", if_inputs, {{"then_branch", twice}, {"else_branch", same}, {"Tout", one_int}})[0];
    Operand call_inputs[] = {chosen};
    return Args{a[0] + number(1), emit_all("PartitionedCall", call_inputs, {{"f", same}, {"Tout", one_int}})[0]};
  });
  Loop loop(types, function("cond", types, [](Args& a) { return Args{emit1("Less", {a[0], number(4)})}; }), body);
  CHECK(loop.is_scalar());
  std::int32_t wanted = 1;
  for (int i = 0; i < 4; ++i) wanted = i < 2 ? 2 * (wanted + 3) : wanted + 3;
  CHECK_EQ(run_graph(loop.make.graph(), {i32(0), i32(1)})[1].item<std::int32_t>(), wanted);
}

TEST(scalar_loop_hands_other_values_on) {
  std::vector<std::pair<DType, Shape>> types{kInt, {DType::kFloat, Shape({3})}, {DType::kString, Shape()}};
  auto cond = function("cond", types, [](Args& a) { return Args{emit1("Less", {a[0], number(5)})}; });
  Loop loop(types, cond, function("body", types, [](Args& a) { return Args{a[0] + number(1), a[1], a[2]}; }));
  CHECK(loop.is_scalar());
  Tensor x = Tensor::zeros(DType::kFloat, Shape({3}));
  auto results = run_graph(loop.make.graph(), {i32(0), x, Tensor::scalar(std::string("text"))});
  CHECK(results[1].raw() == x.raw());
  CHECK_EQ(results[2].item<std::string>(), std::string("text"));
  Loop grows(types, cond, function("body", types, [](Args& a) { return Args{a[0] + number(1), a[1] + a[1], a[2]}; }));
  CHECK(!grows.is_scalar());
}

TEST(scalar_loop_looks_at_what_comes) {
  std::vector<std::pair<DType, Shape>> types{kInt, kAnyFloat};
  Loop loop(types,
            function("cond", types,
                     [](Args& a) {
                       return Args{emit1("Less", {a[0], number(3)})};
                     }),
            function("body", types, [](Args& a) {
              return Args{a[0] + number(1), a[1] + a[1]};
            }));
  CHECK(loop.is_scalar());
  CHECK_EQ(run_graph(loop.make.graph(), {i32(0), f32(1)})[1].item<float>(), 8.0f);
  std::vector<float> ones(2, 1.0f);
  auto results = run_graph(loop.make.graph(), {i32(0), Tensor::vector(std::span<const float>(ones))});
  CHECK_EQ(results[1].data<float>()[1], 8.0f);
}

TEST(scalar_loop_names_the_node_that_failed) {
  std::vector<std::pair<DType, Shape>> types{kInt, kInt};
  Loop loop(types,
            function("cond", types,
                     [](Args& a) {
                       return Args{emit1("Less", {a[0], number(3)})};
                     }),
            function("body", types, [](Args& a) {
              return Args{a[0] + number(1), emit1("FloorDiv", {a[1], number(2) - a[0]})};
            }));
  CHECK(loop.is_scalar());
  auto call = [&] { run_graph(loop.make.graph(), {i32(0), i32(7)}); };
  CHECK_THROWS(call(), kInvalidArgument, "Detected at node FloorDiv");
}

}  // namespace
}  // namespace tracefn::test
