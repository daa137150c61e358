// Kernels of division and remainders. Integers are checked for a zero divisor, and the lowest integer divided by -1 is
// itself (wrapping arithmetic).
#include "ops/elementwise/division.functions.h"
#include "ops/elementwise/loops.kernels.h"

namespace tracefn {

using namespace functions;

namespace {

struct FloorMod {
  template <typename T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      T r = truncated_remainder(a, b);
      return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
    } else {
      T r = std::fmod(a, b);
      return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    }
  }
};
struct TruncateMod {
  template <typename T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return truncated_remainder(a, b);
    } else {
      return std::fmod(a, b);
    }
  }
};

template <typename F, typename T>
int checked_loop(const void* a, const void* b, void* y, std::int64_t n, int scalars) {
  const T* p = static_cast<const T*>(a);
  const T* q = static_cast<const T*>(b);
  const std::int64_t p_step = scalars & 1 ? 0 : 1, q_step = scalars & 2 ? 0 : 1;
  T* to = static_cast<T*>(y);
  for (std::int64_t i = 0; i < n; ++i) {
    T divisor = q[i * q_step];
    if (divisor == 0) return kBlockDivisionByZero;
    to[i] = F::of(p[i * p_step], divisor);
  }
  return kBlockOk;
}

template <typename F, typename... Ts>
void fill_checked(BinaryRow& row, Types<Ts...>) {
  ((row[SlotOf<Ts>::value] = checked_loop<F, Ts>), ...);
}

template <typename F>
void fill_integers(BinaryRow& row) {
  fill_checked<F>(row, SignedIntegers{});
  fill_checked<F>(row, UnsignedIntegers{});
}

}  // namespace

void fill_division(ElementwiseKernels& kernels) {
  BinaryRow* binary = kernels.binary;
  fill_loops<Div>(binary[kDiv], Reals{});
  fill_loops<Div>(binary[kDiv], Complexes{});
  fill_integers<Div>(binary[kDiv]);
  fill_loops<DivNoNan>(binary[kDivNoNan], Reals{});
  fill_loops<DivNoNan>(binary[kDivNoNan], Complexes{});
  fill_loops<MulNoNan>(binary[kMulNoNan], Reals{});
  fill_loops<MulNoNan>(binary[kMulNoNan], Complexes{});
  fill_loops<Xdivy>(binary[kXdivy], Reals{});
  fill_loops<Xdivy>(binary[kXdivy], Complexes{});
  fill_loops<Reciprocal>(kernels.unary[kReciprocal], Reals{});
  fill_loops<Reciprocal>(kernels.unary[kReciprocal], Complexes{});
  fill_loops<ReciprocalGrad>(binary[kReciprocalGrad], Reals{});
  fill_loops<ReciprocalGrad>(binary[kReciprocalGrad], Complexes{});
  fill_loops<FloorDiv>(binary[kFloorDiv], Reals{});
  fill_integers<FloorDiv>(binary[kFloorDiv]);
  fill_step_loops<FloorMod>(binary[kFloorMod], Reals{});
  fill_integers<FloorMod>(binary[kFloorMod]);
  fill_loops<TruncateDiv>(binary[kTruncateDiv], Reals{});
  for (DType d : {DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8, DType::kUInt16,
                  DType::kUInt32, DType::kUInt64})
    binary[kTruncateDiv][slot(d)] = binary[kDiv][slot(d)];
  fill_step_loops<TruncateMod>(binary[kTruncateMod], Reals{});
  fill_checked<TruncateMod>(binary[kTruncateMod], Types<std::int32_t, std::int64_t>{});
}

}  // namespace tracefn
