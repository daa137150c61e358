// Kernels of division and remainders. Integers are checked for a zero divisor, and the lowest integer divided by -1 is
// itself (wrapping arithmetic).
#include "ops/elementwise/loops.kernels.h"

namespace tracefn {

using namespace functions;

namespace {

template <typename F, typename T>
int checked_loop(const void* a, const void* b, void* y, std::int64_t n, int scalars) {
  const T* p = static_cast<const T*>(a);
  const T* q = static_cast<const T*>(b);
  const std::int64_t p_step = scalars & 1 ? 0 : 1, q_step = scalars & 2 ? 0 : 1;
  T* to = static_cast<T*>(y);
  for (std::int64_t i = 0; i < n; ++i) {
    T divisor = q[i * q_step];
    if (divisor == 0) return kBlockDivisionByZero;
    to[i] = F::of(p[i * p_step], divisor);
  }
  return kBlockOk;
}

template <typename F>
void fill_checked(BlockRow* rows) {
  for_each_dtype<F::kDTypes & kIntegers>(
      [&]<DType d>() { row_of<F>(rows)[slot(d)] = checked_loop<F, typename ElementOf<d>::type>; });
}

}  // namespace

void fill_division(BlockRow* rows) {
  fill_rows(rows, DivisionFunctions{});
  fill_checked<Div>(rows);
  fill_checked<FloorDiv>(rows);
  fill_checked<FloorMod>(rows);
  fill_checked<TruncateMod>(rows);
  for_each_dtype<kIntegers>([&]<DType d>() { row_of<TruncateDiv>(rows)[slot(d)] = row_of<Div>(rows)[slot(d)]; });
}

}  // namespace tracefn
