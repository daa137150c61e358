// The reductions that kernels, fusion and vector code know. Plain, for the boundary to the kernel libraries.
#pragma once

namespace tracefn {

enum ReduceFunction : int {
  kReduceSum,
  kReduceProd,
  kReduceMax,
  kReduceMin,
  kReduceMean,
  kReduceNorm,
  kReduceHalfSquares,  // half the sum of squares; floating point only
  kReduceAll,
  kReduceAny,
  kReduceFunctions,
};

}  // namespace tracefn
