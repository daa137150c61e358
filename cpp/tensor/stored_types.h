// The types that hold numbers but have no arithmetic: quantized integers, float8 and 4-bit integers. Ops move them as
// bytes; whatever reads their numbers does so through tensors of a type that has arithmetic. Any thread may call.
#pragma once

#include "tensor/tensor.h"

namespace tracefn {

constexpr bool is_quantized(DType d) {
  return d == DType::kQInt8 || d == DType::kQUInt8 || d == DType::kQInt16 || d == DType::kQUInt16 ||
         d == DType::kQInt32;
}
constexpr bool is_float8(DType d) { return d == DType::kFloat8E5M2 || d == DType::kFloat8E4M3FN; }
constexpr bool is_four_bits(DType d) { return d == DType::kInt4 || d == DType::kUInt4; }
constexpr bool is_stored_only(DType d) { return is_quantized(d) || is_float8(d) || is_four_bits(d); }

// The type for the numbers of `d`: float for float8, integers of the size in memory for the others. Types with
// arithmetic are their own.
constexpr DType number_dtype(DType d) {
  switch (d) {
    case DType::kQInt8:
    case DType::kInt4:
      return DType::kInt8;
    case DType::kQUInt8:
    case DType::kUInt4:
      return DType::kUInt8;
    case DType::kQInt16:
      return DType::kInt16;
    case DType::kQUInt16:
      return DType::kUInt16;
    case DType::kQInt32:
      return DType::kInt32;
    case DType::kFloat8E5M2:
    case DType::kFloat8E4M3FN:
      return DType::kFloat;
    default:
      return d;
  }
}

// The type from which numbers of dtype `from` become elements of `to`: doubles become float8 at once.
constexpr DType dtype_before_storing(DType from, DType to) {
  return is_float8(to) && from == DType::kDouble ? from : number_dtype(to);
}

// The numbers of `stored` in number_dtype of its dtype. Quantized integers share the buffer; a 4-bit integer is the low
// bits of its byte, the others of which are zero, as in TensorFlow and in ml_dtypes.
Tensor numbers_of(const Tensor& stored);
// The reverse: `numbers` are of a dtype_before_storing(_, dtype). Those of float8 are rounded to nearest, ties to even;
// 4-bit integers wrap; quantized integers share the buffer.
Tensor stored_as(const Tensor& numbers, DType dtype);

}  // namespace tracefn
