// Kernels of rounding and of tests for special values.
#include <bit>

#include "ops/loops.kernels.h"

namespace tracefn {
namespace {

struct Floor {
  template <typename T>
  static T of(T x) {
    return std::floor(x);
  }
};
struct Ceil {
  template <typename T>
  static T of(T x) {
    return std::ceil(x);
  }
};
struct Round {
  template <typename T>
  static T of(T x) {
    if constexpr (std::is_integral_v<T>) {
      return x;
    } else {
      return std::nearbyint(x);
    }
  }
};

template <typename T>
auto magnitude_bits(T x) {
  using U = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<U>(x) & ~(U{1} << (sizeof(T) * 8 - 1));
}
template <typename T>
constexpr auto infinity_bits() {
  using U = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<U>(std::numeric_limits<T>::infinity());
}
struct IsNan {
  template <typename T>
  static bool of(T x) {
    return magnitude_bits(x) > infinity_bits<T>();
  }
};
struct IsInf {
  template <typename T>
  static bool of(T x) {
    return magnitude_bits(x) == infinity_bits<T>();
  }
};
struct IsFinite {
  template <typename T>
  static bool of(T x) {
    return magnitude_bits(x) < infinity_bits<T>();
  }
};

}  // namespace

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
