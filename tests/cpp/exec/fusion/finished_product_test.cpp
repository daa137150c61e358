// Products whose blocks elementwise ops go on with, against the same graphs run op by op: the same bits.
#include "exec/fusion/finished_product.h"

#include <cmath>
#include <optional>

#include "exec/fusion/groups.h"
#include "exec/threads.h"
#include "passes/ops_text.h"

namespace tracefn::test {
namespace {

// As it is and optimized, with vector code and without, on one to three threads.
void check_finished(const std::shared_ptr<Graph>& graph, const std::vector<Tensor>& args) {
  auto optimized = std::const_pointer_cast<Graph>(optimize(graph, kVerified));
  bool any = false;
  for (NodeId id : optimized->order()) any |= optimized->node(id).form == NodeForm::kFinishedProduct;
  CHECK(any);
  const std::vector<Tensor> plain = run_graph(graph, args);
  for (std::int64_t work : {kNever, std::int64_t{0}})
    for (int threads : {1, 2, 3}) {
      const Threads some(threads);
      TranslateAfter when(work);
      const std::vector<Tensor> finished = run_graph(optimized, args);
      CHECK_EQ(plain.size(), finished.size());
      for (std::size_t i = 0; i < plain.size(); ++i) CHECK(same_bits(plain[i], finished[i]));
    }
}

// With a NaN, infinities and a negative zero, if there is room.
Tensor special(DType dtype, Shape shape) {
  Tensor x = numbers(DType::kFloat, std::move(shape), -1, 0.021);
  const float values[] = {NAN, INFINITY, -INFINITY, -0.0f};
  const std::int64_t n = x.num_elements();
  for (std::int64_t i = 0; i < 4 && n > 8; ++i) x.mutable_data<float>()[(i + 1) * n / 6] = values[i];
  TargetScope eagerly(eager_target());
  return build::cast(Operand(x), dtype).tensor;
}

struct Sizes {
  std::int64_t m, k, n;
};
// In one call, in place, with a vector, with few rows, and with shared packed columns.
constexpr Sizes kSizes[] = {{5, 3, 7},     {64, 64, 64},    {1, 300, 40},    {300, 40, 1}, {90, 500, 300},
                            {90, 700, 33}, {260, 784, 130}, {131, 900, 515}, {0, 4, 3},    {3, 0, 40}};

TEST(finished_products_of_all_sizes_and_dtypes) {
  for (DType dtype : {DType::kFloat, DType::kDouble, DType::kHalf, DType::kBFloat16, DType::kInt32, DType::kComplex64})
    for (const Sizes& s : kSizes)
      for (int transposed = 0; transposed < 4; transposed += 3) {
        const bool ta = transposed & 1, tb = transposed & 2;
        GraphMaker make;
        Operand a = make.input(dtype, Shape({-1, -1}), "a"), b = make.input(dtype, Shape({-1, -1}), "b");
        Operand bias = make.input(dtype, Shape({-1}), "bias"), residual = make.input(dtype, Shape({-1, -1}), "r");
        Operand scale = make.input(dtype, Shape({-1, 1}), "scale");
        Operand y = emit1("MatMul", {a, b}, {{"transpose_a", ta}, {"transpose_b", tb}});
        make.output((y + bias) * scale - residual);
        make.output(build::cast(y * y, is_complex(dtype) ? DType::kComplex128 : DType::kDouble));
        check_finished(make.graph(),
                       {special(dtype, ta ? Shape({s.k, s.m}) : Shape({s.m, s.k})),
                        numbers(dtype, tb ? Shape({s.n, s.k}) : Shape({s.k, s.n}), -1, 0.02),
                        numbers(dtype, Shape({s.n}), 0.5, 0.01), numbers(dtype, Shape({s.m, s.n}), -1, 0.015),
                        numbers(dtype, Shape({s.m, 1}), -0.3, 0.1)});
      }
}

TEST(finished_products_of_batches) {
  for (DType dtype : {DType::kFloat, DType::kHalf})
    for (bool broadcast : {false, true}) {
      GraphMaker make;
      Operand a = make.input(dtype, Shape::unknown(), "a"), b = make.input(dtype, Shape::unknown(), "b");
      Operand bias = make.input(dtype, Shape::unknown(), "bias");
      make.output(emit1("Tanh", {emit1("BatchMatMulV2", {a, b}) + bias}));
      for (std::int64_t n : {9, 200})
        check_finished(make.graph(), {special(dtype, Shape({3, 4, n, 70})),
                                      numbers(dtype, broadcast ? Shape({70, n}) : Shape({4, 70, n}), -1, 0.02),
                                      numbers(dtype, Shape({4, 1, n}), 0.5, 0.01)});
    }
}

TEST(finished_product_reuses_no_operand_that_is_still_read) {
  // Both have the shape and dtype of the result, and die here.
  GraphMaker make;
  Operand x = emit1("Cumsum", {make.input(DType::kFloat, Shape({64, 64})), build::scalar(DType::kInt32, 0)});
  Operand y = emit1("Cumsum", {make.input(DType::kFloat, Shape({64, 64}), "y"), build::scalar(DType::kInt32, 0)});
  make.output(emit1("MatMul", {x, y}) * x + y);
  check_finished(make.graph(), {numbers(DType::kFloat, Shape({64, 64}), -1, 0.02),
                                numbers(DType::kFloat, Shape({64, 64}), -1, 0.03)});
}

TEST(finished_product_is_a_result_too) {
  for (std::int64_t m : {7, 300}) {
    GraphMaker make;
    Operand x = make.input(DType::kFloat, Shape({-1, 400})), w = make.input(DType::kFloat, Shape({400, 300}), "w");
    Operand y = emit1("MatMul", {x, w});
    Operand z = emit1("Tanh", {y}) * build::scalar(DType::kFloat, 3);
    make.output(z);
    make.output(y);
    make.output(z + y);
    check_finished(make.graph(), {numbers(DType::kFloat, Shape({m, 400}), -1, 0.02),
                                  numbers(DType::kFloat, Shape({400, 300}), -1, 0.03)});
  }
}

TEST(finished_product_broadcasts_after_the_product_if_shapes_differ) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({-1, 40})), w = make.input(DType::kFloat, Shape({40, 30}), "w");
  Operand r = make.input(DType::kFloat, Shape({-1, 30}), "r"), b = make.input(DType::kFloat, Shape({30}), "b");
  make.output(emit1("MatMul", {x, w}) + r);
  make.output(emit1("Tanh", {emit1("MatMul", {x, w}) + b}) + r);
  for (auto [m, n] : {std::pair<std::int64_t, std::int64_t>{1, 9}, {9, 1}, {9, 9}})
    check_finished(make.graph(),
                   {numbers(DType::kFloat, Shape({m, 40}), -1, 0.02), numbers(DType::kFloat, Shape({40, 30}), -1, 0.03),
                    numbers(DType::kFloat, Shape({n, 30}), -1, 0.04), numbers(DType::kFloat, Shape({30}), -1, 0.05)});
}

