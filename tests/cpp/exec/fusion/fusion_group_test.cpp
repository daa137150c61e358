// Fused groups against the same graphs run op by op: the same bits, for every way of walking.
#include "exec/fusion/fusion_group.h"

#include "exec/fusion/groups.h"
#include "exec/thread_pool.h"

namespace tracefn::test {
namespace {

// The graph as it is and optimized, with vector code and without, over the same arguments; `fused_calls` says how many
// groups there must be.
void check_same(const std::shared_ptr<Graph>& graph, const std::vector<Tensor>& args, std::size_t fused_calls = 1) {
  auto optimized = std::const_pointer_cast<Graph>(optimize(graph, kVerified));
  CHECK_EQ(calls(*optimized), fused_calls);
  const std::vector<Tensor> plain = run_graph(graph, args);
  for (std::int64_t work : {kNever, std::int64_t{0}}) {
    TranslateAfter when(work);
    const std::vector<Tensor> fused = run_graph(optimized, args);
    CHECK_EQ(plain.size(), fused.size());
    for (std::size_t i = 0; i < plain.size(); ++i) CHECK(same_bits(plain[i], fused[i]));
  }
}

Operand reduce(const char* op, const Operand& x, std::initializer_list<std::int32_t> axes, bool keep = false) {
  return emit1(op, {x, build::ints(axes)}, {{"keep_dims", keep}});
}

TEST(fusion_group_broadcasts) {
  for (auto [rows, columns] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {3, 5}, {700, 3}, {3, 5000}, {0, 4}}) {
    GraphMaker make;
    Operand x = make.input(DType::kFloat, Shape({-1, -1})), bias = make.input(DType::kFloat, Shape({-1}), "bias");
    Operand column = make.input(DType::kFloat, Shape({-1, 1}), "column");
    Operand y = emit1("Tanh", {x * bias + column}) - build::scalar(DType::kFloat, 2);
    make.output(y * y + x);
    check_same(make.graph(), {numbers(DType::kFloat, Shape({rows, columns}), -1, 0.02),
                              numbers(DType::kFloat, Shape({columns}), 0.5, 0.01),
                              numbers(DType::kFloat, Shape({rows, 1}), -0.3, 0.1)});
  }
}

TEST(fusion_group_changes_dtypes) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({-1}));
  Operand positive = emit1("Greater", {x, build::scalar(DType::kFloat, 0)});
  Operand wide = build::cast(emit1("SelectV2", {positive, x, emit1("Neg", {x})}), DType::kDouble);
  make.output(wide * wide);
  make.output(build::cast(positive, DType::kInt8));
  check_same(make.graph(), {numbers(DType::kFloat, Shape({3001}), -1, 0.02)});
}

TEST(fusion_group_falls_back_when_shapes_differ) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({-1})), y = make.input(DType::kFloat, Shape({-1}), "y");
  make.output(emit1("Exp", {x}) + y);
  check_same(make.graph(), {numbers(DType::kFloat, Shape({1}), 1, 1), numbers(DType::kFloat, Shape({9}), 1, 1)});
  check_same(make.graph(), {numbers(DType::kFloat, Shape({9}), 1, 1), numbers(DType::kFloat, Shape({1}), 1, 1)});
  auto optimized = std::const_pointer_cast<Graph>(optimize(make.graph(), kVerified));
  CHECK_THROWS(
      run_graph(optimized, {numbers(DType::kFloat, Shape({3}), 1, 1), numbers(DType::kFloat, Shape({2}), 1, 1)}),
      kInvalidArgument, "Incompatible shapes: [3] vs. [2]");
}

TEST(fusion_group_reduces_rows_of_any_length) {
  for (DType dtype : {DType::kFloat, DType::kDouble, DType::kHalf, DType::kInt16})
    for (const char* op : {"Sum", "Mean", "Max", "Prod"})
      for (auto [rows, columns] : {std::pair<std::int64_t, std::int64_t>{1, 300000}, {5, 3}, {700, 9}, {3, 2500}}) {
        GraphMaker make;
        Operand x = make.input(dtype, Shape({-1, -1}));
        Operand y = x * x + x;
        make.output(reduce(op, y, {1}));
        check_same(make.graph(), {numbers(dtype, Shape({rows, columns}), -1, 0.04)});
      }
}

TEST(fusion_group_reduces_everything_and_gives_out_what_is_reduced) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({-1, -1}));
  Operand y = emit1("Exp", {x * x});
  make.output(reduce("Sum", y, {0, 1}));
  make.output(y);
  check_same(make.graph(), {numbers(DType::kFloat, Shape({300, 701}), -1, 0.02)});
}

