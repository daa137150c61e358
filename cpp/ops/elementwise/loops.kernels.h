// The loops of block kernels. Included by the elementwise *.kernels.cpp only.
//
// A function (function.h) is run in a plain loop, which the compiler vectorizes. Half and bfloat16 are computed in
// float: they are widened in chunks, passed to the float kernel, and rounded once.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "math/number_arithmetic.h"
#include "ops/elementwise/elementwise.kernels.h"
#include "ops/elementwise/functions.h"
#include "ops/elementwise/half.kernels.h"

namespace tracefn {

template <DType dtype>
struct ElementOf;
#define TRACEFN_ELEMENT(element, dtype) \
  template <>                           \
  struct ElementOf<DType::dtype> {      \
    using type = element;               \
  };
TRACEFN_ELEMENT(float, kFloat)
TRACEFN_ELEMENT(double, kDouble)
TRACEFN_ELEMENT(Eigen::half, kHalf)
TRACEFN_ELEMENT(Eigen::bfloat16, kBFloat16)
TRACEFN_ELEMENT(std::int8_t, kInt8)
TRACEFN_ELEMENT(std::int16_t, kInt16)
TRACEFN_ELEMENT(std::int32_t, kInt32)
TRACEFN_ELEMENT(std::int64_t, kInt64)
TRACEFN_ELEMENT(std::uint8_t, kUInt8)
TRACEFN_ELEMENT(std::uint16_t, kUInt16)
TRACEFN_ELEMENT(std::uint32_t, kUInt32)
TRACEFN_ELEMENT(std::uint64_t, kUInt64)
TRACEFN_ELEMENT(bool, kBool)
TRACEFN_ELEMENT(std::complex<float>, kComplex64)
TRACEFN_ELEMENT(std::complex<double>, kComplex128)
#undef TRACEFN_ELEMENT

using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;

template <typename T>
inline constexpr bool is_small_float = std::is_same_v<T, Eigen::half> || std::is_same_v<T, Eigen::bfloat16>;

// Calls use.operator()<dtype>() for every dtype that elementwise kernels know and `dtypes` holds.
template <DTypes dtypes, typename Use>
void for_each_dtype(const Use& use) {
  auto one = [&]<DType d>() {
    if constexpr (dtypes.has(d)) use.template operator()<d>();
  };
  auto all = [&]<DType... ds>() { (one.template operator()<ds>(), ...); };
  all.template operator()<DType::kFloat, DType::kDouble, DType::kHalf, DType::kBFloat16, DType::kInt8, DType::kInt16,
                          DType::kInt32, DType::kInt64, DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64,
                          DType::kBool, DType::kComplex64, DType::kComplex128>();
}

inline constexpr std::int64_t kHalfChunk = 256;

template <typename F, typename X, typename Y>
int unary_loop(const void* x, void* y, std::int64_t n) {
  const X* from = static_cast<const X*>(x);
  Y* to = static_cast<Y*>(y);
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) to[i] = F::of(from[i]);
  return kBlockOk;
}

inline constexpr std::int64_t kGuardChunk = 256;

// The vectorized F::of runs where F::fits(x); F::beyond computes the other elements, one by one.
template <typename F, typename X>
int unary_guarded(const void* x, void* y, std::int64_t n) {
  if (n == 1) {  // as scalar loops ask
    const X value = *static_cast<const X*>(x);
    *static_cast<X*>(y) = F::fits(value) ? F::of(value) : F::beyond(value);
    return kBlockOk;
  }
  X patched[kGuardChunk];
  for (std::int64_t i = 0; i < n; i += kGuardChunk) {
    const X* from = static_cast<const X*>(x) + i;
    X* to = static_cast<X*>(y) + i;
    const std::int64_t m = std::min(kGuardChunk, n - i);
    X outside = 0;
#pragma omp simd reduction(+ : outside)
    for (std::int64_t j = 0; j < m; ++j) outside += F::fits(from[j]) ? X(0) : X(1);
    X* target = outside > 0 ? patched : to;
#pragma omp simd
    for (std::int64_t j = 0; j < m; ++j) target[j] = F::of(from[j]);
    if (target == to) continue;
    for (std::int64_t j = 0; j < m; ++j)
      if (!F::fits(from[j])) patched[j] = F::beyond(from[j]);
    std::memcpy(to, patched, static_cast<std::size_t>(m) * sizeof(X));
  }
  return kBlockOk;
}

