#include "ops/random/samples.h"

#include <cmath>
#include <limits>

#include "base/poll.h"
#include "tensor/half.h"

namespace tracefn {
namespace {

template <typename T>
std::vector<double> widened(const Tensor& t) {
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(t.num_elements()));
  PolledSteps polled(4096);
  for (const T& x : t.span<T>()) {
    polled.step();
    if constexpr (std::is_arithmetic_v<T>) {
      out.push_back(static_cast<double>(x));
    } else {
      out.push_back(static_cast<float>(x));
    }
  }
  return out;
}

template <typename T>
void store(void* out, std::int64_t i, double value) {
  T& to = static_cast<T*>(out)[i];
  if constexpr (std::is_floating_point_v<T>) {
    to = static_cast<T>(value);
  } else if constexpr (std::is_integral_v<T>) {
    // The bounds are powers of two, so exact.
    constexpr double kLeast = static_cast<double>(std::numeric_limits<T>::min());
    const T none = std::isnan(value) ? T(0) : std::numeric_limits<T>::min();
    to = value >= kLeast && value < -kLeast ? static_cast<T>(value) : none;
  } else {
    to = T(static_cast<float>(value));
  }
}

}  // namespace

std::vector<double> as_doubles(const Tensor& t) {
  switch (t.dtype()) {
    case DType::kFloat:
      return widened<float>(t);
    case DType::kDouble:
      return widened<double>(t);
    case DType::kHalf:
      return widened<Half>(t);
    case DType::kBFloat16:
      return widened<BFloat16>(t);
    case DType::kInt8:
      return widened<std::int8_t>(t);
    case DType::kInt16:
      return widened<std::int16_t>(t);
    case DType::kInt32:
      return widened<std::int32_t>(t);
    case DType::kInt64:
      return widened<std::int64_t>(t);
    case DType::kUInt8:
      return widened<std::uint8_t>(t);
    case DType::kUInt16:
      return widened<std::uint16_t>(t);
    case DType::kUInt32:
      return widened<std::uint32_t>(t);
    default:
      return widened<std::uint64_t>(t);
  }
}

Store store_of(DType dtype) {
  switch (dtype) {
    case DType::kHalf:
      return store<Half>;
    case DType::kBFloat16:
      return store<BFloat16>;
    case DType::kFloat:
      return store<float>;
    case DType::kDouble:
      return store<double>;
    case DType::kInt32:
      return store<std::int32_t>;
    case DType::kInt64:
      return store<std::int64_t>;
    default:
      return nullptr;
  }
}

void infer_sample_shape(InferContext& c) {
  c.require_rank(0, 1);
  c.set_output(0, c.result_shape(0));
}

void check_sample_shape(const KernelContext& c) {
  if (c.input(0).rank() != 1)
    invalid_argument("shape must be a vector of {int32,int64}, got shape ", c.input(0).shape().text());
}

void require_ends_with(const Shape& shape, const Shape& parameters) {
  const int more = shape.rank() - parameters.rank();
  bool ends = more >= 0;
  for (int i = 0; ends && i < parameters.rank(); ++i) ends = shape[more + i] == parameters[i];
  if (!ends) invalid_argument("Shape passed in must end with broadcasted shape.");
}

}  // namespace tracefn
