// Programs of scalars as one piece of code: the same answers as by instructions.
#include "exec/scalar/scalar_program.h"

#include "base/counted_lock.h"
#include "check.h"
#include "exec/graphs.h"

namespace tracefn::test {
namespace {

std::shared_ptr<const Program> compile(const FuncRef& f) { return Program::compile(f.body, f.name); }

std::vector<Tensor> run_as_scalars(const Program& program, std::vector<Tensor> args) {
  CHECK(program.scalars() != nullptr);
  std::vector<TensorRef> refs;
  for (Tensor& t : args) refs.push_back({&t, false});
  std::vector<Tensor> results(program.num_results());
  const Node* failed = nullptr;
  CHECK(program.scalars()->run(refs, results, failed));
  return results;
}

// Calls the function in a graph that is not all scalars, so that its instructions run one by one.
std::vector<Tensor> run_by_instructions(const FuncRef& f, const ArgTypes& types, std::vector<DType> out,
                                        std::vector<Tensor> args) {
  const std::size_t num_results = out.size();
  FuncRef outer = function("outer", types, [&](Args& a) {
    Operands made = emit_all("PartitionedCall", a, {{"Tout", std::move(out)}, {"f", f}});
    Args results(made.begin(), made.end());
    results.push_back(build::ints({1, 2}));
    return results;
  });
  auto program = compile(outer);
  CHECK(program->scalars() == nullptr);
  ProgramState state(*program);
  std::vector<Tensor> results;
  run(*program, args, results, state);
  results.resize(num_results);
  return results;
}

// 100 // n + 100 // (n - 1) + ... as long as n is above -3.
FuncRef divided() {
  const ArgTypes types{kInt, kInt};
  auto cond = function("cond", types, [](Args& a) { return Args{emit1("Greater", {a[0], number(-3)})}; });
  auto body = function("body", types, [](Args& a) {
    return Args{a[0] - number(1), a[1] + emit1("FloorDiv", {number(100), a[0]})};
  });
  return function("f", {kInt}, [&](Args& a) {
    Operand inputs[] = {a[0], number(0)};
    return Args{emit_all("StatelessWhile", inputs, {{"cond", cond}, {"body", body}})[1] + number(1)};
  });
}

TEST(scalar_program_computes_what_instructions_do) {
  const ArgTypes types{kInt, kFloat};
  auto branch = [&](const std::string& name, std::int32_t by) {
    return function(name, types, [&](Args& a) { return Args{a[0] * number(by), emit1("Sin", {a[1]})}; });
  };
  FuncRef f = function("f", types, [&](Args& a) {
    Operand inputs[] = {emit1("Less", {a[0], number(5)}), a[0], a[1]};
    Operands chosen = emit_all("StatelessIf", inputs,
                               {{"Tout", std::vector<DType>{DType::kInt32, DType::kFloat}},
                                {"then_branch", branch("then", 3)},
                                {"else_branch", branch("else", -1)}});
    return Args{chosen[0] + number(1), chosen[1] * a[1], number(7), a[1], chosen[0]};
  });
  auto program = compile(f);
  // Often enough to be translated on the way.
  for (std::int32_t i = 0; i < 200; ++i) {
    std::vector<Tensor> args{i32(i % 10), f32(0.25f * static_cast<float>(i))};
    const std::vector<Tensor> found = run_as_scalars(*program, args);
    const std::vector<DType> out{DType::kInt32, DType::kFloat, DType::kInt32, DType::kFloat, DType::kInt32};
    const std::vector<Tensor> wanted = run_by_instructions(f, types, out, args);
    CHECK_EQ(found.size(), wanted.size());
    for (std::size_t j = 0; j < found.size(); ++j) CHECK(identical(found[j], wanted[j]));
  }
}

TEST(scalar_program_hands_arguments_on) {
  const ArgTypes types{kInt, {DType::kFloat, Shape({3})}, {DType::kString, Shape()}, kInt};
  auto program = compile(function("f", types, [](Args& a) { return Args{a[2], a[0] + number(1), a[1], a[0], a[1]}; }));
  std::vector<Tensor> args{i32(1), Tensor::zeros(DType::kFloat, Shape({3})), Tensor::scalar(std::string("text")),
                           i32(5)};
  std::vector<Tensor> results = run_as_scalars(*program, args);
  CHECK_EQ(results[0].item<std::string>(), std::string("text"));
  CHECK_EQ(results[1].item<std::int32_t>(), 2);
  CHECK(results[2].raw() == args[1].raw());
  CHECK(results[3].raw() == args[0].raw());
  CHECK(results[4].raw() == args[1].raw());
}

TEST(scalar_program_needs_scalars) {
  const ArgTypes three{{DType::kFloat, Shape({3})}};
  CHECK(compile(function("f", three, [](Args& a) { return Args{a[0] + a[0]}; }))->scalars() == nullptr);
  CHECK(compile(function("f", three, [](Args& a) { return Args{a[0], build::ints({1, 2})}; }))->scalars() == nullptr);
  CHECK(compile(function("f", {kFloat}, [](Args& a) { return Args{emit1("Shape", {a[0]})}; }))->scalars() == nullptr);
  // Of unknown shape: taken for a scalar until something else comes.
  auto program = compile(function("f", {{DType::kFloat, Shape::unknown()}}, [](Args& a) { return Args{a[0] + a[0]}; }));
  CHECK_EQ(run_as_scalars(*program, {f32(2)})[0].item<float>(), 4.0f);
  Tensor vector = Tensor::zeros(DType::kFloat, Shape({3})), number = i32(1);
  std::vector<Tensor> results(1);
  for (Tensor* t : {&vector, &number}) {
    const TensorRef ref{t, false};
    const Node* failed = nullptr;
    CHECK(!program->scalars()->run(std::span(&ref, 1), results, failed));
    CHECK(!results[0].defined());
  }
}

TEST(scalar_program_names_the_node_that_failed) {
  auto program = compile(divided());
  CHECK(program->scalars() != nullptr);
  ProgramState state(*program);
  std::vector<Tensor> args{i32(5)}, results;
  CHECK_THROWS(run(*program, args, results, state), kInvalidArgument, "Detected at node FloorDiv");
  CHECK_THROWS(run(*program, args, results, state), kInvalidArgument, "[Op:f]");
  CHECK_EQ(run_as_scalars(*program, {i32(-3)})[0].item<std::int32_t>(), 1);
}

TEST(scalar_program_flushes_subnormals_as_instructions_do) {
  auto program = compile(function("f", {kFloat}, [](Args& a) { return Args{a[0] * a[0]}; }));
  CHECK_EQ(run_as_scalars(*program, {f32(1e-20f)})[0].item<float>(), 0.0f);
}

TEST(scalar_program_gives_up_the_lock_when_it_is_long) {
  const ArgTypes types{kInt};
  auto cond = function("cond", types, [](Args& a) { return Args{emit1("Greater", {a[0], number(0)})}; });
  auto body = function("body", types, [](Args& a) { return Args{a[0] - number(1)}; });
  auto program = compile(function("f", types, [&](Args& a) {
    return Args{emit_all("StatelessWhile", std::span<const Operand>(a), {{"cond", cond}, {"body", body}})[0]};
  }));
  static CountedLock lock;
  set_process_host_lock(&lock);
  run_as_scalars(*program, {i32(100)});
  CHECK_EQ(lock.released, 0);
  run_as_scalars(*program, {i32(1'000'000)});
  CHECK_EQ(lock.released, 1);
  CHECK_EQ(lock.acquired, 1);
  set_process_host_lock(nullptr);
}

}  // namespace
}  // namespace tracefn::test
