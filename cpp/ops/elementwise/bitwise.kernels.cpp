// Kernels of bitwise and logical operations.
#include "ops/elementwise/loops.kernels.h"

namespace tracefn {

void fill_bitwise(BlockRow* rows) { fill_rows(rows, functions::BitwiseFunctions{}); }

}  // namespace tracefn
