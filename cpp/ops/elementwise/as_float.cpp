// Widens and rounds whole tensors.
#include "ops/elementwise/as_float.h"

#include "base/poll.h"
#include "ops/kernel_table.h"

namespace tracefn {
namespace {
constexpr double kCost = 0.5;  // nanoseconds per element
}

Tensor as_float(const Tensor& x) {
  auto widen = kernel_table().array.widen[slot(x.dtype())];
  if (!widen) return x;
  Tensor out(DType::kFloat, x.shape());
  const char* from = x.data<char>();
  float* to = out.mutable_data<float>();
  in_slices(x.num_elements(), kCost, [&](std::int64_t begin, std::int64_t end) {
    widen(from + static_cast<std::size_t>(begin) * size_of(x.dtype()), to + begin, end - begin);
  });
  return out;
}

void from_float(const Tensor& wide, Tensor& out) {
  auto narrow = kernel_table().array.narrow[slot(out.dtype())];
  const float* from = wide.data<float>();
  char* to = out.mutable_data<char>();
  in_slices(out.num_elements(), kCost, [&](std::int64_t begin, std::int64_t end) {
    narrow(from + begin, to + static_cast<std::size_t>(begin) * size_of(out.dtype()), end - begin);
  });
}

Tensor wide_output(const Tensor& out) {
  return kernel_table().array.widen[slot(out.dtype())] ? Tensor(DType::kFloat, out.shape()) : out;
}

void round_output(const Tensor& wide, Tensor& out) {
  if (wide.dtype() != out.dtype()) from_float(wide, out);
}

}  // namespace tracefn
