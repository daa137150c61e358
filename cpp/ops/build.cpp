// The short names of build.h, each one emit.
#include "ops/build.h"

#include "base/check.h"
#include "tensor/stored_types.h"

namespace tracefn::build {
namespace {

template <typename T>
Tensor rounded(double value) {
  return Tensor::scalar(static_cast<T>(value));
}

}  // namespace

Tensor scalar_tensor(DType dtype, double v) {
  if (is_stored_only(dtype)) return stored_as(scalar_tensor(number_dtype(dtype), v), dtype);
  switch (dtype) {
    case DType::kFloat:
      return rounded<float>(v);
    case DType::kDouble:
      return rounded<double>(v);
    case DType::kHalf:
      return Tensor::scalar(Half(static_cast<float>(v)));
    case DType::kBFloat16:
      return Tensor::scalar(BFloat16(static_cast<float>(v)));
    case DType::kInt8:
      return rounded<std::int8_t>(v);
    case DType::kInt16:
      return rounded<std::int16_t>(v);
    case DType::kInt32:
      return rounded<std::int32_t>(v);
    case DType::kInt64:
      return rounded<std::int64_t>(v);
    case DType::kUInt8:
      return rounded<std::uint8_t>(v);
    case DType::kUInt16:
      return rounded<std::uint16_t>(v);
    case DType::kUInt32:
      return rounded<std::uint32_t>(v);
    case DType::kUInt64:
      return rounded<std::uint64_t>(v);
    case DType::kBool:
      return Tensor::scalar(v != 0);
    case DType::kComplex64:
      return Tensor::scalar(std::complex<float>(static_cast<float>(v)));
    case DType::kComplex128:
      return Tensor::scalar(std::complex<double>(v));
    default:
      break;
  }
  fail(ErrorKind::kType, "A number cannot be made a tensor of type ", name(dtype), ".");
}

Operand constant(Tensor value) {
  if (current_target().is_eager()) return value;
  DType dtype = value.dtype();
  return emit1("Const", {}, {{"value", std::move(value)}, {"dtype", dtype}});
}
Operand scalar(DType dtype, double value) { return constant(scalar_tensor(dtype, value)); }
Operand ints(std::initializer_list<std::int32_t> values) {
  return constant(Tensor::vector(std::span<const std::int32_t>(values.begin(), values.size())));
}
Operand ints(const std::vector<std::int32_t>& values) {
  return constant(Tensor::vector(std::span<const std::int32_t>(values)));
}

Operand add(const Operand& a, const Operand& b) { return emit1("AddV2", {a, b}); }
Operand sub(const Operand& a, const Operand& b) { return emit1("Sub", {a, b}); }
Operand mul(const Operand& a, const Operand& b) { return emit1("Mul", {a, b}); }
Operand div(const Operand& a, const Operand& b) { return emit1("RealDiv", {a, b}); }
Operand neg(const Operand& x) { return emit1("Neg", {x}); }
Operand conj(const Operand& x) { return is_complex(x.dtype()) ? emit1("Conj", {x}) : x; }
Operand cast(const Operand& x, DType dtype) { return x.dtype() == dtype ? x : emit1("Cast", {x}, {{"DstT", dtype}}); }
Operand select(const Operand& condition, const Operand& x, const Operand& y) {
  return emit1("SelectV2", {condition, x, y});
}
Operand zeros_like(const Operand& x) { return emit1("ZerosLike", {x}); }
Operand ones_like(const Operand& x) { return emit1("OnesLike", {x}); }
Operand shape_of(const Operand& x) {
  const Shape& shape = x.shape();
  if (!shape.is_fully_known()) return emit1("Shape", {x});
  std::vector<std::int32_t> dims;
  for (std::int64_t d : shape.dims()) dims.push_back(static_cast<std::int32_t>(d));
  return ints(dims);
}
Operand reshape(const Operand& x, const Operand& shape) { return emit1("Reshape", {x, shape}); }
Operand sum(const Operand& x, const Operand& axes, bool keep_dims) {
  return emit1("Sum", {x, axes}, {{"keep_dims", keep_dims}});
}

Operand unbroadcast(const Operand& gradient, const Operand& x, const Operand& other) {
  const Shape& a = x.shape();
  const Shape& b = other.shape();
  if (a.is_fully_known() && b.is_fully_known()) {
    if (a == b || gradient.shape() == a) return gradient;
    int rank = std::max(a.rank(), b.rank());
    std::vector<std::int32_t> axes;
    for (int i = 0; i < rank; ++i) {
      int j = i - (rank - a.rank());
      std::int64_t from_b = i - (rank - b.rank()) >= 0 ? b[i - (rank - b.rank())] : 1;
      if (j < 0 || (a[j] == 1 && from_b != 1)) axes.push_back(i);
    }
    return reshape(axes.empty() ? gradient : sum(gradient, ints(axes)), shape_of(x));
  }
  Operand shape = shape_of(x);
  Operand args[] = {shape, shape_of(other)};
  Operands axes = emit_all("BroadcastGradientArgs", args);
  return reshape(sum(gradient, axes[0]), shape);
}

Operand scale(const Operand& x, double factor) { return mul(x, scalar(x.dtype(), factor)); }

}  // namespace tracefn::build
