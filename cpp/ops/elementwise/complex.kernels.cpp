// Kernels of functions between complex numbers and their parts.
#include "ops/elementwise/loops.kernels.h"

namespace tracefn {

void fill_complex(BlockRow* rows) { fill_rows(rows, functions::ComplexFunctions{}); }

}  // namespace tracefn
