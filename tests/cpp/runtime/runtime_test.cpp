// The runtime alone: graphs from files, run with variables, on many threads and with hooks. This program links neither
// tracing nor differentiation.
#include "runtime/runtime.h"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/counted_lock.h"
#include "check.h"
#include "exec/graphs.h"
#include "io/graph_def.h"
#include "runtime/load_graph.h"

namespace tracefn::test {
namespace {

using Names = std::vector<std::string>;

std::vector<Tensor> run(const CompiledFunction& f, const std::vector<Tensor>& args) {
  std::vector<TensorRef> refs;
  for (const Tensor& t : args) refs.push_back(borrowed(t));
  std::vector<Tensor> results(f.num_results());
  f.run(refs, results);
  return results;
}

Tensor floats(std::initializer_list<float> values) {
  return Tensor::vector(std::span<const float>(values.begin(), values.size()));
}

// x * x + 1, through a function.
std::string file_with_a_function() {
  GraphMaker body("square_1");
  Operand y = body.input(DType::kFloat, Shape::unknown(), "y");
  body.output(emit1("Identity", {y * y}));
  const FuncRef square{"square_1", body.graph()};
  GraphMaker make;
  Operand inputs[] = {make.input(DType::kFloat, Shape({-1}))};
  Operand squared =
      emit_all("PartitionedCall", inputs, {{"f", square}, {"Tout", std::vector<DType>{DType::kFloat}}})[0];
  make.output(squared + build::scalar(DType::kFloat, 1.0));
  return graph_def(*make.graph()).binary();
}

TEST(runtime_runs_a_graph_from_a_file) {
  auto f = load_graph(file_with_a_function(), Names{"x"}, Names{"AddV2", "PartitionedCall:0"}, "f");
  CHECK_EQ(f->num_args(), 1u);
  const std::vector<Tensor> results = run(*f, {floats({1, 2, 3})});
  CHECK(identical(results[0], floats({2, 5, 10})));
  CHECK(identical(results[1], floats({1, 4, 9})));
  CHECK(identical(run(*f, {floats({})})[0], floats({})));
}

TEST(runtime_runs_a_function_of_a_file) {
  auto f = load_function(file_with_a_function(), "square_1");
  CHECK(identical(run(*f, {floats({5})})[0], floats({25})));
  CHECK_THROWS(load_function(file_with_a_function(), "cube"), kNotFound, "cube");
}

TEST(runtime_refuses_what_is_no_part_of_the_file) {
  const std::string file = file_with_a_function();
  CHECK_THROWS(load_graph(file, Names{"z"}, Names{"AddV2"}, "f"), kValue, "Requested return tensor 'z:0' not found");
  CHECK_THROWS(load_graph(file, Names{"AddV2"}, Names{"AddV2"}, "f"), kValue,
               "Input 'AddV2' of f must be a Placeholder, but is a AddV2.");
  CHECK_THROWS(load_graph(file, Names{"x"}, Names{"AddV2:1"}, "f"), kValue, "Invalid return output 1");
  CHECK_THROWS(load_graph(file, Names{"x"}, Names{"^AddV2"}, "f"), kValue, "'^AddV2' is no value of a node.");
  CHECK_THROWS(load_graph(file, Names{"x", "x:0"}, Names{"AddV2"}, "f"), kValue, "Input 'x:0' of f is given twice.");
  CHECK_THROWS(load_graph("\x0a\xff", Names{}, Names{}, "f"), kValue, "");
}

// v += x, then v.
std::unique_ptr<CompiledFunction> adder() {
  GraphMaker make;
  Operand handle = make.input(DType::kResource, Shape(), "v"), x = make.input(DType::kFloat, Shape({2}));
  emit_all("AssignAddVariableOp", std::vector<Operand>{handle, x});
  const NodeId added = make.graph()->size() - 1;
  make.output(emit1("ReadVariableOp", {handle}, {{"dtype", DType::kFloat}}));
  make.graph()->node(make.graph()->size() - 1).control_inputs.push_back(added);
  return load_graph(graph_def(*make.graph()).binary(), Names{"v", "x"}, Names{"ReadVariableOp"}, "add");
}

TEST(runtime_updates_variables) {
  auto add = adder();
  Operand v = emit1("VarHandleOp", {}, {{"dtype", DType::kFloat}, {"shape", Shape({2})}});
  CHECK_THROWS(run(*add, {v.tensor, floats({1, 2})}), kNotFound, "does not exist");
  emit_all("AssignVariableOp", std::vector<Operand>{v, floats({1, 1})});
  CHECK(identical(run(*add, {v.tensor, floats({1, 2})})[0], floats({2, 3})));
  CHECK(identical(run(*add, {v.tensor, floats({1, 2})})[0], floats({3, 5})));
}

TEST(runtime_runs_on_many_threads) {
  auto f = load_graph(file_with_a_function(), Names{"x"}, Names{"AddV2"}, "f");
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        const auto x = static_cast<float>(100 * t + i);
        if (!identical(run(*f, {floats({x, 2})})[0], floats({x * x + 1, 5}))) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK_EQ(wrong.load(), 0);
}

// Counts down from x in a While.
std::unique_ptr<CompiledFunction> countdown() {
  const ArgTypes types{{DType::kInt64, Shape()}};
  auto cond = function("cond", types, [](Args& a) {
    return Args{emit1("Greater", {a[0], build::constant(Tensor::scalar(std::int64_t{0}))})};
  });
  auto body =
      function("body", types, [](Args& a) { return Args{a[0] - build::constant(Tensor::scalar(std::int64_t{1}))}; });
  GraphMaker make;
  Operand inputs[] = {make.input(DType::kInt64, Shape())};
  make.output(emit_all("StatelessWhile", inputs, {{"cond", cond}, {"body", body}})[0]);
  return load_graph(graph_def(*make.graph()).binary(), Names{"x"}, Names{"StatelessWhile"}, "countdown");
}

struct Stop final : Interrupt {
  void check() override { fail(ErrorKind::kCancelled, "stopped by a signal"); }
};

TEST(runtime_is_interrupted_and_gives_up_the_lock) {
  auto f = countdown();
  Stop stop;
  CountedLock lock;
  {
    const Runtime runtime({.interrupt = &stop, .host_lock = &lock});
    CHECK_THROWS(run(*f, {Tensor::scalar(std::int64_t{1} << 40)}), kCancelled, "stopped by a signal");
  }
  CHECK(lock.released >= 1);
  CHECK_EQ(lock.acquired, lock.released);
  CHECK_EQ(run(*f, {Tensor::scalar(std::int64_t{5})})[0].item<std::int64_t>(), 0);
  CHECK(process_interrupt() == nullptr);
}

struct Kept final : PrintSink {
  void write(std::string_view stream, std::string_view text) override { written += concat(stream, ": ", text); }
  std::string written;
};

TEST(runtime_prints_to_its_sink) {
  GraphMaker make;
  Operand x = make.input(DType::kString, Shape());
  emit_all("PrintV2", std::vector<Operand>{x}, {{"output_stream", std::string("stdout")}});
  const NodeId printed = make.graph()->size() - 1;
  make.output(emit1("Identity", {x}));
  make.graph()->node(make.graph()->size() - 1).control_inputs.push_back(printed);
  auto f = load_graph(graph_def(*make.graph()).binary(), Names{"x"}, Names{"Identity"}, "f");
  Kept kept;
  const Runtime runtime({.print_sink = &kept});
  run(*f, {Tensor::scalar(std::string("hello"))});
  CHECK_EQ(kept.written, "stdout: hello\n");
}

TEST(runtime_says_where_a_run_failed) {
  GraphMaker make;
  Operand x = make.input(DType::kInt32, Shape()), y = make.input(DType::kInt32, Shape(), "y");
  make.output(emit1("FloorDiv", {x, y}));
  auto f = load_graph(graph_def(*make.graph()).binary(), Names{"x", "y"}, Names{"FloorDiv"}, "ratio");
  CHECK_THROWS(run(*f, {i32(1), i32(0)}), kInvalidArgument, "[[{{node FloorDiv}}]] [Op:ratio]");
}

}  // namespace
}  // namespace tracefn::test
