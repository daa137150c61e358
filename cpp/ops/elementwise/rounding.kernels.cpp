// Kernels of rounding and of tests for special values.
#include "ops/elementwise/loops.kernels.h"
#include "ops/elementwise/rounding.functions.h"

namespace tracefn {

using namespace functions;
void fill_rounding(ElementwiseKernels& kernels) {
  fill_loops<Floor>(kernels.unary[kFloor], Reals{});
  fill_loops<Ceil>(kernels.unary[kCeil], Reals{});
  fill_loops<Round>(kernels.unary[kRound], Reals{});
  fill_loops<Round>(kernels.unary[kRound], SignedIntegers{});
  fill_loops<IsNan, bool>(kernels.unary[kIsNan], Reals{});
  fill_loops<IsInf, bool>(kernels.unary[kIsInf], Reals{});
  fill_loops<IsFinite, bool>(kernels.unary[kIsFinite], Reals{});
}

}  // namespace tracefn
