// Conversions of matrices to double precision and back.
#include "ops/linalg/wide_matrices.h"

#include "base/poll.h"
#include "ops/elementwise/as_float.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

template <typename From, typename To>
void convert(const Tensor& from, Tensor& to) {
  const From* x = from.data<From>();
  To* y = to.mutable_data<To>();
  in_slices(to.num_elements(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) y[i] = To(x[i]);
  });
}

using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;

}  // namespace

Tensor in_double(const Tensor& x, bool as_complex) {
  const DType wanted = as_complex || is_complex(x.dtype()) ? DType::kComplex128 : DType::kDouble;
  if (x.dtype() == wanted) return x;
  const Tensor from = as_float(x);
  Tensor to(wanted, x.shape());
  switch (from.dtype()) {
    case DType::kFloat:
      wanted == DType::kDouble ? convert<float, double>(from, to) : convert<float, Complex128>(from, to);
      break;
    case DType::kDouble:
      convert<double, Complex128>(from, to);
      break;
    case DType::kComplex64:
      convert<Complex64, Complex128>(from, to);
      break;
    default:
      no_kernel();
  }
  return to;
}

Tensor double_output(const Tensor& out) {
  const DType wanted = is_complex(out.dtype()) ? DType::kComplex128 : DType::kDouble;
  return out.dtype() == wanted ? out : Tensor(wanted, out.shape());
}

void round_doubles(const Tensor& wide, Tensor& out) {
  if (wide.dtype() == out.dtype()) return;
  if (out.dtype() == DType::kComplex64) return convert<Complex128, Complex64>(wide, out);
  if (out.dtype() == DType::kFloat) return convert<double, float>(wide, out);
  Tensor floats(DType::kFloat, out.shape());
  convert<double, float>(wide, floats);
  from_float(floats, out);
}

}  // namespace tracefn
