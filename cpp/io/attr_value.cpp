// AttrValue, TensorProto, TensorShapeProto, TensorSpecProto and SerializedDType.
#include <complex>

#include "base/error.h"
#include "io/graph_def.h"

namespace tracefn {
namespace {

// Field numbers of AttrValue; those of its ListValue are the same except for func.
enum : int {
  kList = 1,
  kS = 2,
  kI = 3,
  kF = 4,
  kB = 5,
  kTypeField = 6,
  kShapeField = 7,
  kTensorField = 8,
  kFunc = 10,
  kListFunc = 9
};

void write_shape(Message& to, const Shape& shape) {
  if (!shape.has_rank()) return to.add_bool(3, "unknown_rank", true);
  for (std::int64_t d : shape.dims()) {
    Message& dim = to.add_message(2, "dim");
    if (d != 0) dim.add_int(1, "size", d);
  }
}

// The one element of a tensor, in the field for its type.
void write_element(Message& to, const Tensor& t) {
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

void write_func(Message& to, const FuncRef& f) { to.add_text(1, "name", f.name); }

void write_list(Message& list, const Attr& attr) {
  switch (attr.kind()) {
    case Attr::Kind::kInts:
      return list.add_ints(kI, "i", attr.ints());
    case Attr::Kind::kFloats:
      return list.add_floats(kF, "f", attr.floats());
    case Attr::Kind::kBools:
      return list.add_bools(kB, "b", {attr.bools().begin(), attr.bools().end()});
    case Attr::Kind::kTypes: {
      std::vector<std::int64_t> numbers;
      std::vector<std::string> labels;
      for (DType d : attr.types()) {
        numbers.push_back(slot(d));
        labels.emplace_back(enum_name(d));
      }
      return list.add_enums(kTypeField, "type", std::move(numbers), std::move(labels));
    }
    case Attr::Kind::kStrings:
      for (const std::string& s : attr.strings()) list.add_bytes(kS, "s", s);
      return;
    case Attr::Kind::kShapes:
      for (const Shape& s : attr.shapes()) write_shape(list.add_message(kShapeField, "shape"), s);
      return;
    default:
      for (const FuncRef& f : attr.funcs()) write_func(list.add_message(kListFunc, "func"), f);
  }
}

}  // namespace

void write_dtype(Message& to, int number, const char* field, DType dtype) {
  to.add_enum(number, field, slot(dtype), std::string(enum_name(dtype)));
}

Message shape_proto(const Shape& shape) {
  Message proto;
  write_shape(proto, shape);
  return proto;
}

Message tensor_spec_proto(const std::string& name, const Shape& shape, DType dtype) {
  Message proto;
  if (!name.empty()) proto.add_text(1, "name", name);
  write_shape(proto.add_message(2, "shape"), shape);
  write_dtype(proto, 3, "dtype", dtype);
  return proto;
}

Message dtype_proto(DType dtype) {
  Message proto;
  write_dtype(proto, 1, "datatype", dtype);
  return proto;
}

void write_tensor(Message& to, const Tensor& t) {
  write_dtype(to, 1, "dtype", t.dtype());
  write_shape(to.add_message(2, "tensor_shape"), t.shape());
  std::int64_t n = t.num_elements();
  if (n == 0) return;
  if (t.dtype() == DType::kString) {
    for (const std::string& s : t.span<std::string>()) to.add_bytes(8, "string_val", s);
  } else if (n > 1 && is_plain(t.dtype())) {
    to.add_bytes(4, "tensor_content", std::string(t.data<char>(), t.bytes()));
  } else {
    write_element(to, t);  // throws if it cannot be a constant
  }
}

void write_attr(Message& to, const Attr& attr) {
  switch (attr.kind()) {
    case Attr::Kind::kNone:
      return;
    case Attr::Kind::kInt:
      return to.add_int(kI, "i", attr.i());
    case Attr::Kind::kFloat:
      return to.add_float(kF, "f", attr.f());
    case Attr::Kind::kBool:
      return to.add_bool(kB, "b", attr.b());
    case Attr::Kind::kType:
      return write_dtype(to, kTypeField, "type", attr.type());
    case Attr::Kind::kString:
      return to.add_bytes(kS, "s", attr.s());
    case Attr::Kind::kShape:
      return write_shape(to.add_message(kShapeField, "shape"), attr.shape());
    case Attr::Kind::kTensor:
      return write_tensor(to.add_message(kTensorField, "tensor"), attr.tensor());
    case Attr::Kind::kFunc:
      return write_func(to.add_message(kFunc, "func"), attr.func());
    case Attr::Kind::kHost:
      return to.add_bytes(kS, "s", attr.host()->text());
    default:
      return write_list(to.add_message(kList, "list"), attr);
  }
}

}  // namespace tracefn
