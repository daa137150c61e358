// What the executor costs: nanoseconds per call of a small program, per iteration of a loop, per op of a long chain.
// Build the target tracefn_bench; TRACEFN_KERNEL_DIR names the folder of the kernel libraries.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "exec/graphs.h"
#include "runtime/runtime.h"

namespace {

using namespace tracefn;
using namespace tracefn::test;

// Of this thread: what other processes take does not count.
double thread_nanoseconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

// The median of several rounds, in nanoseconds per unit; and the spread.
void measure(const char* what, double units, const std::function<void()>& once) {
  std::vector<double> rounds;
  once();
  for (int r = 0; r < 9; ++r) {
    double start = thread_nanoseconds();
    once();
    double taken = thread_nanoseconds() - start;
    rounds.push_back(taken / units);
  }
  std::sort(rounds.begin(), rounds.end());
  std::printf("%-50s %9.1f ns   (%.1f to %.1f)\n", what, rounds[4], rounds.front(), rounds.back());
}

std::shared_ptr<const Program> adds(int n) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape());
  Operand one = build::constant(f32(1));
  for (int i = 0; i < n; ++i) x = x + one;
  make.output(x);
  return Program::compile(make.graph());
}

void calls() {
  for (int n : {1, 10}) {
    auto program = adds(n);
    ProgramState state(*program);
    std::vector<Tensor> results;
    Tensor kept = f32(1);
    constexpr int k = 200'000;
    std::string what = "call of " + std::to_string(n) + " scalar adds";
    measure((what + ", argument kept by the caller").c_str(), k, [&] {
      for (int i = 0; i < k; ++i) {
        Tensor args[] = {kept};
        run(*program, args, results, state);
      }
    });
    measure((what + ", argument given away").c_str(), k, [&] {
      for (int i = 0; i < k; ++i) {
        Tensor args[] = {f32(1)};
        run(*program, args, results, state);
      }
    });
  }
}

void loops() {
  constexpr int k = 1'000'000;
  GraphMaker cond("cond");
  Operand ci = cond.input(DType::kInt32, Shape());
  (void)cond.input(DType::kFloat, Shape());
  cond.output(emit1("Less", {ci, build::constant(i32(k))}));
  GraphMaker body("body");
  Operand i = body.input(DType::kInt32, Shape());
  Operand s = body.input(DType::kFloat, Shape());
  body.output(i + build::constant(i32(1)));
  body.output(s + build::constant(f32(0.5f)));
  GraphMaker make;
  Operand inputs[] = {make.input(DType::kInt32, Shape()), make.input(DType::kFloat, Shape())};
  Operands out = emit_all("StatelessWhile", inputs,
                          {{"cond", FuncRef{"cond", cond.graph()}}, {"body", FuncRef{"body", body.graph()}}});
  make.output(out[1]);
  auto program = Program::compile(make.graph());
  ProgramState state(*program);
  std::vector<Tensor> results;
  measure("iteration of a loop of 3 scalar ops", k, [&] {
    Tensor args[] = {i32(0), f32(0)};
    run(*program, args, results, state);
  });
}

void chains() {
  constexpr int n = 1'000'000;
  auto program = adds(n);
  ProgramState state(*program);
  std::vector<Tensor> results;
  measure("scalar add in a chain of a million", n, [&] {
    Tensor args[] = {f32(0)};
    run(*program, args, results, state);
  });
  measure("tracing and compiling, per op", 100'000, [] { adds(100'000); });
}

void eager() {
  constexpr int k = 200'000;
  Operand a = f32(1), b = f32(2);
  measure("eager scalar add", k, [&] {
    const OpDef& op = Registry::get().at("AddV2");
    Operands outputs;
    Operand inputs[] = {a, b};
    for (int i = 0; i < k; ++i) emit(op, inputs, {}, outputs);
  });
}

}  // namespace

int main() {
  const tracefn::Runtime runtime;
  calls();
  loops();
  chains();
  eager();
}
