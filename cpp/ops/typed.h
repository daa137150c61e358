// Dispatch on dtypes for kernels of the core that compute with elements rather than move them.
#pragma once

#include <complex>
#include <limits>
#include <type_traits>

#include "ops/no_kernel.h"
#include "tensor/tensor.h"

namespace tracefn {

// The type for arithmetic on T: float for the 16-bit floats, T itself for the others.
inline float compute_value(Half v) { return static_cast<float>(v); }
inline float compute_value(BFloat16 v) { return static_cast<float>(v); }
template <typename T>
T compute_value(T v) {
  return v;
}

// The highest and the lowest finite number that a T can be, in that type.
template <typename T>
constexpr auto highest_number() {
  if constexpr (std::is_same_v<T, Half>) {
    return 65504.0f;
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return 0x1.fep127f;
  } else {
    return std::numeric_limits<T>::max();
  }
}
template <typename T>
constexpr auto lowest_number() {
  if constexpr (std::is_integral_v<T>) {
    return std::numeric_limits<T>::lowest();
  } else {
    return -highest_number<T>();
  }
}

template <typename F>
void with_float(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kFloat:
      return f(std::type_identity<float>());
    case DType::kDouble:
      return f(std::type_identity<double>());
    case DType::kHalf:
      return f(std::type_identity<Half>());
    case DType::kBFloat16:
      return f(std::type_identity<BFloat16>());
    default:
      no_kernel();
  }
}

template <typename F>
void with_integer(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kInt8:
      return f(std::type_identity<std::int8_t>());
    case DType::kInt16:
      return f(std::type_identity<std::int16_t>());
    case DType::kInt32:
      return f(std::type_identity<std::int32_t>());
    case DType::kInt64:
      return f(std::type_identity<std::int64_t>());
    case DType::kUInt8:
      return f(std::type_identity<std::uint8_t>());
    case DType::kUInt16:
      return f(std::type_identity<std::uint16_t>());
    case DType::kUInt32:
      return f(std::type_identity<std::uint32_t>());
    case DType::kUInt64:
      return f(std::type_identity<std::uint64_t>());
    default:
      no_kernel();
  }
}

// Real numbers.
template <typename F>
void with_number(DType dtype, F&& f) {
  is_floating(dtype) ? with_float(dtype, f) : with_integer(dtype, f);
}

// Real and complex numbers.
template <typename F>
void with_any_number(DType dtype, F&& f) {
  if (dtype == DType::kComplex64) return f(std::type_identity<std::complex<float>>());
  if (dtype == DType::kComplex128) return f(std::type_identity<std::complex<double>>());
  with_number(dtype, f);
}

// a + b in T, integers wrapping around.
template <typename T>
T add_elements(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
  } else {
    return static_cast<T>(compute_value(a) + compute_value(b));
  }
}

// Element i of a tensor of indices of any integer type.
inline std::int64_t index_at(const Tensor& t, std::int64_t i) {
  switch (t.dtype()) {
    case DType::kInt32:
      return t.data<std::int32_t>()[i];
    case DType::kInt64:
      return t.data<std::int64_t>()[i];
    case DType::kInt16:
      return t.data<std::int16_t>()[i];
    case DType::kInt8:
      return t.data<std::int8_t>()[i];
    case DType::kUInt8:
      return t.data<std::uint8_t>()[i];
    case DType::kUInt16:
      return t.data<std::uint16_t>()[i];
    default:
      no_kernel();
  }
}

// Calls f(T()) with the integer type of such a tensor.
template <typename F>
void with_index(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kInt32:
      return f(std::type_identity<std::int32_t>());
    case DType::kInt64:
      return f(std::type_identity<std::int64_t>());
    case DType::kInt16:
      return f(std::type_identity<std::int16_t>());
    case DType::kInt8:
      return f(std::type_identity<std::int8_t>());
    case DType::kUInt8:
      return f(std::type_identity<std::uint8_t>());
    case DType::kUInt16:
      return f(std::type_identity<std::uint16_t>());
    default:
      no_kernel();
  }
}

// Error(kInvalidArgument) if a tensor cannot have that many dimensions.
inline void check_rank(std::size_t rank) {
  if (rank > static_cast<std::size_t>(kMaxRank))
    invalid_argument("Too many dimensions: a tensor has at most ", kMaxRank, ", not ", rank, ".");
}

}  // namespace tracefn
