// Narrowing, one loop per pair of types.
#include "bind/convert/narrow.h"

#include <complex>

#include "base/poll.h"
#include "tensor/stored_types.h"

namespace tracefn::bind {
namespace {

// Narrowing of values read: integers wrap, floats round, as TensorFlow's casts do.
template <typename To, typename From>
To narrowed(const From& v) {
  if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>) {
    return To(static_cast<float>(v));
  } else if constexpr (std::is_same_v<To, std::complex<float>> || std::is_same_v<To, std::complex<double>>) {
    if constexpr (std::is_same_v<From, std::complex<double>>) {
      return To(v);
    } else {
      return To(static_cast<typename To::value_type>(v));
    }
  } else {
    return static_cast<To>(v);
  }
}

template <typename To, typename From>
Tensor narrowed_tensor(const Tensor& wide) {
  Tensor out(DTypeOf<To>::value, wide.shape());
  To* to = out.mutable_data<To>();
  const From* from = wide.data<From>();
  in_slices(wide.num_elements(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) to[i] = narrowed<To>(from[i]);
  });
  return out;
}

template <typename From>
Tensor narrow_from(const Tensor& wide, DType dtype) {
  switch (dtype) {
    case DType::kHalf:
      return narrowed_tensor<Half, From>(wide);
    case DType::kBFloat16:
      return narrowed_tensor<BFloat16, From>(wide);
    case DType::kFloat:
      return narrowed_tensor<float, From>(wide);
    case DType::kDouble:
      return narrowed_tensor<double, From>(wide);
    case DType::kComplex64:
      return narrowed_tensor<std::complex<float>, From>(wide);
    case DType::kComplex128:
      return narrowed_tensor<std::complex<double>, From>(wide);
    default:
      break;
  }
  if constexpr (std::is_integral_v<From>) {
    switch (dtype) {
      case DType::kInt8:
        return narrowed_tensor<std::int8_t, From>(wide);
      case DType::kInt16:
        return narrowed_tensor<std::int16_t, From>(wide);
      case DType::kInt32:
        return narrowed_tensor<std::int32_t, From>(wide);
      case DType::kInt64:
        return narrowed_tensor<std::int64_t, From>(wide);
      case DType::kUInt8:
        return narrowed_tensor<std::uint8_t, From>(wide);
      case DType::kUInt16:
        return narrowed_tensor<std::uint16_t, From>(wide);
      case DType::kUInt32:
        return narrowed_tensor<std::uint32_t, From>(wide);
      case DType::kUInt64:
        return narrowed_tensor<std::uint64_t, From>(wide);
      default:
        break;
    }
  }
  return Tensor();
}

}  // namespace

Tensor narrow(const Tensor& wide, DType dtype) {
  if (wide.dtype() == dtype) return wide;
  if (is_stored_only(dtype)) {
    const Tensor numbers = narrow(wide, dtype_before_storing(wide.dtype(), dtype));
    return numbers.defined() ? stored_as(numbers, dtype) : numbers;
  }
  switch (wide.dtype()) {
    case DType::kInt64:
      return narrow_from<std::int64_t>(wide, dtype);
    case DType::kUInt64:
      return narrow_from<std::uint64_t>(wide, dtype);
    case DType::kDouble:
      return narrow_from<double>(wide, dtype);
    case DType::kComplex128:
      return is_complex(dtype) ? narrowed_tensor<std::complex<float>, std::complex<double>>(wide) : Tensor();
    default:
      return Tensor();
  }
}

}  // namespace tracefn::bind
