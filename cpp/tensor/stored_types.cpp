// Numbers to and from the types without arithmetic.
#include "tensor/stored_types.h"

#include "base/poll.h"
#include "tensor/float8.h"

namespace tracefn {
namespace {

template <typename From, typename To, typename Convert>
Tensor converted(const Tensor& from, DType dtype, const Convert& convert) {
  Tensor out(dtype, from.shape());
  const auto* x = static_cast<const From*>(from.raw());
  auto* y = static_cast<To*>(out.mutable_raw());
  in_slices(from.num_elements(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) y[i] = convert(x[i]);
  });
  return out;
}

template <typename F8>
Tensor widened(const Tensor& stored) {
  return converted<F8, float>(stored, DType::kFloat, [](F8 v) { return static_cast<float>(v); });
}

template <typename F8, typename Real>
Tensor rounded(const Tensor& numbers, DType dtype) {
  return converted<Real, F8>(numbers, dtype, [](Real v) { return F8(v); });
}

template <typename F8>
Tensor rounded(const Tensor& numbers, DType dtype) {
  return numbers.dtype() == DType::kDouble ? rounded<F8, double>(numbers, dtype) : rounded<F8, float>(numbers, dtype);
}

// The low four bits of each byte.
Tensor low_bits(const Tensor& t, DType dtype) {
  return converted<std::uint8_t, std::uint8_t>(t, dtype,
                                               [](std::uint8_t v) { return static_cast<std::uint8_t>(v & 15); });
}

Tensor relabelled(const Tensor& t, DType dtype) {
  return Tensor(dtype, t.shape(), t.buffer(), const_cast<void*>(t.raw()));
}

}  // namespace

Tensor numbers_of(const Tensor& stored) {
  switch (stored.dtype()) {
    case DType::kFloat8E5M2:
      return widened<Float8E5M2>(stored);
    case DType::kFloat8E4M3FN:
      return widened<Float8E4M3FN>(stored);
    case DType::kInt4:  // the highest of the four bits is the sign
      return converted<std::uint8_t, std::int8_t>(
          stored, DType::kInt8, [](std::uint8_t v) { return static_cast<std::int8_t>(((v & 15) ^ 8) - 8); });
    case DType::kUInt4:
      return low_bits(stored, DType::kUInt8);
    default:
      return is_stored_only(stored.dtype()) ? relabelled(stored, number_dtype(stored.dtype())) : stored;
  }
}

Tensor stored_as(const Tensor& numbers, DType dtype) {
  switch (dtype) {
    case DType::kFloat8E5M2:
      return rounded<Float8E5M2>(numbers, dtype);
    case DType::kFloat8E4M3FN:
      return rounded<Float8E4M3FN>(numbers, dtype);
    case DType::kInt4:
    case DType::kUInt4:
      return low_bits(numbers, dtype);
    default:
      return is_stored_only(dtype) ? relabelled(numbers, dtype) : numbers;
  }
}

}  // namespace tracefn
