// Cumulative sums, products and logarithms of sums of exponentials, of one line and of lines side by side.
#include <Eigen/Core>
#include <algorithm>
#include <complex>
#include <limits>
#include <type_traits>

#include "math/number_arithmetic.h"
#include "math/vector_double.h"
#include "math/vector_math.h"
#include "ops/array/array.kernels.h"

namespace tracefn {
namespace {

struct Sums {
  template <typename T>
  static T of(T a, T b) {
    return sum(a, b);
  }
};
struct Products {
  template <typename T>
  static T of(T a, T b) {
    return product(a, b);
  }
};

// log(exp(a) + exp(b)), from the larger one, so that nothing overflows. NaN if either is.
struct LogSums {
  template <typename T>
  [[gnu::always_inline]] static T of(T a, T b) {
    const T larger = choose(a > b, a, b);
    // Equal infinities have no difference.
    const T apart = choose(a == b, T(0), -magnitude(a - b));
    const T sum = larger + vector_log1p_unit(exp_below_zero(apart));
    return choose(apart == apart, sum, apart);
  }
};

template <typename F, typename T, typename State>
void line(const void* elements, void* results, std::int64_t n, std::int64_t step, bool exclusive, void* from_before) {
  auto* x = static_cast<const T*>(elements);
  auto* y = static_cast<T*>(results);
  State state = *static_cast<State*>(from_before);
  for (std::int64_t i = 0; i < n; ++i) {
    const State next = F::of(state, static_cast<State>(x[i * step]));
    y[i * step] = static_cast<T>(exclusive ? state : next);
    state = next;
  }
  *static_cast<State*>(from_before) = state;
}

template <typename F, typename T, typename State>
void columns(const void* elements, void* results, std::int64_t n, std::int64_t step, std::int64_t k, bool exclusive,
             void* from_before) {
  auto* state = static_cast<State*>(from_before);
  for (std::int64_t i = 0; i < n; ++i) {
    const T* x = static_cast<const T*>(elements) + i * step;
    T* y = static_cast<T*>(results) + i * step;
    if (exclusive) {
#pragma omp simd
      for (std::int64_t j = 0; j < k; ++j) {
        const State before = state[j];
        state[j] = F::of(before, static_cast<State>(x[j]));
        y[j] = static_cast<T>(before);
      }
    } else {
#pragma omp simd
      for (std::int64_t j = 0; j < k; ++j) {
        state[j] = F::of(state[j], static_cast<State>(x[j]));
        y[j] = static_cast<T>(state[j]);
      }
    }
  }
}

// A line in blocks. The parts of a block are scanned side by side, then the sum of all that is before is added to each
// part: two vector operations for an element, where one after the other is bound by the latency of a logarithm.
template <typename T, typename State>
void log_line(const void* elements, void* results, std::int64_t n, std::int64_t step, bool exclusive,
              void* from_before) {
  constexpr std::int64_t kParts = 16, kLongest = 256;
  auto* x = static_cast<const T*>(elements);
  auto* y = static_cast<T*>(results);
  State before = *static_cast<State*>(from_before);
  alignas(64) State sums[kLongest + 1][kParts];
  for (std::int64_t begin = 0; begin < n; begin += kParts * kLongest) {
    const std::int64_t count = std::min(n - begin, kParts * kLongest), length = (count + kParts - 1) / kParts;
    const std::int64_t parts = (count + length - 1) / length;
    constexpr State kNothing = -std::numeric_limits<State>::infinity();
    std::fill_n(sums[0], kParts, kNothing);
    // What no part reaches is not read.
    for (std::int64_t i = 1; i <= length; ++i) std::fill_n(sums[i] + parts - 1, kParts - parts + 1, kNothing);
    for (std::int64_t p = 0; p < parts; ++p) {
      const T* from = x + (begin + p * length) * step;
      const std::int64_t end = std::min(length, count - p * length);
      for (std::int64_t i = 0; i < end; ++i) sums[i + 1][p] = static_cast<State>(from[i * step]);
    }
    for (std::int64_t i = 1; i <= length; ++i) {
#pragma omp simd
      for (std::int64_t p = 0; p < kParts; ++p) sums[i][p] = LogSums::of(sums[i - 1][p], sums[i][p]);
    }
    alignas(64) State carried[kParts];
    std::fill_n(carried, kParts, kNothing);
    for (std::int64_t p = 0; p < parts; ++p) {
      carried[p] = before;
      before = LogSums::of(before, sums[length][p]);
    }
    for (std::int64_t i = 0; i <= length; ++i) {
#pragma omp simd
      for (std::int64_t p = 0; p < kParts; ++p) sums[i][p] = LogSums::of(carried[p], sums[i][p]);
    }
    const std::int64_t shift = exclusive ? 0 : 1;
    for (std::int64_t p = 0; p < parts; ++p) {
      T* to = y + (begin + p * length) * step;
      const std::int64_t end = std::min(length, count - p * length);
      for (std::int64_t i = 0; i < end; ++i) to[i * step] = static_cast<T>(sums[i + shift][p]);
    }
  }
  *static_cast<State*>(from_before) = before;
}

template <typename T, typename State = T>
void fill_logarithms(ScanKernel (&kernels)[kScanFunctions][kDTypeSlots], DType dtype) {
  kernels[kScanLogSumExp][slot(dtype)] = {sizeof(State), log_line<T, State>, columns<LogSums, T, State>};
}

template <typename T, typename State = T>
void fill(ScanKernel (&kernels)[kScanFunctions][kDTypeSlots], DType dtype) {
  constexpr int bytes = sizeof(State);
  kernels[kScanSum][slot(dtype)] = {bytes, line<Sums, T, State>, columns<Sums, T, State>};
  kernels[kScanProduct][slot(dtype)] = {bytes, line<Products, T, State>, columns<Products, T, State>};
}

}  // namespace

void fill_scan(ArrayKernels& kernels) {
  auto& k = kernels.scan;
  fill<float>(k, DType::kFloat);
  fill<double>(k, DType::kDouble);
  fill<Eigen::half, float>(k, DType::kHalf);
  fill<Eigen::bfloat16, float>(k, DType::kBFloat16);
  fill<std::complex<float>>(k, DType::kComplex64);
  fill<std::complex<double>>(k, DType::kComplex128);
  fill_logarithms<float>(k, DType::kFloat);
  fill_logarithms<double>(k, DType::kDouble);
  fill_logarithms<Eigen::half, float>(k, DType::kHalf);
  fill_logarithms<Eigen::bfloat16, float>(k, DType::kBFloat16);
  for (DType d : {DType::kInt8, DType::kUInt8}) fill<std::uint8_t>(k, d);
  for (DType d : {DType::kInt16, DType::kUInt16}) fill<std::uint16_t>(k, d);
  for (DType d : {DType::kInt32, DType::kUInt32}) fill<std::uint32_t>(k, d);
  for (DType d : {DType::kInt64, DType::kUInt64}) fill<std::uint64_t>(k, d);
}

}  // namespace tracefn
