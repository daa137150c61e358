// The dtypes of real numbers, for kernels that are the same template for all.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ops/typed.h"

namespace tracefn {
namespace {

// Calls f(dtype, std::type_identity<T>()) for each of them.
template <typename F>
void for_each_number(F&& f) {
  f(DType::kFloat, std::type_identity<float>());
  f(DType::kDouble, std::type_identity<double>());
  f(DType::kHalf, std::type_identity<Half>());
  f(DType::kBFloat16, std::type_identity<BFloat16>());
  f(DType::kInt8, std::type_identity<std::int8_t>());
  f(DType::kInt16, std::type_identity<std::int16_t>());
  f(DType::kInt32, std::type_identity<std::int32_t>());
  f(DType::kInt64, std::type_identity<std::int64_t>());
  f(DType::kUInt8, std::type_identity<std::uint8_t>());
  f(DType::kUInt16, std::type_identity<std::uint16_t>());
  f(DType::kUInt32, std::type_identity<std::uint32_t>());
  f(DType::kUInt64, std::type_identity<std::uint64_t>());
}

}  // namespace
}  // namespace tracefn
