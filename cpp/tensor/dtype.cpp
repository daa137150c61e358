// Names and sizes of the element types.
#include "tensor/dtype.h"

#include <string>

#include "base/error.h"
#include "base/ref.h"

namespace tracefn {
namespace {

struct DTypeInfo {
  std::string_view name, runtime_name, enum_name;
  std::size_t size = 0;
};

constexpr DTypeInfo info(DType dtype) {
  switch (dtype) {
    case DType::kFloat:
      return {"float32", "float", "DT_FLOAT", 4};
    case DType::kDouble:
      return {"float64", "double", "DT_DOUBLE", 8};
    case DType::kInt32:
      return {"int32", "int32", "DT_INT32", 4};
    case DType::kUInt8:
      return {"uint8", "uint8", "DT_UINT8", 1};
    case DType::kInt16:
      return {"int16", "int16", "DT_INT16", 2};
    case DType::kInt8:
      return {"int8", "int8", "DT_INT8", 1};
    case DType::kString:
      return {"string", "string", "DT_STRING", sizeof(std::string)};
    case DType::kComplex64:
      return {"complex64", "complex64", "DT_COMPLEX64", 8};
    case DType::kInt64:
      return {"int64", "int64", "DT_INT64", 8};
    case DType::kBool:
      return {"bool", "bool", "DT_BOOL", 1};
    case DType::kQInt8:
      return {"qint8", "qint8", "DT_QINT8", 1};
    case DType::kQUInt8:
      return {"quint8", "quint8", "DT_QUINT8", 1};
    case DType::kQInt32:
      return {"qint32", "qint32", "DT_QINT32", 4};
    case DType::kBFloat16:
      return {"bfloat16", "bfloat16", "DT_BFLOAT16", 2};
    case DType::kQInt16:
      return {"qint16", "qint16", "DT_QINT16", 2};
    case DType::kQUInt16:
      return {"quint16", "quint16", "DT_QUINT16", 2};
    case DType::kUInt16:
      return {"uint16", "uint16", "DT_UINT16", 2};
    case DType::kComplex128:
      return {"complex128", "complex128", "DT_COMPLEX128", 16};
    case DType::kHalf:
      return {"float16", "half", "DT_HALF", 2};
    case DType::kResource:
      return {"resource", "resource", "DT_RESOURCE", sizeof(Ref<RefCounted>)};
    case DType::kVariant:
      return {"variant", "variant", "DT_VARIANT", sizeof(Ref<RefCounted>)};
    case DType::kUInt32:
      return {"uint32", "uint32", "DT_UINT32", 4};
    case DType::kUInt64:
      return {"uint64", "uint64", "DT_UINT64", 8};
    case DType::kFloat8E5M2:
      return {"float8_e5m2", "float8_e5m2", "DT_FLOAT8_E5M2", 1};
    case DType::kFloat8E4M3FN:
      return {"float8_e4m3fn", "float8_e4m3fn", "DT_FLOAT8_E4M3FN", 1};
    case DType::kInt4:
      return {"int4", "int4", "DT_INT4", 1};
    case DType::kUInt4:
      return {"uint4", "uint4", "DT_UINT4", 1};
    case DType::kInvalid:
      break;
  }
  return {"invalid", "invalid", "DT_INVALID", 0};
}

}  // namespace

std::string_view name(DType dtype) { return info(dtype).name; }
std::string_view runtime_name(DType dtype) { return info(dtype).runtime_name; }
std::string_view enum_name(DType dtype) { return info(dtype).enum_name; }
std::size_t size_of(DType dtype) { return info(dtype).size; }
bool is_dtype(int number) { return number > 0 && number < kDTypeSlots && info(static_cast<DType>(number)).size != 0; }

}  // namespace tracefn
