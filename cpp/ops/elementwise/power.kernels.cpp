// Kernels of powers, products with logarithms, and atan2.
#include "ops/elementwise/broad_vectors.kernels.h"
#include "ops/elementwise/loops.kernels.h"

namespace tracefn {

using namespace functions;

namespace {

struct PlainPow {
  template <typename T>
  [[gnu::always_inline]] static T of(T x, T y) {
    return vector_plain_pow(x, y);
  }
};
template <typename T>
bool all_plain_bases(const T* x, std::int64_t n) {
  T others = 0;
#pragma omp simd reduction(+ : others)
  for (std::int64_t i = 0; i < n; ++i) others += is_plain_base(x[i]) ? T(0) : T(1);
  return others == 0;
}
template <typename T>
bool all_plain_exponents(const T* y, std::int64_t n) {
  T others = 0;
#pragma omp simd reduction(+ : others)
  for (std::int64_t i = 0; i < n; ++i) others += is_plain_exponent(y[i]) ? T(0) : T(1);
  return others == 0;
}

// Chunks of finite powers of positive numbers skip pow's special cases.
template <typename T>
int power_of_any(const T* a, const T* b, T* y, std::int64_t n, int scalars) {
  for (std::int64_t i = 0; i < n; i += kGuardChunk) {
    const std::int64_t m = std::min(kGuardChunk, n - i);
    const T* x = scalars & 1 ? a : a + i;
    const T* exponent = scalars & 2 ? b : b + i;
    if (all_plain_bases(x, scalars & 1 ? 1 : m) && all_plain_exponents(exponent, scalars & 2 ? 1 : m)) {
      binary_loop<PlainPow, T, T>(x, exponent, y + i, m, scalars);
    } else {
      binary_loop<Pow, T, T>(x, exponent, y + i, m, scalars);
    }
  }
  return kBlockOk;
}

// Squares are by far the most common powers.
template <typename T>
int real_power(const void* a, const void* b, void* y, std::int64_t n, int scalars) {
  const T* x = static_cast<const T*>(a);
  const T* exponent = static_cast<const T*>(b);
  T* to = static_cast<T*>(y);
  if (scalars != 2 || *exponent != T(2)) return power_of_any(x, exponent, to, n, scalars);
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) to[i] = x[i] * x[i];
  return kBlockOk;
}

// By repeated squaring, wrapping around.
template <typename T>
int integer_power(const void* a, const void* b, void* y, std::int64_t n, int scalars) {
  const T* p = static_cast<const T*>(a);
  const T* q = static_cast<const T*>(b);
  const std::int64_t p_step = scalars & 1 ? 0 : 1, q_step = scalars & 2 ? 0 : 1;
  T* to = static_cast<T*>(y);
  for (std::int64_t i = 0; i < n; ++i) {
    T base = p[i * p_step], exponent = q[i * q_step], result = 1;
    if (exponent < 0) return kBlockNegativePower;
    for (; exponent > 0; exponent = static_cast<T>(exponent >> 1)) {
      if (exponent & 1) result = product(result, base);
      base = product(base, base);
    }
    to[i] = result;
  }
  return kBlockOk;
}

}  // namespace

void fill_power(BlockRow* rows) {
  fill_rows(rows, PowerFunctions{});
  BlockRow& power = row_of<Pow>(rows);
  power[slot(DType::kFloat)] = real_power<float>;
  power[slot(DType::kDouble)] = real_power<double>;
  power[slot(DType::kHalf)] = binary_widened<Eigen::half, real_power<float>>;
  power[slot(DType::kBFloat16)] = binary_widened<Eigen::bfloat16, real_power<float>>;
  for_each_dtype<kSignedIntegers>([&]<DType d>() { power[slot(d)] = integer_power<typename ElementOf<d>::type>; });
}

}  // namespace tracefn
