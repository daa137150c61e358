// Building of graphs: names, static shapes by way of known values, TensorFlow's shape errors.
#include "ops/graph_target.h"

#include "check.h"
#include "exec/graphs.h"

namespace tracefn::test {
namespace {

TEST(graph_target_names_nodes) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape());
  Operands named;
  Operand both[] = {x, x};
  emit(Registry::get().at("AddV2"), both, {}, named, "total");
  CHECK_EQ(make.graph()->value_name(named[0].value), "total:0");
  CHECK_EQ(make.graph()->value_name((x + x).value), "AddV2:0");
  CHECK_EQ(make.graph()->value_name((x + x).value), "AddV2_1:0");
}

TEST(graph_target_makes_constants_of_eager_tensors) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape());
  Operand y = emit1("AddV2", {x, Operand(f32(2))});
  CHECK_EQ(make.graph()->node(1).op->name, "Const");
  make.output(y);
  CHECK_EQ(run_graph(make.graph(), {f32(1)})[0].item<float>(), 3.0f);
}

TEST(graph_target_refuses_other_graphs) {
  GraphMaker one("one");
  Operand x = one.input(DType::kFloat, Shape());
  GraphMaker two("two");
  CHECK_THROWS(emit1("Neg", {x}), kValue, "must be from the same graph");
}

TEST(graph_target_words_shape_errors) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({2, 3})), y = make.input(DType::kFloat, Shape({2, 4}), "y");
  CHECK_THROWS(emit1("MatMul", {x, y}), kValue,
               "for '{{node MatMul}} = MatMul[T=DT_FLOAT, grad_a=false, grad_b=false, transpose_a=false, "
               "transpose_b=false](x, y)' with input shapes: [2,3], [2,4].");
  CHECK_THROWS(emit1("Reshape", {x, build::ints({4})}), kValue,
               "Cannot reshape a tensor with 6 elements to shape [4] (4 elements) for '{{node Reshape}} = "
               "Reshape[T=DT_FLOAT, Tshape=DT_INT32](x, Const)' with input shapes: [2,3], [1] and with input tensors "
               "computed as partial shapes: input[1] = [4].");
  CHECK_THROWS(emit1("ExpandDims", {x, build::constant(i32(5))}), kValue,
               "with input shapes: [2,3], [] and with computed input tensors: input[1] = <5>.");
}

TEST(graph_target_computes_shapes_from_constants) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({6}));
  Operand six = build::ints({2, 1}) + build::ints({0, 2});
  CHECK_EQ(emit1("Reshape", {x, six}).shape(), Shape({2, 3}));
  Tensor value = make.target().constant_value(six);
  CHECK(value.defined() && value.int_at(1) == 3);
  CHECK(!make.target().constant_value(x).defined());
}

TEST(graph_target_reads_parts_of_shapes) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({-1, 4}));
  Operand shape = emit1("Shape", {x});
  CHECK(!make.target().constant_value(shape).defined());
  CHECK_EQ(emit1("Fill", {shape, build::constant(i32(0))}).shape(), Shape({-1, 4}));
  auto at = [&](std::int32_t i) {
    return emit1("StridedSlice", {shape, build::ints({i}), build::ints({i + 1}), build::ints({1})},
                 {{"shrink_axis_mask", 1}});
  };
  Tensor columns = make.target().constant_value(at(1));
  CHECK(columns.defined() && columns.int_at(0) == 4);
  CHECK(!make.target().constant_value(at(0)).defined());
  auto pack = [](std::initializer_list<Operand> values) { return emit1("Pack", values, {{"axis", 0}}); };
  CHECK_EQ(emit1("Reshape", {x, pack({at(0), build::constant(i32(2)), build::constant(i32(2))})}).shape(),
           Shape({-1, 2, 2}));
  CHECK_EQ(emit1("Reshape", {x, pack({at(0), build::constant(i32(-1))})}).shape(), Shape({-1, -1}));
  Operand longer = emit1("ConcatV2", {shape, build::ints({1}), build::constant(i32(0))});
  CHECK_EQ(emit1("Reshape", {x, longer}).shape(), Shape({-1, 4, 1}));
  Operand wide = emit1("Cast", {shape}, {{"DstT", DType::kInt64}});
  CHECK_EQ(emit1("Reshape", {x, wide}).shape(), Shape({-1, 4}));
}

TEST(graph_target_takes_a_long_chain_of_integers) {
  GraphMaker make;
  Operand n = build::constant(i32(0)), one = build::constant(i32(1));
  for (int i = 0; i < 10000; ++i) n = n + one;
  Tensor value = make.target().constant_value(n);
  CHECK(value.defined() && value.int_at(0) == 10000);
}

}  // namespace
}  // namespace tracefn::test