// The same of two operands.
template <typename F, typename X>
int binary_guarded(const void* a, const void* b, void* y, std::int64_t n, int scalars) {
  const X *p = static_cast<const X*>(a), *q = static_cast<const X*>(b);
  if (n == 1) {
    *static_cast<X*>(y) = F::fits(*p, *q) ? F::of(*p, *q) : F::beyond(*p, *q);
    return kBlockOk;
  }
  X left[kGuardChunk], right[kGuardChunk], patched[kGuardChunk];
  if (scalars & 1) std::fill_n(left, std::min(n, kGuardChunk), *p);
  if (scalars & 2) std::fill_n(right, std::min(n, kGuardChunk), *q);
  for (std::int64_t i = 0; i < n; i += kGuardChunk) {
    const X *x = scalars & 1 ? left : p + i, *z = scalars & 2 ? right : q + i;
    X* to = static_cast<X*>(y) + i;
    const std::int64_t m = std::min(kGuardChunk, n - i);
    X outside = 0;
#pragma omp simd reduction(+ : outside)
    for (std::int64_t j = 0; j < m; ++j) outside += F::fits(x[j], z[j]) ? X(0) : X(1);
    X* target = outside > 0 ? patched : to;
#pragma omp simd
    for (std::int64_t j = 0; j < m; ++j) target[j] = F::of(x[j], z[j]);
    if (target == to) continue;
    for (std::int64_t j = 0; j < m; ++j)
      if (!F::fits(x[j], z[j])) patched[j] = F::beyond(x[j], z[j]);
    std::memcpy(to, patched, static_cast<std::size_t>(m) * sizeof(X));
  }
  return kBlockOk;
}

// A float kernel whose result is half H, or another type that needs no rounding.
template <typename H, UnaryBlock float_kernel, typename Y = H>
int unary_widened(const void* x, void* y, std::int64_t n) {
  float wide[kHalfChunk];
  for (std::int64_t i = 0; i < n; i += kHalfChunk) {
    std::int64_t m = std::min(kHalfChunk, n - i);
    widen(static_cast<const H*>(x) + i, wide, m);
    if constexpr (is_small_float<Y>) {
      float_kernel(wide, wide, m);
      narrow(wide, static_cast<Y*>(y) + i, m);
    } else {
      float_kernel(wide, static_cast<Y*>(y) + i, m);
    }
  }
  return kBlockOk;
}

template <typename F, typename X, typename Y>
int binary_loop(const void* a, const void* b, void* y, std::int64_t n, int scalars) {
  const X* p = static_cast<const X*>(a);
  const X* q = static_cast<const X*>(b);
  Y* to = static_cast<Y*>(y);
  if (scalars == 0) {
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) to[i] = F::of(p[i], q[i]);
  } else if (scalars == 1) {
    const X s = *p;
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) to[i] = F::of(s, q[i]);
  } else {
    const X s = *q;
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) to[i] = F::of(p[i], s);
  }
  return kBlockOk;
}

// For functions much slower than a load, or not vectorized: one loop for all three cases.
template <typename F, typename X, typename Y>
int binary_step_loop(const void* a, const void* b, void* y, std::int64_t n, int scalars) {
  const X* p = static_cast<const X*>(a);
  const X* q = static_cast<const X*>(b);
  const std::int64_t p_step = scalars & 1 ? 0 : 1, q_step = scalars & 2 ? 0 : 1;
  Y* to = static_cast<Y*>(y);
  for (std::int64_t i = 0; i < n; ++i) to[i] = F::of(p[i * p_step], q[i * q_step]);
  return kBlockOk;
}

