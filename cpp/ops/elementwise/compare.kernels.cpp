// Kernels of the comparisons. Greater and GreaterEqual are Less and LessEqual with the operands swapped.
#include "ops/elementwise/loops.kernels.h"

namespace tracefn {

using namespace functions;

namespace {

template <BinaryBlock kernel>
int swapped(const void* a, const void* b, void* y, std::int64_t n, int scalars) {
  return kernel(b, a, y, n, (scalars & 1) << 1 | (scalars >> 1 & 1));
}

template <typename F, typename Swapped>
void fill_swapped(BlockRow* rows) {
  for_each_dtype<F::kDTypes>([&]<DType d>() { row_of<F>(rows)[slot(d)] = swapped<kernel_of<Swapped, d>()>; });
}

}  // namespace

void fill_compare(BlockRow* rows) {
  fill_rows(rows, CompareFunctions{});
  fill_swapped<Greater, Less>(rows);
  fill_swapped<GreaterEqual, LessEqual>(rows);
}

}  // namespace tracefn