TEST(finished_product_errors_name_their_node) {
  GraphMaker make;
  Operand x = make.input(DType::kInt32, Shape({-1, -1})), y = make.input(DType::kInt32, Shape({-1, -1}), "y");
  make.output(emit1("FloorDiv", {emit1("MatMul", {x, y}), y}));
  auto optimized = std::const_pointer_cast<Graph>(optimize(make.graph(), kVerified));
  const Tensor zeros = Tensor::zeros(DType::kInt32, Shape({4, 4}));
  CHECK_THROWS(run_graph(optimized, {zeros, zeros}), kInvalidArgument, "Integer division by zero");
  CHECK_THROWS(run_graph(optimized, {zeros, Tensor::zeros(DType::kInt32, Shape({3, 4}))}), kInvalidArgument,
               "Matrix size-incompatible: In[0]: [4,4], In[1]: [3,4]");
}

TEST(finish_products_takes_what_reads_the_product) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({8, 8})), b = make.input(DType::kFloat, Shape({8}), "b");
  Operand h = emit1("Relu", {emit1("MatMul", {x, x}) + b});
  Operand y = emit1("MatMul", {h, x}) + h;                        // the operand is read twice
  Operand z = emit1("MatMul", {y, x}) + emit1("MatMul", {y, h});  // the later of the two
  make.output(emit1("Softmax", {emit1("MatMul", {z, x})}));
  make.output(emit1("Sum", {emit1("MatMul", {z, h}), build::ints({0})}));
  CHECK_EQ(ops(*optimize(make.graph(), kVerified)),
           "(MatMul (AddV2 Relu)) (MatMul AddV2) MatMul (MatMul AddV2) MatMul (Max (Sub Exp Sum) Reciprocal Mul) "
           "MatMul Sum");
}

}  // namespace
}  // namespace tracefn::test
