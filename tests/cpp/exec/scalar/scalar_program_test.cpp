// Programs of scalars as one piece of code: the same answers as by instructions.
#include "exec/scalar/scalar_program.h"

#include "base/host_lock.h"
#include "check.h"
#include "exec/graphs.h"

namespace tracefn::test {
namespace {

std::shared_ptr<const Program> compile(const FuncRef& f) { return Program::compile(f.body, f.name); }

std::vector<Tensor> run_as_scalars(const Program& program, const std::vector<Tensor>& args) {
  CHECK(program.scalars() != nullptr);
  std::vector<const Tensor*> used;
  for (std::uint32_t i : program.used_arguments()) used.push_back(&args[i]);
  std::vector<Tensor> results(program.num_results());
  CHECK(run_scalars(program, used, results));
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
    std::vector<Tensor> found = run_as_scalars(*program, args), wanted;
    ProgramState state(*program);
    run(*program, args, wanted, state);
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
  for (const Tensor* t : {&vector, &number}) {
    CHECK(!run_scalars(*program, std::span(&t, 1), results));
    CHECK(!results[0].defined());
  }
}

TEST(scalar_program_names_the_node_that_failed) {
  auto program = compile(divided());
  CHECK_THROWS(run_as_scalars(*program, {i32(5)}), kInvalidArgument, "Detected at node FloorDiv");
  CHECK_THROWS(run_as_scalars(*program, {i32(5)}), kInvalidArgument, "[Op:f]");
  CHECK_EQ(run_as_scalars(*program, {i32(-3)})[0].item<std::int32_t>(), 1);
}

TEST(scalar_program_flushes_subnormals_as_instructions_do) {
  auto program = compile(function("f", {kFloat}, [](Args& a) { return Args{a[0] * a[0]}; }));
  CHECK_EQ(run_as_scalars(*program, {f32(1e-20f)})[0].item<float>(), 0.0f);
}

struct CountedLock final : HostLock {
  void* release() override {
    ++released;
    return this;
  }
  void acquire(void*) override { ++acquired; }
  int released = 0, acquired = 0;
};

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
