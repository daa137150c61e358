// Kernels of sums, differences, products, signs and extremes.
#include "ops/elementwise/loops.kernels.h"

namespace tracefn {

void fill_arithmetic(BlockRow* rows) { fill_rows(rows, functions::ArithmeticFunctions{}); }

}  // namespace tracefn
