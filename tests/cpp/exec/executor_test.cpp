// Programs: registers, last uses, order, errors, many threads.
#include "exec/executor.h"

#include <cstdlib>
#include <limits>
#include <thread>

#include "check.h"
#include "exec/graphs.h"

namespace tracefn::test {
namespace {

class FixedSource final : public SourceLocation {
 public:
  std::vector<Frame> frames() const override {
    return {{"model.py", 3, "<module>", ""}, {"model.py", 7, "f", "x + y"}};
  }
};

std::shared_ptr<Graph> chain(int n, Shape shape = Shape()) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, std::move(shape));
  Operand one = build::constant(f32(1));
  for (int i = 0; i < n; ++i) x = x + one;
  make.output(x);
  return make.graph();
}

TEST(program_adds_scalars) {
  auto results = run_graph(chain(3), {f32(2)});
  CHECK_EQ(results.size(), 1u);
  CHECK_EQ(results[0].item<float>(), 5.0f);
}

TEST(program_reuses_registers_and_drops_dead_nodes) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape());
  (void)(x * x);  // needed by nothing
  Operand y = x;
  for (int i = 0; i < 100; ++i) y = y + x;
  make.output(y);
  auto program = Program::compile(make.graph());
  CHECK_EQ(program->num_instructions(), 100u);
  CHECK(program->num_registers() <= 3);
}

TEST(program_moves_what_dies) {
  auto program = Program::compile(chain(4, Shape({2, 1})));
  ProgramState state(*program);
  std::vector<Tensor> args{Tensor::zeros(DType::kFloat, Shape({2, 1}))}, results;
  const void* memory = args[0].raw();
  run(*program, args, results, state);
  CHECK(results[0].raw() == memory);  // nobody else held the argument
  Tensor kept = Tensor::zeros(DType::kFloat, Shape({2, 1}));
  args[0] = kept;
  run(*program, args, results, state);
  CHECK(results[0].raw() != kept.raw());
  CHECK_EQ(kept.data<float>()[1], 0.0f);
}

// The sizes that the graph states are expected, not relied upon.
TEST(program_allocates_for_the_shapes_that_come) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({2, 3})), y = make.input(DType::kFloat, Shape({3, 2}));
  make.output(emit1("MatMul", {x, y}));
  auto program = Program::compile(make.graph());
  ProgramState state(*program);
  std::vector<Tensor> results;
  for (std::int64_t rows : {2, 5, 0, 2}) {
    std::vector<Tensor> args{Tensor::zeros(DType::kFloat, Shape({rows, 3})),
                             Tensor::zeros(DType::kFloat, Shape({3, 2}))};
    run(*program, args, results, state);
    CHECK(results[0].shape() == Shape({rows, 2}));
  }
  std::vector<Tensor> args{Tensor::zeros(DType::kFloat, Shape({2, 3})), Tensor::zeros(DType::kFloat, Shape({4, 2}))};
  CHECK_THROWS(run(*program, args, results, state), kInvalidArgument, "");
}

TEST(program_hands_on_arguments_constants_and_repeats) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape());
  Operand unused = make.input(DType::kInt32, Shape(), "unused");
  Operand c = build::ints({9, 9});
  make.output(x);
  make.output(c);
  make.output(emit1("Identity", {x}));
  make.output(c);
  auto program = Program::compile(make.graph());
  ProgramState state(*program);
  std::vector<Tensor> results;
  for (int i = 0; i < 2; ++i) {
    std::vector<Tensor> args{f32(4), i32(1)};
    run(*program, args, results, state);
    CHECK_EQ(results.size(), 4u);
    CHECK_EQ(results[0].item<float>(), 4.0f);
    CHECK_EQ(results[1].int_at(1), 9);
    CHECK_EQ(results[2].item<float>(), 4.0f);
    CHECK(!results[1].writable());
  }
}

TEST(program_takes_a_value_twice) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({2}));
  make.output(
      emit1("MatMul", {emit1("Reshape", {x, build::ints({2, 1})}), emit1("Reshape", {x, build::ints({1, 2})})}));
  make.output(x * x);
  float values[] = {3, 4};
  auto results = run_graph(make.graph(), {Tensor::vector<float>(values)});
  CHECK_EQ(results[0].data<float>()[1], 12.0f);
  CHECK_EQ(results[1].data<float>()[1], 16.0f);
}

