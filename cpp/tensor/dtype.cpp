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
    case DType::kBFloat16:
      return {"bfloat16", "bfloat16", "DT_BFLOAT16", 2};
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
