// Kernels of rounding and of tests for special values.
#include "ops/elementwise/loops.kernels.h"

namespace tracefn {

void fill_rounding(BlockRow* rows) { fill_rows(rows, functions::RoundingFunctions{}); }

}  // namespace tracefn
