// What the machine can do at most, by as many threads as the first argument says: bytes per second of a copy between
// arrays far larger than the caches, and floating-point operations per second of fused multiply-adds in registers.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

namespace {

double seconds(const std::function<void(int)>& work, int threads) {
  auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(work, t);
  work(0);
  for (std::thread& t : others) t.join();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The best of several: a limit is what is possible.
double best(const std::function<void(int)>& work, int threads) {
  double result = 1e9;
  for (int round = 0; round < 7; ++round) result = std::min(result, seconds(work, threads));
  return result;
}

#ifdef __AVX512F__
constexpr int kLanes = 16;
#else
constexpr int kLanes = 8;
#endif
typedef float Vector __attribute__((vector_size(kLanes * sizeof(float))));
constexpr int kChains = 12;
constexpr long kSteps = 20'000'000;

// Reached only by address, so that no value is known to the compiler.
volatile float sink[64];

void multiply_add(int thread) {
  Vector sums[kChains];
  Vector factor = Vector{} + 0.999f + sink[0];
  for (int i = 0; i < kChains; ++i) sums[i] = Vector{} + static_cast<float>(i);
  for (long step = 0; step < kSteps; ++step)
    for (int i = 0; i < kChains; ++i) sums[i] = sums[i] * factor + factor;
  float total = 0;
  for (int i = 0; i < kChains; ++i) total += sums[i][0];
  sink[1 + thread % 63] = total;
}

}  // namespace

int main(int argc, char** argv) {
  int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  constexpr std::size_t kBytes = std::size_t{1} << 28;
  std::size_t part = kBytes / static_cast<std::size_t>(threads);
  std::vector<char> from(kBytes, 1), to(kBytes, 2);
  double copy = best([&](int t) { std::memcpy(to.data() + part * t, from.data() + part * t, part); }, threads);
  double fma = best(multiply_add, threads);
  double operations = 2.0 * kLanes * kChains * static_cast<double>(kSteps) * threads;
  std::printf("%.4g %.4g\n", 2.0 * static_cast<double>(part) * threads / copy, operations / fma);
  return 0;
}
