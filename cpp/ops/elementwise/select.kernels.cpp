// Kernels of select, clipping and approximate comparison.
#include "ops/elementwise/loops.kernels.h"
#include "ops/elementwise/select.functions.h"

namespace tracefn {

using namespace functions;

namespace {

template <typename T>
void fill_select(TernaryRow& row, std::initializer_list<DType> dtypes) {
  for (DType d : dtypes) row[slot(d)] = ternary_loop<Select, std::uint8_t, T, T>;
}

}  // namespace

void fill_select(ElementwiseKernels& kernels) {
  TernaryRow& select = kernels.ternary[kSelect];
  fill_select<std::uint8_t>(select, {DType::kBool, DType::kInt8, DType::kUInt8});
  fill_select<std::uint16_t>(select, {DType::kHalf, DType::kBFloat16, DType::kInt16, DType::kUInt16});
  fill_select<std::uint32_t>(select, {DType::kFloat, DType::kInt32, DType::kUInt32});
  fill_select<std::uint64_t>(select, {DType::kDouble, DType::kInt64, DType::kUInt64, DType::kComplex64});
  fill_select<Complex128>(select, {DType::kComplex128});
  fill_loops<ClipByValue>(kernels.ternary[kClipByValue], Reals{});
  fill_loops<ClipByValue>(kernels.ternary[kClipByValue], SignedIntegers{});
  fill_loops<ClipByValue>(kernels.ternary[kClipByValue], UnsignedIntegers{});
  fill_loops<ApproximateEqual, bool>(kernels.ternary[kApproximateEqual], Reals{});
}

}  // namespace tracefn
