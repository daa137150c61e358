// Cumulative sums and products of one line, and of lines side by side.
#include <Eigen/Core>
#include <complex>
#include <type_traits>

#include "math/number_arithmetic.h"
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
  for (DType d : {DType::kInt8, DType::kUInt8}) fill<std::uint8_t>(k, d);
  for (DType d : {DType::kInt16, DType::kUInt16}) fill<std::uint16_t>(k, d);
  for (DType d : {DType::kInt32, DType::kUInt32}) fill<std::uint32_t>(k, d);
  for (DType d : {DType::kInt64, DType::kUInt64}) fill<std::uint64_t>(k, d);
}

}  // namespace tracefn