// Products, squares and squared differences that only a sum reads are summed without memory for them.
TEST(fusion_group_sums_pairs) {
  for (DType dtype : {DType::kFloat, DType::kDouble, DType::kHalf, DType::kInt32})
    for (std::int64_t columns : {1, 31, 700, 5000, 70000}) {
      Tensor a = numbers(dtype, Shape({3, columns}), -1, 0.02), b = numbers(dtype, Shape({3, columns}), 2, -0.03);
      for (const char* sum : {"Sum", "Mean"}) {
        for (int kind = 0; kind < 6; ++kind) {
          GraphMaker make;
          Operand x = make.input(dtype, Shape({-1, -1})), y = make.input(dtype, Shape({-1, -1}), "y");
          Operand two = build::scalar(dtype, 2);
          Operand e;
          if (kind == 0) e = emit1("Square", {x - y});
          if (kind == 1) e = emit1("Neg", {x}) * y;
          if (kind == 2) e = emit1("SquaredDifference", {x * y, two});
          if (kind == 3) e = two * (x - y);
          if (kind == 4) e = emit1("Square", {two - x});
          if (kind == 5) {
            Operand d = x - y;
            e = d * d;
          }
          make.output(reduce(sum, e, {-1}));
          check_same(make.graph(), {a, b});
        }
      }
    }
  // Rows, with a number per row, and a difference that is read again.
  for (std::int64_t columns : {40, 1000}) {
    GraphMaker make;
    Operand x = make.input(DType::kFloat, Shape({-1, columns}));
    Operand mean = reduce("Mean", x, {-1}, true);
    Operand d = x - mean;
    Operand variance = reduce("Mean", d * d, {-1}, true);
    Operand again = reduce("Mean", emit1("SquaredDifference", {x, mean}), {-1}, true);
    make.output(d * emit1("Rsqrt", {variance + build::scalar(DType::kFloat, 1e-5)}) + again);
    check_same(make.graph(), {numbers(DType::kFloat, Shape({50, columns}), -1, 0.02)});
  }
}

// Rows too long for that are reduced in parts, whether fused or not.
TEST(fusion_group_goes_by_rows) {
  for (auto [dtype, columns] : {std::pair<DType, std::int64_t>{DType::kFloat, 40},
                                {DType::kFloat, 1000},
                                {DType::kFloat, 5},
                                {DType::kFloat, 16385},
                                {DType::kDouble, 17000}}) {
    GraphMaker make;
    Operand x = make.input(dtype, Shape({-1, -1})), g = make.input(dtype, Shape({-1}), "g");
    Operand largest = reduce("Max", x, {-1}, true);
    Operand e = emit1("Exp", {x - largest});
    Operand s = reduce("Sum", e, {-1}, true);
    make.output(e / s * g);
    make.output(emit1("Log", {s}) + largest);
    make.output(emit1("Log", {reduce("Sum", e, {1})}));
    check_same(make.graph(),
               {numbers(dtype, Shape({30, columns}), -1, 0.02), numbers(dtype, Shape({columns}), 0.5, 0.01)}, 3);
  }
}

// Short rows go through a block together, with the numbers of each repeated along it.
TEST(fusion_group_goes_by_many_rows_at_once) {
  for (DType dtype : {DType::kFloat, DType::kDouble, DType::kHalf})
    for (auto [rows, columns] : {std::pair<std::int64_t, std::int64_t>{1, 2}, {7, 3}, {1000, 10}, {33, 64}, {300, 200}})
      for (bool read_both_ways : {false, true}) {
        GraphMaker make;
        Operand x = make.input(dtype, Shape({-1, -1})), g = make.input(dtype, Shape({-1}), "g"),
                w = make.input(dtype, Shape({-1, 1}), "w"), c = make.input(dtype, Shape(), "c");
        Operand largest = reduce("Max", x, {-1}, true);
        Operand e = emit1("Exp", {x - largest}) * w + g;
        Operand s = reduce("Sum", e, {-1}, true) + c;
        if (read_both_ways) s = s * w;
        Operand spread = reduce("Mean", emit1("Square", {e - s}), {-1}, true);
        Operand above = emit1("Greater", {e, spread});
        make.output(emit1("SelectV2", {above, e / s, emit1("Sin", {e}) + c}));
        make.output(emit1("Sqrt", {spread}) + largest);
        make.output(emit1("Neg", {reduce("Sum", e, {1})}));
        check_same(make.graph(),
                   {numbers(dtype, Shape({rows, columns}), -1, 0.02), numbers(dtype, Shape({columns}), 0.5, 0.01),
                    numbers(dtype, Shape({rows, 1}), 1, 0.03), numbers(dtype, Shape(), 0.25, 0)},
                   3);
      }
}

// Blocks whose elements all take one branch do without the other's steps.
TEST(fusion_group_divides_by_a_norm_of_everything) {
  for (const Shape& shape : {Shape({200, 1}), Shape({40}), Shape({3, 50}), Shape({1, 3000})}) {
    GraphMaker make;
    Operand x = make.input(DType::kFloat, shape);
    const Operand sum = shape.rank() == 1 ? reduce("Sum", x * x, {0}) : reduce("Sum", x * x, {0, 1});
    make.output(x / emit1("Sqrt", {sum}));
    Tensor given = numbers(DType::kFloat, shape, -1, 0.04), made;
    check_same(make.graph(), {given});
    auto optimized = optimize(make.graph(), kVerified);
    const Graph& function = *optimized->node(optimized->outputs[0].node).attr("f").func().body;
    auto group = FusionGroup::compile(function, function.outputs);
    CHECK(group != nullptr);
    TensorRef input{&given, false};
    const Node* failed = nullptr;
    CHECK(group->run(std::span(&input, 1), std::span(&made, 1), ThreadPool::get(), failed));
  }
}