template <typename H, BinaryBlock float_kernel, typename Y = H>
int binary_widened(const void* a, const void* b, void* y, std::int64_t n, int scalars) {
  float left[kHalfChunk], right[kHalfChunk];
  int status = kBlockOk;
  for (std::int64_t i = 0; i < n; i += kHalfChunk) {
    std::int64_t m = std::min(kHalfChunk, n - i);
    if (scalars & 1) {
      widen(static_cast<const H*>(a), left, 1);
    } else {
      widen(static_cast<const H*>(a) + i, left, m);
    }
    if (scalars & 2) {
      widen(static_cast<const H*>(b), right, 1);
    } else {
      widen(static_cast<const H*>(b) + i, right, m);
    }
    if constexpr (is_small_float<Y>) {
      float* wide = scalars & 1 ? right : left;
      status |= float_kernel(left, right, wide, m, scalars);
      narrow(wide, static_cast<Y*>(y) + i, m);
    } else {
      status |= float_kernel(left, right, static_cast<Y*>(y) + i, m, scalars);
    }
  }
  return status;
}

inline constexpr std::int64_t kRepeatChunk = 256;

// n elements of an operand; a repeated element is expanded into `room`, which holds kRepeatChunk.
template <typename T>
const T* repeated(const T* x, bool scalar, T* room, std::int64_t n) {
  if (!scalar) return x;
  std::fill_n(room, std::min(n, kRepeatChunk), *x);
  return room;
}

// Ternary functions have one loop: scalars are expanded in chunks.
template <typename F, typename A, typename X, typename Y>
int ternary_loop(const void* a, const void* b, const void* c, void* y, std::int64_t n, int scalars) {
  Y* to = static_cast<Y*>(y);
  A room_a[kRepeatChunk];
  X room_b[kRepeatChunk], room_c[kRepeatChunk];
  const A* p = repeated(static_cast<const A*>(a), scalars & 1, room_a, n);
  const X* q = repeated(static_cast<const X*>(b), scalars & 2, room_b, n);
  const X* r = repeated(static_cast<const X*>(c), scalars & 4, room_c, n);
  const std::int64_t chunk = scalars ? kRepeatChunk : n;
  for (std::int64_t i = 0; i < n; i += chunk) {
    const std::int64_t m = std::min(chunk, n - i);
#pragma omp simd
    for (std::int64_t j = 0; j < m; ++j) to[j] = F::of(p[j], q[j], r[j]);
    to += m;
    if (!(scalars & 1)) p += m;
    if (!(scalars & 2)) q += m;
    if (!(scalars & 4)) r += m;
  }
  return kBlockOk;
}

template <typename H, TernaryBlock float_kernel, typename Y = H>
int ternary_widened(const void* a, const void* b, const void* c, void* y, std::int64_t n, int scalars) {
  float wide[3][kHalfChunk];
  const void* operands[3] = {a, b, c};
  for (std::int64_t i = 0; i < n; i += kHalfChunk) {
    std::int64_t m = std::min(kHalfChunk, n - i);
    for (int k = 0; k < 3; ++k) {
      bool scalar = scalars >> k & 1;
      widen(static_cast<const H*>(operands[k]) + (scalar ? 0 : i), wide[k], scalar ? 1 : m);
    }
    if constexpr (is_small_float<Y>) {
      float result[kHalfChunk];
      float_kernel(wide[0], wide[1], wide[2], result, m, scalars);
      narrow(result, static_cast<Y*>(y) + i, m);
    } else {
      float_kernel(wide[0], wide[1], wide[2], static_cast<Y*>(y) + i, m, scalars);
    }
  }
  return kBlockOk;
}

// What F::of returns for operands of type T.
template <typename F, typename T>
auto result_of(T x) {
  if constexpr (F::kArity == BlockArity::kUnary) {
    return F::of(x);
  } else if constexpr (F::kArity == BlockArity::kBinary) {
    return F::of(x, x);
  } else {
    return F::of(x, x, x);
  }
}

