// TensorProto and TensorShapeProto to messages.
#include <complex>

#include "base/error.h"
#include "tensor/stored_types.h"
#include "wire/tensor_proto.h"

namespace tracefn {
namespace {

// The one element of a tensor, in the field for its type.
void write_element(Message& to, const Tensor& t) {
  if (is_float8(t.dtype())) return to.add_bytes(18, "float8_val", std::string(static_cast<const char*>(t.raw()), 1));
  if (is_stored_only(t.dtype())) return write_element(to, numbers_of(t));
  switch (t.dtype()) {
    case DType::kHalf:
      return to.add_ints(13, "half_val", {t.item<Half>().bits});
    case DType::kBFloat16:
      return to.add_ints(13, "half_val", {t.item<BFloat16>().bits});
    case DType::kFloat:
      return to.add_floats(5, "float_val", {t.item<float>()});
    case DType::kDouble:
      return to.add_doubles(6, "double_val", {t.item<double>()});
    case DType::kInt8:
      return to.add_ints(7, "int_val", {t.item<std::int8_t>()});
    case DType::kInt16:
      return to.add_ints(7, "int_val", {t.item<std::int16_t>()});
    case DType::kInt32:
      return to.add_ints(7, "int_val", {t.item<std::int32_t>()});
    case DType::kUInt8:
      return to.add_ints(7, "int_val", {t.item<std::uint8_t>()});
    case DType::kUInt16:
      return to.add_ints(7, "int_val", {t.item<std::uint16_t>()});
    case DType::kComplex64:
      return to.add_floats(9, "scomplex_val",
                           {t.item<std::complex<float>>().real(), t.item<std::complex<float>>().imag()});
    case DType::kInt64:
      return to.add_ints(10, "int64_val", {t.item<std::int64_t>()});
    case DType::kBool:
      return to.add_bools(11, "bool_val", {t.item<bool>()});
    case DType::kComplex128:
      return to.add_doubles(12, "dcomplex_val",
                            {t.item<std::complex<double>>().real(), t.item<std::complex<double>>().imag()});
    case DType::kUInt32:
      return to.add_ints(16, "uint32_val", {t.item<std::uint32_t>()});
    case DType::kUInt64:
      return to.add_ints(17, "uint64_val", {static_cast<std::int64_t>(t.item<std::uint64_t>())});
    default:
      fail(ErrorKind::kUnimplemented, "A constant of type ", name(t.dtype()), " cannot be written to a GraphDef.");
  }
}

// Dtype and shape; true if elements follow.
bool write_head(Message& to, const Tensor& t) {
  write_dtype(to, 1, "dtype", t.dtype());
  write_shape(to.add_message(2, "tensor_shape"), t.shape());
  return t.num_elements() > 0;
}

void write_all(Message& to, const Tensor& t) {
  if (is_four_bits(t.dtype())) {
    const Tensor numbers = numbers_of(t);
    // Either type fits an int8.
    const auto* first = static_cast<const std::int8_t*>(numbers.raw());
    return to.add_ints(7, "int_val", {first, first + t.num_elements()});
  }
  if (t.dtype() == DType::kString) {
    for (const std::string& s : t.span<std::string>()) to.add_bytes(8, "string_val", s);
  } else {
    to.add_bytes(4, "tensor_content", std::string(t.data<char>(), t.bytes()));
  }
}

}  // namespace

void write_shape(Message& to, const Shape& shape) {
  if (!shape.has_rank()) return to.add_bool(3, "unknown_rank", true);
  for (std::int64_t d : shape.dims()) {
    Message& dim = to.add_message(2, "dim");
    if (d != 0) dim.add_int(1, "size", d);
  }
}

void write_dtype(Message& to, int number, const char* field, DType dtype) {
  to.add_enum(number, field, slot(dtype), std::string(enum_name(dtype)));
}

void write_tensor(Message& to, const Tensor& t) {
  if (!write_head(to, t)) return;
  if (t.dtype() == DType::kString || (t.num_elements() > 1 && is_plain(t.dtype()))) {
    write_all(to, t);
  } else {
    write_element(to, t);  // throws if it cannot be a constant
  }
}

void write_tensor_content(Message& to, const Tensor& t) {
  if (t.dtype() != DType::kString && !is_plain(t.dtype()))
    fail(ErrorKind::kUnimplemented, "A tensor of type ", name(t.dtype()), " cannot be serialized.");
  if (write_head(to, t)) write_all(to, t);
}

}  // namespace tracefn
