// Loops of scalars as bytecode: the same answers as bodies run by the executor.
#include "exec/scalar/scalar_loop.h"

#include "check.h"
#include "exec/graphs.h"
#include "ops/list/tensor_list.h"

namespace tracefn::test {
namespace {

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
    return ScalarLoop::compile(g, g.node(g.outputs[0].node)) != nullptr;
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
  std::vector<std::pair<DType, Shape>> texts{kInt, {DType::kString, Shape()}};
  Loop changes(texts,
               function("cond", texts,
                        [](Args& a) {
                          return Args{emit1("Less", {a[0], number(5)})};
                        }),
               function("body", texts, [](Args& a) {
                 return Args{a[0] + number(1), emit1("StringLower", {a[1]})};
               }));
  CHECK(!changes.is_scalar());
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

const std::pair<DType, Shape> kList{DType::kVariant, Shape()};

FuncRef less_than(std::int32_t n, const std::vector<std::pair<DType, Shape>>& types) {
  return function("cond", types, [n](Args& a) { return Args{emit1("Less", {a[0], number(n)})}; });
}
Operand push(const Operand& list, const Operand& value) {
  Operand args[] = {list, value};
  return emit_all("TensorListPushBack", args)[0];
}
Operands pop(const Operand& list) {
  Operand args[] = {list, build::ints({})};
  return emit_all("TensorListPopBack", args, {{"element_dtype", DType::kInt32}});
}
Tensor list_of(std::initializer_list<std::int32_t> values, std::int64_t most = -1) {
  OwnedList made = new_list(DType::kInt32, Shape(), most);
  for (std::int32_t v : values) made.list->elements().push_back(i32(v));
  return made.handle;
}
std::vector<std::int32_t> ints_of(const Tensor& handle) {
  std::vector<std::int32_t> values;
  for (const Tensor& t : static_cast<const TensorList&>(*handle.object()).elements())
    values.push_back(t.item<std::int32_t>());
  return values;
}
using Ints = std::vector<std::int32_t>;

TEST(scalar_loop_pushes_to_lists) {
  std::vector<std::pair<DType, Shape>> types{kInt, kList};
  Loop loop(types, less_than(40, types), function("body", types, [](Args& a) {
              return Args{a[0] + number(1), push(a[1], a[0] * a[0])};
            }));
  CHECK(loop.is_scalar());
  Tensor list = list_of({7});
  Ints values = ints_of(run_graph(loop.make.graph(), {i32(0), list})[1]);
  CHECK_EQ(values.size(), 41u);
  CHECK_EQ(values[0], 7);
  CHECK_EQ(values[40], 39 * 39);
  CHECK(ints_of(list) == Ints{7});  // somebody else's
  auto call = [&] { run_graph(loop.make.graph(), {i32(0), list_of({7}, 3)}); };
  CHECK_THROWS(call(), kInvalidArgument, "Tried to push item into a full list");
}

TEST(scalar_loop_pops_what_another_pushed) {
  std::vector<std::pair<DType, Shape>> types{kInt, kList}, back_types{kInt, kList, kInt};
  Loop loop(types, less_than(5, types), function("body", types, [](Args& a) {
              return Args{a[0] + number(1), push(a[1], a[0])};
            }));
  Loop back(back_types, less_than(3, back_types), function("body", back_types, [](Args& a) {
              Operands popped = pop(a[1]);
              return Args{a[0] + number(1), popped[0], a[2] * number(10) + popped[1]};
            }));
  CHECK(loop.is_scalar() && back.is_scalar());
  Tensor list = run_graph(loop.make.graph(), {i32(0), list_of({})})[1];
  for (int round = 0; round < 2; ++round) {  // the list is not used up
    auto results = run_graph(back.make.graph(), {i32(0), list, i32(0)});
    CHECK(ints_of(results[1]) == (Ints{0, 1}));
    CHECK_EQ(results[2].item<std::int32_t>(), 432);
  }
  auto call = [&] { run_graph(back.make.graph(), {i32(0), list_of({1}), i32(0)}); };
  CHECK_THROWS(call(), kInvalidArgument, "Trying to pop from an empty list");
}

TEST(scalar_loop_reads_and_sets_elements) {
  std::vector<std::pair<DType, Shape>> types{kInt, kList};
  Loop loop(types, less_than(4, types), function("body", types, [](Args& a) {
              Operand read = emit1("TensorListGetItem", {a[1], a[0] - number(1), build::ints({})},
                                   {{"element_dtype", DType::kInt32}});
              return Args{a[0] + number(1), emit1("TensorListSetItem", {a[1], a[0], read + read})};
            }));
  CHECK(loop.is_scalar());
  OwnedList reserved = new_list(DType::kInt32, Shape());
  reserved.list->elements().resize(4);
  reserved.list->elements()[0] = i32(3);
  CHECK(ints_of(run_graph(loop.make.graph(), {i32(1), reserved.handle})[1]) == (Ints{3, 6, 12, 24}));
  auto call = [&] { run_graph(loop.make.graph(), {i32(1), list_of({1, 2})}); };
  CHECK_THROWS(call(), kInvalidArgument, "Trying to modify element 2 in a list with 2 elements");
}

TEST(scalar_loop_pushes_in_branches) {
  std::vector<std::pair<DType, Shape>> types{kInt, kList};
  FuncRef pushes = function("pushes", types, [](Args& a) { return Args{push(a[1], a[0])}; });
  FuncRef keeps = function("keeps", types, [](Args& a) { return Args{a[1]}; });
  FuncRef pops = function("pops", types, [](Args& a) { return Args{pop(a[1])[0]}; });
  const std::vector<DType> variant{DType::kVariant};
  for (const FuncRef& other : {keeps, pops}) {
    Loop loop(types, less_than(5, types), function("body", types, [&](Args& a) {
                Operand odd = emit1("Equal", {emit1("FloorMod", {a[0], number(2)}), number(1)});
                Operand inputs[] = {odd, a[0], a[1]};
                Operand list = emit_all("StatelessIf", inputs,
                                        {{"then_branch", pushes}, {"else_branch", other}, {"Tout", variant}})[0];
                return Args{a[0] + number(1), list};
              }));
    CHECK(loop.is_scalar());
    // Instructions 0 to 4: the other branch, 1, the other branch, 3, the other branch.
    Ints wanted = other.name == "keeps" ? Ints{8, 9, 1, 3} : Ints{8};
    CHECK(ints_of(run_graph(loop.make.graph(), {i32(0), list_of({8, 9})})[1]) == wanted);
  }
}

TEST(scalar_loop_copies_lists_whose_older_state_is_used) {
  std::vector<std::pair<DType, Shape>> types{kInt, kList, kInt};
  Loop loop(types, less_than(5, types), function("body", types, [](Args& a) {
              Operand longer = push(a[1], a[0]);
              return Args{a[0] + number(1), longer, a[2] + pop(a[1])[1]};
            }));
  CHECK(loop.is_scalar());
  CHECK_EQ(run_graph(loop.make.graph(), {i32(0), list_of({2}), i32(0)})[2].item<std::int32_t>(), 2 + 0 + 1 + 2 + 3);
}

TEST(scalar_loop_leaves_lists_of_others_alone) {
  std::vector<std::pair<DType, Shape>> types{kInt, kList};
  Loop loop(types, less_than(2, types), function("body", types, [](Args& a) {
              return Args{a[0] + number(1), push(a[1], a[0])};
            }));
  OwnedList mixed = new_list(DType::kInt32, Shape::unknown());
  std::vector<std::int32_t> two{1, 2};
  mixed.list->elements().push_back(Tensor::vector(std::span<const std::int32_t>(two)));
  Tensor list = run_graph(loop.make.graph(), {i32(0), mixed.handle})[1];
  const auto& elements = static_cast<const TensorList&>(*list.object()).elements();
  CHECK_EQ(elements.size(), 3u);
  CHECK_EQ(elements[0].rank(), 1);
  CHECK_EQ(elements[2].item<std::int32_t>(), 1);
}

Tensor floats(std::initializer_list<float> values) { return Tensor::vector(std::span<const float>(values)); }
std::vector<float> values_of(const Tensor& t) { return {t.span<float>().begin(), t.span<float>().end()}; }
using Floats = std::vector<float>;

TEST(scalar_loop_takes_small_tensors_apart) {
  std::vector<std::pair<DType, Shape>> types{kInt, {DType::kFloat, Shape({3})}};
  Loop loop(types, less_than(3, types), function("body", types, [](Args& a) {
              Operand turned = emit1("ReverseV2", {a[1], build::ints({0})});
              Operand sum = build::sum(a[1], build::ints({0}));
              return Args{a[0] + number(1), turned + sum};
            }));
  CHECK(loop.is_scalar());
  auto results = run_graph(loop.make.graph(), {i32(2), floats({1, 2, 4})});
  CHECK(values_of(results[1]) == (Floats{11, 9, 8}));
  results = run_graph(loop.make.graph(), {i32(3), floats({1, 2, 4})});  // no iteration
  CHECK(values_of(results[1]) == (Floats{1, 2, 4}));
  Tensor x = floats({1, 2, 4});
  run_graph(loop.make.graph(), {i32(0), x});
  CHECK(values_of(x) == (Floats{1, 2, 4}));  // somebody else's
}

TEST(scalar_loop_updates_arrays_in_place) {
  std::vector<std::pair<DType, Shape>> types{kInt, {DType::kFloat, Shape({-1})}};
  Loop loop(types, less_than(3, types), function("body", types, [](Args& a) {
              Operand next = emit1("GatherV2", {a[1], a[0] + number(1), number(0)});
              Operand at = build::reshape(a[0], build::ints({1, 1}));
              Operand value = build::reshape(next + next, build::ints({1}));
              return Args{a[0] + number(1), emit1("TensorScatterUpdate", {a[1], at, value})};
            }));
  CHECK(loop.is_scalar());
  Tensor x = floats({1, 2, 4, 8, 16});
  auto results = run_graph(loop.make.graph(), {i32(0), x});
  CHECK(values_of(results[1]) == (Floats{4, 8, 16, 8, 16}));
  CHECK(values_of(x) == (Floats{1, 2, 4, 8, 16}));
  auto call = [&] { run_graph(loop.make.graph(), {i32(0), floats({1, 2, 3})}); };
  CHECK_THROWS(call(), kInvalidArgument, "indices = 3 is not in [0, 3)");
}

TEST(scalar_loop_keeps_rows_in_lists) {
  std::vector<std::pair<DType, Shape>> types{kInt, kList, {DType::kFloat, Shape({2})}};
  Loop loop(
      types, less_than(3, types), function("body", types, [](Args& a) {
        Operand list = emit1("TensorListSetItem", {a[1], a[0], a[2]});
        Operand read = emit1("TensorListGetItem", {list, a[0], build::ints({2})}, {{"element_dtype", DType::kFloat}});
        return Args{a[0] + number(1), push(list, read), read + read};
      }));
  CHECK(loop.is_scalar());
  OwnedList reserved = new_list(DType::kFloat, Shape::unknown());
  reserved.list->elements().resize(4);
  auto results = run_graph(loop.make.graph(), {i32(1), reserved.handle, floats({1, 3})});
  const auto& elements = static_cast<const TensorList&>(*results[1].object()).elements();
  CHECK_EQ(elements.size(), 6u);
  CHECK(values_of(elements[0]) == (Floats{0, 0}));
  CHECK(values_of(elements[2]) == (Floats{2, 6}));
  CHECK(values_of(elements[5]) == (Floats{2, 6}));
  CHECK(!static_cast<const TensorList&>(*reserved.handle.object()).elements()[1].defined());
}

TEST(scalar_loop_says_what_it_does_not_compile) {
  std::vector<std::pair<DType, Shape>> types{kInt, {DType::kString, Shape()}};
  Loop loop(types, less_than(3, types), function("body", types, [](Args& a) {
              return Args{a[0] + number(1), emit1("StringLower", {a[1]})};
            }));
  std::string reason;
  const Graph& g = *loop.make.graph();
  CHECK(ScalarLoop::compile(g, g.node(g.outputs[0].node), &reason) == nullptr);
  CHECK_EQ(reason, std::string("node StringLower (StringLower)"));
}

}  // namespace
}  // namespace tracefn::test
