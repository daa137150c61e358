// If, Case, While and calls, in programs and eagerly.
#include "base/poll.h"
#include "check.h"
#include "exec/graphs.h"

namespace tracefn::test {
namespace {

// A function of int32 scalars.
template <typename F>
FuncRef function(const std::string& name, int arguments, F make_outputs) {
  GraphMaker make(name);
  std::vector<Operand> args;
  for (int i = 0; i < arguments; ++i) args.push_back(make.input(DType::kInt32, Shape(), "x" + std::to_string(i)));
  for (const Operand& out : make_outputs(args)) make.output(out);
  return {name, make.graph()};
}

Operand number(std::int32_t v) { return build::constant(i32(v)); }
using Args = std::vector<Operand>;

FuncRef below(std::int32_t limit) {
  return function("cond", 2, [=](Args& a) { return Args{emit1("Less", {a[0], number(limit)})}; });
}
FuncRef sum_step() {
  return function("body", 2, [](Args& a) { return Args{a[0] + number(1), a[1] + a[0]}; });
}
const std::vector<DType> kTwoInts{DType::kInt32, DType::kInt32};
const std::vector<DType> kOneInt{DType::kInt32};

TEST(while_sums) {
  GraphMaker make;
  Operand n = make.input(DType::kInt32, Shape());
  Operand inputs[] = {n, number(0)};
  Operands out = emit_all("StatelessWhile", inputs, {{"cond", below(10)}, {"body", sum_step()}});
  CHECK(out[0].shape().is_scalar());
  make.output(out[1]);
  CHECK_EQ(run_graph(make.graph(), {i32(0)})[0].item<std::int32_t>(), 45);
  CHECK_EQ(run_graph(make.graph(), {i32(10)})[0].item<std::int32_t>(), 0);
}

TEST(while_runs_eagerly_and_nested) {
  FuncRef outer = function("outer", 2, [](Args& a) {
    Operand inputs[] = {number(0), a[1]};
    Operands inner = emit_all("StatelessWhile", inputs, {{"cond", below(3)}, {"body", sum_step()}});
    return Args{a[0] + number(1), inner[1]};
  });
  Operand inputs[] = {number(0), number(0)};
  Operands out = emit_all("While", inputs, {{"cond", below(4)}, {"body", outer}});
  CHECK_EQ(out[1].tensor.item<std::int32_t>(), 12);
}

TEST(while_updates_in_place) {
  GraphMaker body("body");
  Operand i = body.input(DType::kInt32, Shape(), "i"), x = body.input(DType::kFloat, Shape({1000}));
  body.output(i + number(1));
  body.output(x + x);
  GraphMaker cond("cond");
  Operand ci = cond.input(DType::kInt32, Shape(), "i");
  (void)cond.input(DType::kFloat, Shape({1000}));
  cond.output(emit1("Less", {ci, number(5)}));
  GraphMaker make;
  Operand inputs[] = {make.input(DType::kInt32, Shape(), "i"), make.input(DType::kFloat, Shape({1000}))};
  Operands out = emit_all("StatelessWhile", inputs,
                          {{"cond", FuncRef{"cond", cond.graph()}}, {"body", FuncRef{"body", body.graph()}}});
  make.output(out[1]);
  std::vector<Tensor> args{i32(0), Tensor(DType::kFloat, Shape({1000}))};
  std::fill_n(args[1].mutable_data<float>(), 1000, 1.0f);
  const void* memory = args[1].raw();
  auto program = Program::compile(make.graph());
  ProgramState state(*program);
  std::vector<Tensor> results;
  run(*program, args, results, state);
  CHECK_EQ(results[0].data<float>()[999], 32.0f);
  CHECK(results[0].raw() == memory);
}

TEST(if_takes_one_branch) {
  FuncRef add = function("add", 1, [](Args& a) { return Args{a[0] + number(1)}; });
  FuncRef negate = function("negate", 1, [](Args& a) { return Args{-a[0]}; });
  auto choose = [&](Tensor condition) {
    Operand inputs[] = {condition, number(5)};
    return emit_all("If", inputs, {{"then_branch", add}, {"else_branch", negate}, {"Tout", kOneInt}})[0]
        .tensor.item<std::int32_t>();
  };
  CHECK_EQ(choose(Tensor::scalar(true)), 6);
  CHECK_EQ(choose(Tensor::scalar(false)), -5);
  CHECK_EQ(choose(f32(0.5f)), 6);
  CHECK_EQ(choose(Tensor::scalar(std::string())), -5);
  CHECK_THROWS(choose(Tensor::zeros(DType::kFloat, Shape({2}))), kInvalidArgument,
               "The second input must be a scalar, but it has shape [2]");
}

TEST(case_out_of_range_is_the_last) {
  std::vector<FuncRef> branches;
  for (std::int32_t k : {10, 20, 30})
    branches.push_back(function("b" + std::to_string(k), 1, [=](Args& a) { return Args{a[0] + number(k)}; }));
  for (auto [index, wanted] : {std::pair{0, 11}, {2, 31}, {7, 31}, {-1, 31}}) {
    Operand inputs[] = {number(index), number(1)};
    CHECK_EQ(emit_all("Case", inputs, {{"branches", branches}, {"Tout", kOneInt}})[0].tensor.item<std::int32_t>(),
             wanted);
  }
}

TEST(call_keeps_state_per_call_site) {
  GraphMaker inner("counter");
  Operand handle = emit1("VarHandleOp", {}, {{"dtype", DType::kInt32}, {"shape", Shape()}});
  inner.output(handle);
  FuncRef counter{"counter", inner.graph()};
  GraphMaker make;
  for (int i = 0; i < 2; ++i)
    make.output(
        emit_all("StatefulPartitionedCall", {}, {{"f", counter}, {"Tout", std::vector<DType>{DType::kResource}}})[0]);
  auto program = Program::compile(make.graph());
  CHECK_EQ(program->num_state_slots(), 2u);
  ProgramState state(*program);
  std::vector<Tensor> first, second;
  run(*program, {}, first, state);
  run(*program, {}, second, state);
  CHECK(first[0].object() == second[0].object());
  CHECK(!(first[0].object() == first[1].object()));
}

TEST(call_reports_the_inner_node_once) {
  GraphMaker inner("g");
  Operand x = inner.input(DType::kFloat, Shape::unknown());
  inner.output(emit1("MatMul", {x, x}));
  GraphMaker make("__inference_f_1");
  Operand y = make.input(DType::kFloat, Shape::unknown());
  Operand inputs[] = {y};
  make.output(emit_all("PartitionedCall", inputs,
                       {{"f", FuncRef{"g", inner.graph()}}, {"Tout", std::vector<DType>{DType::kFloat}}})[0]);
  auto call = [&] { run_graph(make.graph(), {Tensor::zeros(DType::kFloat, Shape({2, 3}))}); };
  CHECK_THROWS(call(), kInvalidArgument,
               "Detected at node MatMul defined at (most recent call last):\n<stack traces unavailable>\n");
  CHECK_THROWS(call(), kInvalidArgument, "[[{{node MatMul}}]] [Op:__inference_f_1]");
  auto eager = [&] {
    TargetScope scope(eager_target());
    Operand args[] = {Tensor::zeros(DType::kFloat, Shape({2, 3}))};
    emit_all("PartitionedCall", args,
             {{"f", FuncRef{"g", inner.graph()}}, {"Tout", std::vector<DType>{DType::kFloat}}});
  };
  CHECK_THROWS(eager(), kInvalidArgument, "{{function_node __wrapped__PartitionedCall_Tin_1_Tout_1_device_");
}

TEST(while_polls_for_signals) {
  struct Stop final : Interrupt {
    int asked = 0;
    void check() override {
      if (++asked == 3) fail(ErrorKind::kKeyboardInterrupt, "stop");
    }
  } stop;
  Interrupt* before = process_interrupt();
  set_process_interrupt(&stop);
  FuncRef forever = function("forever", 2, [](Args&) { return Args{build::constant(Tensor::scalar(true))}; });
  Operand inputs[] = {number(0), number(0)};
  auto loop = [&] { emit_all("While", inputs, {{"cond", forever}, {"body", sum_step()}}); };
  CHECK_THROWS(loop(), kKeyboardInterrupt, "stop");
  set_process_interrupt(before);
  CHECK_EQ(stop.asked, 3);
}

}  // namespace
}  // namespace tracefn::test
