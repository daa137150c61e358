// Kernels of sums, differences, products, signs and extremes.
#include "ops/elementwise/arithmetic.functions.h"
#include "ops/elementwise/loops.kernels.h"

namespace tracefn {

using namespace functions;

namespace {

// Sums and products wrap around, so signed integers share the unsigned kernels.
template <typename F, typename Row>
void fill_wrapping(Row& row) {
  fill_loops<F>(row, Reals{});
  fill_loops<F>(row, Complexes{});
  fill_loops<F>(row, UnsignedIntegers{});
  share_with_signed(row);
}

template <typename F>
void fill_extreme(BinaryRow& row) {
  fill_loops<F>(row, Reals{});
  fill_loops<F>(row, SignedIntegers{});
  fill_loops<F>(row, UnsignedIntegers{});
}

}  // namespace

void fill_arithmetic(ElementwiseKernels& kernels) {
  fill_loops<Neg>(kernels.unary[kNeg], Reals{});
  fill_loops<Neg>(kernels.unary[kNeg], Complexes{});
  fill_loops<Neg>(kernels.unary[kNeg], SignedIntegers{});
  fill_loops<Abs>(kernels.unary[kAbs], Reals{});
  fill_loops<Abs>(kernels.unary[kAbs], SignedIntegers{});
  fill_loops<Sign>(kernels.unary[kSign], Reals{});
  fill_loops<Sign>(kernels.unary[kSign], Complexes{});
  fill_loops<Sign>(kernels.unary[kSign], SignedIntegers{});
  fill_wrapping<Square>(kernels.unary[kSquare]);
  fill_wrapping<Add>(kernels.binary[kAdd]);
  fill_wrapping<Sub>(kernels.binary[kSub]);
  fill_wrapping<Mul>(kernels.binary[kMul]);
  fill_loops<SquaredDifference>(kernels.binary[kSquaredDifference], Reals{});
  fill_loops<SquaredDifference>(kernels.binary[kSquaredDifference], Complexes{});
  fill_loops<SquaredDifference>(kernels.binary[kSquaredDifference], Types<std::int32_t, std::int64_t>{});
  fill_extreme<Maximum>(kernels.binary[kMaximum]);
  fill_extreme<Minimum>(kernels.binary[kMinimum]);
}

}  // namespace tracefn
