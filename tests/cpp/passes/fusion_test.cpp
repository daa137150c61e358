// Which nodes the fusing passes put together.
#include "ops/fusable.h"
#include "passes/ops_text.h"

namespace tracefn::test {
namespace {

std::string fused(const std::shared_ptr<Graph>& graph, const Pass& pass = kFuseElementwise) {
  return ops(*passed(pass, graph));
}

TEST(fuse_elementwise_takes_chains_and_keeps_order) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({8, 3})), y = make.input(DType::kFloat, Shape({3}), "y");
  Operand a = emit1("Exp", {x * y});
  Operand b = emit1("MatMul", {a, x}, {{"transpose_a", true}});
  make.output(emit1("Tanh", {b + y}));
  make.output(a);
  CHECK_EQ(fused(make.graph()), "(Mul Exp) MatMul (AddV2 Tanh)");
}

TEST(fuse_elementwise_gives_out_what_others_need_later) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({8}));
  Operand a = emit1("Exp", {x});
  Operand b = a * x;
  make.output(emit1("Cumsum", {a, build::scalar(DType::kInt32, 0)}));
  make.output(b);
  CHECK_EQ(fused(make.graph()), "(Exp Mul) Cumsum");
}

TEST(fuse_elementwise_never_puts_a_node_behind_its_users) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({8}));
  Operand a = emit1("Exp", {x});
  Operand c = emit1("Cumsum", {a, build::scalar(DType::kInt32, 0)});
  make.output(a * c);
  CHECK_EQ(fused(make.graph()), "Exp Cumsum Mul");
}

TEST(fuse_elementwise_leaves_scalars_and_smaller_shapes) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({8, 3})), y = make.input(DType::kFloat, Shape({3}), "y");
  Operand s = make.input(DType::kFloat, Shape(), "s");
  Operand scalar = emit1("Exp", {s + s});
  Operand smaller = emit1("Exp", {y});
  make.output(x * smaller + scalar);
  CHECK_EQ(fused(make.graph()), "AddV2 Exp Exp (Mul AddV2)");
}

TEST(fuse_elementwise_ends_in_a_reduction_of_trailing_axes) {
  for (int axis : {0, 1}) {
    GraphMaker make;
    Operand x = make.input(DType::kFloat, Shape({8, 3}));
    make.output(build::sum(emit1("Square", {x}), build::ints({axis})));
    CHECK_EQ(fused(make.graph()), axis == 1 ? "(Square Sum)" : "Square Sum");
  }
}

TEST(fuse_rows_takes_a_normalization_whole) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({-1, 64})), g = make.input(DType::kFloat, Shape({64}), "g");
  auto mean = [](const Operand& v) { return emit1("Mean", {v, build::ints({1})}, {{"keep_dims", true}}); };
  Operand centred = x - mean(x);
  Operand variance = mean(emit1("Square", {centred}));
  Operand scaled = emit1("Rsqrt", {variance + build::scalar(DType::kFloat, 1e-5)}) * g;
  make.output(centred * scaled);
  CHECK_EQ(fused(make.graph(), kFuseRows), "(Mean (Sub Square Mean) (AddV2 Rsqrt) (Mul Mul))");
}

TEST(fuse_rows_ends_in_a_reduction_of_what_is_made_of_another) {
  for (int axis : {0, 1})
    for (bool keeps : {false, true}) {
      GraphMaker make;
      Operand x = make.input(DType::kFloat, Shape({-1, 65}));
      auto mean = [&](const Operand& v, bool keep) {
        return emit1("Mean", {v, build::ints({axis})}, {{"keep_dims", keep}});
      };
      make.output(mean(emit1("Square", {x - mean(x, true)}), keeps));
      CHECK_EQ(fused(make.graph(), kFuseRows), axis == 1 ? "(Mean (Sub Square Mean))" : "Mean Sub Square Mean");
      for (std::int64_t rows : {0, 1, 7}) {
        Tensor given(DType::kFloat, Shape({rows, 65}));
        for (std::int64_t i = 0; i < given.num_elements(); ++i)
          given.mutable_data<float>()[i] = static_cast<float>(i * 7919 % 97);
        TargetScope eagerly(eager_target());
        check_same_results(make.graph(), {given});
      }
    }
}

TEST(fuse_rows_takes_short_rows_but_not_single_elements) {
  for (std::int64_t columns : {1, 3}) {
    GraphMaker make;
    Operand x = make.input(DType::kFloat, Shape({-1, columns}));
    make.output(x / build::sum(x, build::ints({1}), true));
    CHECK_EQ(fused(make.graph(), kFuseRows), columns == 1 ? "Sum RealDiv" : "(Sum RealDiv)");
  }
}

TEST(expand_softmax_fuses_with_what_is_around_it) {
  for (const char* op : {"Softmax", "LogSoftmax"})
    for (DType dtype : {DType::kFloat, DType::kDouble, DType::kHalf})
      for (std::int64_t columns : {1, 2, 10, 33, 1000, 17000}) {
        GraphMaker make;
        Operand x = make.input(dtype, Shape({-1, columns})), mask = make.input(dtype, Shape({-1, columns}), "mask");
        make.output(emit1(op, {x * build::scalar(dtype, 0.5) + mask}));
        const bool expanded = dtype != DType::kHalf && columns > 1 && columns <= kLongestRow;
        CHECK_EQ(passed(kExpandOps, make.graph()) != make.graph(), expanded);
        if (expanded)
          CHECK_EQ(ops(*optimize(make.graph(), kVerified)),
                   std::string("((Mul AddV2 Max) (Sub Exp Sum) ") + (*op == 'S' ? "Reciprocal Mul)" : "Log Sub)"));
        TargetScope eagerly(eager_target());
        auto values = [&](double first) {
          Tensor t(DType::kDouble, Shape({5, columns}));
          for (std::int64_t i = 0; i < t.num_elements(); ++i)
            t.mutable_data<double>()[i] = first + 0.1 * static_cast<double>(i * 7919 % 97);
          return build::cast(Operand(t), dtype).tensor;
        };
        check_same_results(make.graph(), {values(-4), values(-2)});
      }
}

}  // namespace
}  // namespace tracefn::test
