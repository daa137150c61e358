// DType: the element types, numbered as TensorFlow's DataType.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tracefn {

enum class DType : std::uint8_t {
  kInvalid = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUInt8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQInt8 = 11,
  kQUInt8 = 12,
  kQInt32 = 13,
  kBFloat16 = 14,
  kQInt16 = 15,
  kQUInt16 = 16,
  kUInt16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kResource = 20,
  kVariant = 21,
  kUInt32 = 22,
  kUInt64 = 23,
  kFloat8E5M2 = 24,
  kFloat8E4M3FN = 25,
  kInt4 = 29,  // one element in each byte, as in TensorFlow
  kUInt4 = 30,
};

// One more than the largest number: the length of a table indexed by dtype.
inline constexpr int kDTypeSlots = 31;
constexpr int slot(DType dtype) { return static_cast<int>(dtype); }
static_assert(slot(DType::kInvalid) == 0 && slot(DType::kUInt4) + 1 == kDTypeSlots);

// "float32", as in tf.float32.name.
std::string_view name(DType dtype);
// "float", as in messages of TensorFlow's runtime ("expected to be a float tensor").
std::string_view runtime_name(DType dtype);
// "DT_FLOAT", as in node texts and GraphDef.
std::string_view enum_name(DType dtype);
// True when `number` is one of the enumerators above, kInvalid excluded.
bool is_dtype(int number);
// Bytes per element; strings, resources and variants have the size of their C++ object.
std::size_t size_of(DType dtype);

// The sets below are without the types that hold numbers and have no arithmetic: quantized integers, float8, 4-bit
// integers (tensor/stored_types.h).
constexpr bool is_floating(DType d) {
  return d == DType::kFloat || d == DType::kDouble || d == DType::kHalf || d == DType::kBFloat16;
}
constexpr bool is_complex(DType d) { return d == DType::kComplex64 || d == DType::kComplex128; }
constexpr bool is_signed_integer(DType d) {
  return d == DType::kInt8 || d == DType::kInt16 || d == DType::kInt32 || d == DType::kInt64;
}
constexpr bool is_unsigned_integer(DType d) {
  return d == DType::kUInt8 || d == DType::kUInt16 || d == DType::kUInt32 || d == DType::kUInt64;
}
constexpr bool is_integer(DType d) { return is_signed_integer(d) || is_unsigned_integer(d); }
constexpr bool is_numeric(DType d) { return is_floating(d) || is_integer(d) || is_complex(d); }
// Elements that are plain bytes: everything but strings, resources and variants.
constexpr bool is_plain(DType d) { return d != DType::kString && d != DType::kResource && d != DType::kVariant; }
// The type of the real part: float for complex64, the type itself for the others.
constexpr DType real_dtype(DType d) {
  return d == DType::kComplex64 ? DType::kFloat : d == DType::kComplex128 ? DType::kDouble : d;
}

inline std::string printed(DType dtype) { return std::string(name(dtype)); }

}  // namespace tracefn
