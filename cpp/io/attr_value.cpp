// AttrValue, TensorSpecProto and SerializedDType.
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
