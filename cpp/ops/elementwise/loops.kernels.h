// The loops of block kernels. Included by the elementwise *.kernels.cpp only.
//
// A function is a struct F with `static Y of(X...)` (*.functions.h), run in a plain loop which the compiler vectorizes
// if `of` is plain arithmetic. Half and bfloat16 are computed in float: they are widened in chunks, passed to the float
// kernel, and rounded once.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "math/number_arithmetic.h"
#include "ops/elementwise/elementwise.kernels.h"

namespace tracefn {

template <typename T>
struct SlotOf;
#define TRACEFN_SLOT(type, dtype)                    \
  template <>                                        \
  struct SlotOf<type> {                              \
    static constexpr int value = slot(DType::dtype); \
  };
TRACEFN_SLOT(float, kFloat)
TRACEFN_SLOT(double, kDouble)
TRACEFN_SLOT(Eigen::half, kHalf)
TRACEFN_SLOT(Eigen::bfloat16, kBFloat16)
TRACEFN_SLOT(std::int8_t, kInt8)
TRACEFN_SLOT(std::int16_t, kInt16)
TRACEFN_SLOT(std::int32_t, kInt32)
TRACEFN_SLOT(std::int64_t, kInt64)
TRACEFN_SLOT(std::uint8_t, kUInt8)
TRACEFN_SLOT(std::uint16_t, kUInt16)
TRACEFN_SLOT(std::uint32_t, kUInt32)
TRACEFN_SLOT(std::uint64_t, kUInt64)
TRACEFN_SLOT(bool, kBool)
TRACEFN_SLOT(std::complex<float>, kComplex64)
TRACEFN_SLOT(std::complex<double>, kComplex128)
#undef TRACEFN_SLOT

using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;

template <typename T>
inline constexpr bool is_small_float = std::is_same_v<T, Eigen::half> || std::is_same_v<T, Eigen::bfloat16>;

// Lists of element types.
template <typename... Ts>
struct Types {};
using Reals = Types<float, double, Eigen::half, Eigen::bfloat16>;
using FloatAndHalves = Types<float, Eigen::half, Eigen::bfloat16>;
using Complexes = Types<Complex64, Complex128>;
using SignedIntegers = Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
using UnsignedIntegers = Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;

// Widens and rounds half and bfloat16; defined in half.kernels.cpp.
void widen(const Eigen::half* x, float* y, std::int64_t n);
void widen(const Eigen::bfloat16* x, float* y, std::int64_t n);
void narrow(const float* x, Eigen::half* y, std::int64_t n);
void narrow(const float* x, Eigen::bfloat16* y, std::int64_t n);
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

using UnaryRow = UnaryBlock[kDTypeSlots];

// Y is the result's type for all of Ts, or void for that of the operand.
template <typename F, typename Y = void, typename... Ts>
void fill_loops(UnaryRow& row, Types<Ts...>) {
  auto one = [&]<typename T>(T*) {
    using Out = std::conditional_t<std::is_void_v<Y>, T, Y>;
    if constexpr (is_small_float<T>) {
      using Wide = std::conditional_t<std::is_void_v<Y>, float, Y>;
      row[SlotOf<T>::value] = unary_widened<T, unary_loop<F, float, Wide>, Out>;
    } else {
      row[SlotOf<T>::value] = unary_loop<F, T, Out>;
    }
  };
  (one(static_cast<Ts*>(nullptr)), ...);
}

template <typename F, typename... Ts>
void fill_guarded(UnaryRow& row, Types<Ts...>) {
  auto one = [&]<typename T>(T*) {
    if constexpr (is_small_float<T>) {
      row[SlotOf<T>::value] = unary_widened<T, unary_guarded<F, float>>;
    } else {
      row[SlotOf<T>::value] = unary_guarded<F, T>;
    }
  };
  (one(static_cast<Ts*>(nullptr)), ...);
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

using BinaryRow = BinaryBlock[kDTypeSlots];

template <typename F, typename Y = void, typename... Ts>
void fill_loops(BinaryRow& row, Types<Ts...>) {
  auto one = [&]<typename T>(T*) {
    using Out = std::conditional_t<std::is_void_v<Y>, T, Y>;
    if constexpr (is_small_float<T>) {
      using Wide = std::conditional_t<std::is_void_v<Y>, float, Y>;
      row[SlotOf<T>::value] = binary_widened<T, binary_loop<F, float, Wide>, Out>;
    } else {
      row[SlotOf<T>::value] = binary_loop<F, T, Out>;
    }
  };
  (one(static_cast<Ts*>(nullptr)), ...);
}

template <typename F, typename Y = void, typename... Ts>
void fill_step_loops(BinaryRow& row, Types<Ts...>) {
  auto one = [&]<typename T>(T*) {
    using Out = std::conditional_t<std::is_void_v<Y>, T, Y>;
    if constexpr (is_small_float<T>) {
      using Wide = std::conditional_t<std::is_void_v<Y>, float, Y>;
      row[SlotOf<T>::value] = binary_widened<T, binary_step_loop<F, float, Wide>, Out>;
    } else {
      row[SlotOf<T>::value] = binary_step_loop<F, T, Out>;
    }
  };
  (one(static_cast<Ts*>(nullptr)), ...);
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

using TernaryRow = TernaryBlock[kDTypeSlots];

template <typename F, typename Y = void, typename... Ts>
void fill_loops(TernaryRow& row, Types<Ts...>) {
  auto one = [&]<typename T>(T*) {
    using Out = std::conditional_t<std::is_void_v<Y>, T, Y>;
    if constexpr (is_small_float<T>) {
      using Wide = std::conditional_t<std::is_void_v<Y>, float, Y>;
      row[SlotOf<T>::value] = ternary_widened<T, ternary_loop<F, float, float, Wide>, Out>;
    } else {
      row[SlotOf<T>::value] = ternary_loop<F, T, T, Out>;
    }
  };
  (one(static_cast<Ts*>(nullptr)), ...);
}

// For functions whose kernels for signed and unsigned integers are the same.
template <typename Row>
void share_with_signed(Row& row) {
  row[slot(DType::kInt8)] = row[slot(DType::kUInt8)];
  row[slot(DType::kInt16)] = row[slot(DType::kUInt16)];
  row[slot(DType::kInt32)] = row[slot(DType::kUInt32)];
  row[slot(DType::kInt64)] = row[slot(DType::kUInt64)];
}

// Each fills its part of the table; defined in the file of its name.
void fill_arithmetic(ElementwiseKernels& kernels);
void fill_division(ElementwiseKernels& kernels);
void fill_rounding(ElementwiseKernels& kernels);
void fill_math(ElementwiseKernels& kernels);
void fill_trigonometry(ElementwiseKernels& kernels);
void fill_power(ElementwiseKernels& kernels);
void fill_special(ElementwiseKernels& kernels);
void fill_activation(ElementwiseKernels& kernels);
void fill_bitwise(ElementwiseKernels& kernels);
void fill_complex(ElementwiseKernels& kernels);
void fill_compare(ElementwiseKernels& kernels);
void fill_select(ElementwiseKernels& kernels);
void fill_cast(ElementwiseKernels& kernels);

}  // namespace tracefn
