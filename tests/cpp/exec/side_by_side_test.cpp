// Rows of heavy instructions: which are found, in which order, and what runs of them give.
#include "exec/side_by_side.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "check.h"
#include "exec/graphs.h"
#include "exec/thread_pool.h"

namespace tracefn::test {
namespace {

Operand cholesky(const Operand& x) { return emit1("Cholesky", {x}); }
Operand product(const Operand& a, const Operand& b) { return emit1("MatMul", {a, b}); }

// Positive definite: n on the diagonal, `other` elsewhere.
Tensor matrix(std::int64_t n, float other) {
  Tensor out = Tensor::zeros(DType::kFloat, Shape({n, n}));
  float* at = static_cast<float*>(out.mutable_raw());
  for (std::int64_t i = 0; i < n * n; ++i) at[i] = i % (n + 1) == 0 ? static_cast<float>(n) : other;
  return out;
}

std::vector<std::size_t> row_sizes(const Graph& graph) {
  std::vector<std::size_t> out;
  for (const SideBySideOrder::Row& row : order_side_by_side(graph).rows) out.push_back(row.count);
  return out;
}

// Each node comes after those that it needs, and all are there.
bool is_topological(const Graph& graph, const std::vector<NodeId>& nodes) {
  std::vector<char> seen(static_cast<std::size_t>(graph.size()), 0);
  for (NodeId id : nodes) {
    for (Value v : graph.node(id).inputs)
      if (!seen[static_cast<std::size_t>(v.node)]) return false;
    seen[static_cast<std::size_t>(id)] = 1;
  }
  return nodes == [&] {
    std::vector<NodeId> sorted = live_nodes(graph);
    std::vector<NodeId> given = nodes;
    std::sort(given.begin(), given.end());
    std::sort(sorted.begin(), sorted.end());
    return given == sorted ? nodes : std::vector<NodeId>();
  }();
}

TEST(side_by_side_towers_meet_level_by_level) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({8, 8}));
  for (int tower = 0; tower < 3; ++tower) {
    Operand y = x;
    for (int level = 0; level < 2; ++level) y = emit1("Relu", {cholesky(y + build::constant(f32(1)))});
    make.output(y);
  }
  CHECK(row_sizes(*make.graph()) == (std::vector<std::size_t>{3, 3}));
  CHECK(is_topological(*make.graph(), order_side_by_side(*make.graph()).nodes));
}

TEST(side_by_side_a_chain_has_no_rows) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({8, 8}));
  for (int i = 0; i < 5; ++i) x = cholesky(x);
  make.output(x);
  CHECK(row_sizes(*make.graph()).empty());
}

TEST(side_by_side_rows_are_not_longer_than_a_mask) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({8, 8}));
  for (int i = 0; i < 40; ++i) make.output(product(x, x));
  for (std::size_t size : row_sizes(*make.graph())) CHECK(size <= kMostSideBySide);
  CHECK(is_topological(*make.graph(), order_side_by_side(*make.graph()).nodes));
}

TEST(side_by_side_what_would_pass_a_reader_stays) {
  // The second product needs a sum of `y`; passed before Neg, it would keep Neg from working in place.
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({8, 8}));
  Operand y = emit1("Exp", {x});
  make.output(product(x, x));
  make.output(emit1("Neg", {y}));
  make.output(product(y + build::constant(f32(1)), x));
  CHECK(row_sizes(*make.graph()).empty());
}

std::shared_ptr<Graph> towers(std::int64_t n) {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({n, n}));
  Operand y = make.input(DType::kFloat, Shape({n, n}), "y");
  Operand a = cholesky(x), b = cholesky(y), c = cholesky(x + y), d = emit1("MatrixInverse", {x});
  make.output(a + b);
  make.output(c - d);
  make.output(product(a, b));
  return make.graph();
}

TEST(side_by_side_gives_the_same_bits) {
  constexpr std::int64_t n = 150;
  const auto program = Program::compile(towers(n));
  ProgramState state(*program);
  std::vector<Tensor> first;
  const int threads = ThreadPool::get().num_threads();
  for (int run_threads : {1, 2, 3}) {
    ThreadPool::get().set_num_threads(run_threads);
    for (int i = 0; i < 6; ++i) {
      std::vector<Tensor> args{matrix(n, 0.5f), matrix(n, 0.25f)}, results;
      run(*program, args, results, state);
      if (first.empty()) first = results;
      for (std::size_t r = 0; r < results.size(); ++r)
        CHECK(std::memcmp(results[r].raw(), first[r].raw(), static_cast<std::size_t>(n * n) * sizeof(float)) == 0);
    }
  }
  ThreadPool::get().set_num_threads(threads);
}

TEST(side_by_side_reports_the_first_error) {
  constexpr std::int64_t n = 150;
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({n, n}));
  Operand y = make.input(DType::kFloat, Shape({n, n}), "y");
  make.output(cholesky(x));
  make.output(emit1("MatrixInverse", {y}));
  make.output(emit1("MatrixSolve", {y, x}));
  const auto program = Program::compile(make.graph());
  ProgramState state(*program);
  for (int i = 0; i < 6; ++i) {
    std::vector<Tensor> args{matrix(n, 0.5f), matrix(n, 0.5f)}, results;
    run(*program, args, results, state);
  }
  for (int i = 0; i < 3; ++i) {
    std::vector<Tensor> args{matrix(n, 0.5f), Tensor::zeros(DType::kFloat, Shape({n, n}))}, results;
    CHECK_THROWS(run(*program, args, results, state), kInvalidArgument, "Input is not invertible");
  }
  std::vector<Tensor> args{matrix(n, 0.5f), matrix(n, 0.5f)}, results;
  run(*program, args, results, state);
  CHECK_EQ(results.size(), 3u);
}

TEST(side_by_side_runs_on_many_threads_at_once) {
  constexpr std::int64_t n = 120;
  const auto program = Program::compile(towers(n));
  ProgramState state(*program);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      std::vector<Tensor> first;
      for (int i = 0; i < 20; ++i) {
        std::vector<Tensor> args{matrix(n, 0.5f), matrix(n, 0.25f)}, results;
        run(*program, args, results, state);
        if (first.empty()) first = results;
        for (std::size_t r = 0; r < results.size(); ++r)
          wrong += std::memcmp(results[r].raw(), first[r].raw(), static_cast<std::size_t>(n * n) * sizeof(float)) != 0;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace tracefn::test
