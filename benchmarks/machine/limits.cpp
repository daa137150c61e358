// What the machine can do at most, by as many threads as the first argument says: bytes per second that are read from an
// array far larger than the caches, and that a copy between two of them moves, and single-precision operations per second
// of fused multiply-adds in registers.
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

void read_all(const char* from, std::size_t bytes, int thread) {
  constexpr int kReaders = 8;
  Vector sums[kReaders] = {};
  const auto* x = reinterpret_cast<const Vector*>(from);
  for (std::size_t i = 0; i + kReaders <= bytes / sizeof(Vector); i += kReaders)
    for (int j = 0; j < kReaders; ++j) sums[j] += x[i + static_cast<std::size_t>(j)];
  float total = 0;
  for (const Vector& sum : sums) total += sum[0];
  sink[1 + thread % 63] = total;
}

}  // namespace

int main(int argc, char** argv) {
  int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  constexpr std::size_t kBytes = std::size_t{1} << 28;
  std::size_t part = kBytes / static_cast<std::size_t>(threads);
  struct alignas(64) Line {
    char bytes[64];
  };
  std::vector<Line> lines(2 * kBytes / sizeof(Line));
  char* from = lines.front().bytes;
  char* to = from + kBytes;
  std::memset(from, 1, 2 * kBytes);
  part -= part % sizeof(Line);
  double read = best([&](int t) { read_all(from + part * static_cast<std::size_t>(t), part, t); }, threads);
  double copy = best([&](int t) { std::memcpy(to + part * static_cast<std::size_t>(t), from + part * static_cast<std::size_t>(t), part); }, threads);
  double fma = best(multiply_add, threads);
  double operations = 2.0 * kLanes * kChains * static_cast<double>(kSteps) * threads;
  const double bytes = static_cast<double>(part) * threads;
  std::printf("%.4g %.4g %.4g\n", bytes / read, 2 * bytes / copy, operations / fma);
  return 0;
}
