// Programs of arrays as one piece of code: the same bits as by instructions, and nothing of the arguments changed.
#include "exec/scalar/array_program.h"

#include <cstring>
#include <numeric>

#include "check.h"
#include "exec/graphs.h"
#include "exec/thread_pool.h"

namespace tracefn::test {
namespace {

constexpr std::int64_t kSize = 100;

Tensor counted(double from) {
  Tensor t(DType::kFloat, Shape({kSize}));
  std::iota(t.mutable_data<float>(), t.mutable_data<float>() + kSize, static_cast<float>(from));
  return t;
}

// Argument 1 is not read.
FuncRef reversed_sums() {
  const std::pair<DType, Shape> vector{DType::kFloat, Shape({kSize})};
  return function("f", {vector, vector}, [](Args& a) {
    Operand turned = emit1("ReverseV2", {a[0], build::ints({0})});
    Operand sum = turned + a[0] * a[0];
    return Args{sum, a[0], sum};
  });
}

std::vector<Tensor> run_once(const FuncRef& f, std::vector<Tensor> args) {
  const auto program = Program::compile(f.body);
  ProgramState state(*program);
  std::vector<Tensor> results;
  run(*program, args, results, state);
  return results;
}

TEST(array_program_has_the_bits_of_instructions) {
  const FuncRef f = reversed_sums();
  CHECK(ArrayProgram::may_help(*f.body));
  const std::uint32_t read[] = {0};
  const auto program = ArrayProgram::compile(*f.body, read);
  CHECK(program != nullptr);
  Tensor x = counted(0);
  const std::vector<Tensor> wanted = run_once(f, {x, x});
  for (int run = 0; run < 3; ++run) {
    TensorRef refs[] = {{&x, false}, {nullptr, false}};
    std::vector<Tensor> results(3);
    const Node* failed = nullptr;
    CHECK(program->run(refs, results, ThreadPool::get(), failed));
    for (std::size_t j = 0; j < results.size(); ++j)
      CHECK_EQ(std::memcmp(results[j].raw(), wanted[j].raw(), wanted[j].bytes()), 0);
    CHECK_EQ(results[1].raw(), static_cast<const void*>(x.raw()));
    CHECK_EQ(results[2].raw(), static_cast<const void*>(results[0].raw()));
    CHECK(results[0].raw() != x.raw());
    CHECK_EQ(x.data<float>()[1], 1.0f);
  }
}

TEST(array_program_takes_an_argument_that_dies) {
  const FuncRef f = reversed_sums();
  const std::uint32_t read[] = {0};
  const auto program = ArrayProgram::compile(*f.body, read);
  const std::vector<Tensor> wanted = run_once(f, {counted(3), counted(3)});
  Tensor x = counted(3);
  TensorRef refs[] = {{&x, true}, {nullptr, false}};
  std::vector<Tensor> results(3);
  const Node* failed = nullptr;
  CHECK(program->run(refs, results, ThreadPool::get(), failed));
  for (std::size_t j = 0; j < results.size(); ++j)
    CHECK_EQ(std::memcmp(results[j].raw(), wanted[j].raw(), wanted[j].bytes()), 0);
}

TEST(array_program_refuses_other_shapes_and_dtypes) {
  const FuncRef f = reversed_sums();
  const std::uint32_t read[] = {0};
  const auto program = ArrayProgram::compile(*f.body, read);
  for (Tensor x : {Tensor::zeros(DType::kFloat, Shape({kSize + 1})), Tensor::zeros(DType::kInt32, Shape({kSize}))}) {
    TensorRef refs[] = {{&x, true}, {nullptr, false}};
    std::vector<Tensor> results(3);
    const Node* failed = nullptr;
    CHECK(!program->run(refs, results, ThreadPool::get(), failed));
    CHECK(x.defined() && !results[0].defined());
  }
}

TEST(array_program_is_not_for_large_tensors) {
  const FuncRef f = function("f", {{DType::kFloat, Shape({5000})}},
                             [](Args& a) { return Args{emit1("Neg", {emit1("Exp", {a[0] + a[0]})})}; });
  CHECK(!ArrayProgram::may_help(*f.body));
}

}  // namespace
}  // namespace tracefn::test