TEST(fusion_group_leaves_branches_out) {
  // Zero in the middle third, so that blocks are of one kind, of the other, and mixed.
  const std::int64_t n = 30000;
  Tensor x = numbers(DType::kFloat, Shape({n}), -1, 0.02), some(DType::kBool, Shape({n}));
  for (std::int64_t i = 0; i < n; ++i) {
    const bool middle = i / 10000 == 1;
    if (middle) x.mutable_data<float>()[i] = 0;
    some.mutable_data<bool>()[i] = middle || i == 5;
  }
  for (int kind = 0; kind < 5; ++kind) {
    GraphMaker make;
    Operand v = make.input(DType::kFloat, Shape({-1})), flags = make.input(DType::kBool, Shape({-1}), "flags");
    Operand zero = build::scalar(DType::kFloat, 0), one = build::scalar(DType::kFloat, 1);
    Operand is_zero = emit1("Equal", {v, zero}), high = emit1("Greater", {v, build::scalar(DType::kFloat, 0.5)});
    auto where = [](const Operand& mask, const Operand& t, const Operand& e) {
      return emit1("SelectV2", {mask, t, e});
    };
    if (kind == 0) {  // a formula with an exception, made safe
      Operand safe = where(is_zero, one, v);
      make.output(where(is_zero, one, emit1("Sin", {safe}) / safe));
    } else if (kind == 1) {  // branches within branches, the mask made after what it guards
      Operand e = emit1("Exp", {v}), s = emit1("Sin", {e * e});
      make.output(where(is_zero, emit1("Cos", {v + one}), where(high, s + one, emit1("Tanh", {e}))));
    } else if (kind == 2) {  // a mask from outside
      make.output(where(flags, emit1("Exp", {v * v}), emit1("Sin", {v + one})));
      make.output(emit1("Neg", {v}));
    } else if (kind == 3) {  // what one branch computes is read elsewhere too
      Operand e = emit1("Exp", {v * v});
      make.output(where(is_zero, v + one, e) + emit1("Log", {e}));
    } else {  // one mask for two selections, one of them the other's operand
      Operand a = where(is_zero, emit1("Exp", {v + one}), emit1("Cos", {v}));
      make.output(reduce("Sum", where(is_zero, a * a, emit1("Sin", {a})), {-1}));
    }
    auto optimized = std::const_pointer_cast<Graph>(optimize(make.graph(), kVerified));
    for (const Tensor& mask : {some, numbers(DType::kBool, Shape({n}), 0, 1)}) {
      std::vector<Tensor> args = {x, mask};
      std::vector<Tensor> plain = run_graph(make.graph(), args), fused = run_graph(optimized, args);
      CHECK(calls(*optimized) >= 1);
      for (std::size_t i = 0; i < plain.size(); ++i) CHECK(same_bits(plain[i], fused[i]));
    }
  }
  // An integer division fails where it is not selected, too.
  GraphMaker make;
  Operand v = make.input(DType::kInt32, Shape({-1}));
  Operand zero = build::scalar(DType::kInt32, 0), one = build::scalar(DType::kInt32, 1);
  make.output(emit1("SelectV2", {emit1("Equal", {v, zero}), one, emit1("FloorDiv", {one + one, v}) * v}));
  auto optimized = std::const_pointer_cast<Graph>(optimize(make.graph(), kVerified));
  CHECK_THROWS(run_graph(optimized, {Tensor::zeros(DType::kInt32, Shape({1000}))}), kInvalidArgument, "zero");
}

TEST(fusion_group_names_the_node_that_fails) {
  GraphMaker make;
  Operand x = make.input(DType::kInt32, Shape({-1}));
  Operand y = emit1("FloorDiv", {x + x, x});
  make.output(y * x);
  auto program = Program::compile(optimize(make.graph(), kVerified));
  ProgramState state(*program);
  std::vector<Tensor> args = {numbers(DType::kInt32, Shape({50}), 0, 1)}, results;
  try {
    run(*program, args, results, state);
    CHECK(false);
  } catch (const Error& e) {
    CHECK(e.message().find("Detected at node FloorDiv") != std::string::npos);
    CHECK(e.message().find("Integer division by zero") != std::string::npos);
  }
}

TEST(fusion_group_writes_into_memory_that_dies) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({-1}));
  make.output(emit1("Exp", {x}) * x);
  auto program = Program::compile(optimize(make.graph(), kVerified));
  ProgramState state(*program);
  std::vector<Tensor> args = {numbers(DType::kFloat, Shape({5000}), 0, 0.1)}, results;
  const void* memory = args[0].raw();
  run(*program, args, results, state);
  CHECK(results[0].raw() == memory);
}

}  // namespace
}  // namespace tracefn::test