TEST(program_keeps_effects_in_order) {
  GraphMaker make;
  Operand handle = emit1("VarHandleOp", {}, {{"dtype", DType::kInt32}, {"shape", Shape()}});
  auto effect = [&](const char* op, const Operand& value) {
    Operand inputs[] = {handle, value};
    emit_all(op, inputs, {});
    make.graph()->control_outputs.push_back(make.graph()->size() - 1);
  };
  auto read = [&] {
    Operand r = emit1("ReadVariableOp", {handle}, {{"dtype", DType::kInt32}});
    make.graph()->control_outputs.push_back(r.value.node);
    return r;
  };
  effect("AssignVariableOp", build::constant(i32(5)));
  Operand before = read();
  effect("AssignAddVariableOp", build::constant(i32(2)));
  Operand after = read();
  make.output(before);
  make.output(after);
  auto results = run_graph(make.graph(), {});
  CHECK_EQ(results[0].item<std::int32_t>(), 5);
  CHECK_EQ(results[1].item<std::int32_t>(), 7);
}

TEST(program_error_names_node_and_line) {
  GraphMaker make("__inference_f_12");
  Operand x = make.input(DType::kFloat, Shape::unknown());
  Operand y = make.input(DType::kFloat, Shape::unknown(), "y");
  Operand z = x + y;
  make.graph()->node(z.value.node).source = make_ref<FixedSource>();
  make.output(z);
  auto program = Program::compile(make.graph());
  ProgramState state(*program);
  std::vector<Tensor> results;
  auto fails = [&] {
    std::vector<Tensor> args{Tensor::zeros(DType::kFloat, Shape({2})), Tensor::zeros(DType::kFloat, Shape({3}))};
    run(*program, args, results, state);
  };
  CHECK_THROWS(fails(), kInvalidArgument,
               "Graph execution error:\n\nDetected at node AddV2 defined at (most recent call last):\n"
               "  File \"model.py\", line 3, in <module>\n\n  File \"model.py\", line 7, in f\n    x + y\n\n"
               "Incompatible shapes: [2] vs. [3]\n\t [[{{node AddV2}}]] [Op:__inference_f_12]");
  std::vector<Tensor> args{f32(1), f32(2)};  // the frame is as new
  run(*program, args, results, state);
  CHECK_EQ(results[0].item<float>(), 3.0f);
}

TEST(program_flushes_subnormals_and_restores_the_mode) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape());
  make.output(x * x);
  float small = 1e-22f;
  auto results = run_graph(make.graph(), {f32(small)});
  CHECK_EQ(results[0].item<float>(), 0.0f);
  volatile float again = small;
  CHECK(again * again != 0.0f);
}

TEST(program_of_a_million_ops) {
  constexpr int n = 1'000'000;
  auto graph = chain(n);
  auto program = Program::compile(graph);
  CHECK_EQ(program->num_instructions(), static_cast<std::size_t>(n));
  CHECK(program->num_registers() <= 2);
  ProgramState state(*program);
  std::vector<Tensor> args{f32(0)}, results;
  run(*program, args, results, state);
  CHECK_EQ(results[0].item<float>(), 1e6f);
}

TEST(program_runs_on_eight_threads) {
  GraphMaker make;
  Operand handle = emit1("VarHandleOp", {}, {{"dtype", DType::kInt32}, {"shape", Shape()}});
  Operand x = make.input(DType::kFloat, Shape::unknown());
  make.output(x * x + x);
  make.output(handle);
  auto program = Program::compile(make.graph());
  ProgramState state(*program);
  std::vector<const void*> handles(8);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      std::vector<Tensor> results;
      for (int i = 0; i < 2000; ++i) {
        float v = static_cast<float>(t * 10 + i % 7);
        std::vector<Tensor> args{f32(v)};
        run(*program, args, results, state);
        if (results[0].item<float>() != v * v + v) ++wrong;
        handles[static_cast<std::size_t>(t)] = results[1].object().get();
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK_EQ(wrong.load(), 0);
  for (const void* h : handles) CHECK(h == handles[0]);  // one variable, however the first calls met
}

}  // namespace
}  // namespace tracefn::test
