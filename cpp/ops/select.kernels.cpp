// Kernels of selection, clipping and comparison within a tolerance.
#include "ops/loops.kernels.h"

namespace tracefn {
namespace {

// Selection moves bits: one kernel per size of the elements serves all dtypes. The condition is spread over the bits of
// a number as wide as the elements, which vectorises where a choice between them does not.
struct Select {
  template <typename T>
  static T of(std::uint8_t condition, T t, T e) {
    if constexpr (std::is_integral_v<T>) {
      const T all = static_cast<T>(-static_cast<T>(condition != 0));  // any other number is true, as to numpy
      return static_cast<T>(e ^ ((t ^ e) & all));
    } else {
      return condition ? t : e;
    }
  }
};
struct ClipByValue {
  template <typename T>
  static T of(T x, T lowest, T highest) {
    T below = highest < x ? highest : x;  // NaN stays
    return below < lowest ? lowest : below;
  }
};
struct ApproximateEqual {
  template <typename T>
  static bool of(T x, T y, T tolerance) {
    return std::abs(x - y) < tolerance;
  }
};

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