// F's form for bytes that are 0 or 1.
template <typename F>
struct OnBytes {
  template <typename... Bytes>
  static std::uint8_t of(Bytes... x) {
    return F::of_bytes(x...);
  }
};

// The loop of F over elements of type X.
template <typename F, typename X>
constexpr auto loop_of() {
  using Y = decltype(result_of<F>(X()));
  if constexpr (std::is_same_v<X, bool> && requires { &F::of_bytes; }) {
    if constexpr (F::kArity == BlockArity::kUnary) {
      return &unary_loop<OnBytes<F>, std::uint8_t, std::uint8_t>;
    } else {
      return &binary_loop<OnBytes<F>, std::uint8_t, std::uint8_t>;
    }
  } else if constexpr (F::kArity == BlockArity::kUnary) {
    if constexpr (requires(X x) { F::fits(x); }) {
      return &unary_guarded<F, X>;
    } else {
      return &unary_loop<F, X, Y>;
    }
  } else if constexpr (F::kArity == BlockArity::kBinary) {
    if constexpr (kHasFusedMultiplyAdd && requires(X x) { F::fits(x, x); }) {
      return &binary_guarded<F, X>;
    } else if constexpr (F::kOneLoop) {
      return &binary_step_loop<F, X, Y>;
    } else {
      return &binary_loop<F, X, Y>;
    }
  } else {
    return &ternary_loop<F, X, X, Y>;
  }
}

// The float loop of F for elements of type H.
template <typename F, typename H>
constexpr auto widened_loop_of() {
  using Y = decltype(result_of<F>(0.0f));
  using Out = std::conditional_t<std::is_same_v<Y, float>, H, Y>;
  if constexpr (F::kArity == BlockArity::kUnary) {
    return &unary_widened<H, loop_of<F, float>(), Out>;
  } else if constexpr (F::kArity == BlockArity::kBinary) {
    return &binary_widened<H, loop_of<F, float>(), Out>;
  } else {
    return &ternary_widened<H, loop_of<F, float>(), Out>;
  }
}

// The kernel of F for one dtype, as the function's row says.
template <typename F, DType dtype>
constexpr auto kernel_of() {
  using T = typename ElementOf<dtype>::type;
  if constexpr (is_small_float<T>) {
    return widened_loop_of<F, T>();
  } else if constexpr (F::kSignless && functions::kSignedIntegers.has(dtype)) {
    return loop_of<F, std::make_unsigned_t<T>>();
  } else {
    return loop_of<F, T>();
  }
}

template <typename F>
BlockRow& row_of(BlockRow* rows) {
  return rows[id_of<F>];
}

// The loops that the rows of these functions ask for.
template <typename... Fs>
void fill_rows(BlockRow* rows, functions::Functions<Fs...>) {
  auto fill = [&]<typename F>(F*) {
    for_each_dtype<F::kLoops>([&]<DType d>() { row_of<F>(rows)[slot(d)] = kernel_of<F, d>(); });
  };
  (fill(static_cast<Fs*>(nullptr)), ...);
}

// Each fills the rows of its functions; defined in the file of its name.
void fill_arithmetic(BlockRow* rows);
void fill_division(BlockRow* rows);
void fill_rounding(BlockRow* rows);
void fill_math(BlockRow* rows);
void fill_trigonometry(BlockRow* rows);
void fill_power(BlockRow* rows);
void fill_special(BlockRow* rows);
void fill_bessel(BlockRow* rows);
void fill_integrals(BlockRow* rows);
void fill_activation(BlockRow* rows);
void fill_bitwise(BlockRow* rows);
void fill_complex(BlockRow* rows);
void fill_compare(BlockRow* rows);
void fill_select(BlockRow* rows);
void fill_cast(ElementwiseKernels& kernels);

}  // namespace tracefn
