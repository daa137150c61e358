// Kernels of sums, differences, products, signs and extremes.
#include "ops/loops.kernels.h"

namespace tracefn {
namespace {

struct Neg {
  template <typename T>
  static T of(T x) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(0u - wrapping(x));
    } else {
      return -x;
    }
  }
};
struct Abs {
  template <typename T>
  static T of(T x) {
    if constexpr (std::is_integral_v<T>) {
      return x < 0 ? Neg::of(x) : x;
    } else {
      return std::abs(x);
    }
  }
};
struct Sign {
  template <typename T>
  static T of(T x) {
    if constexpr (is_complex_type<T>) {
      return x == T(0) ? T(0) : x / std::abs(x);
    } else {
      return x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? T(0) : x;  // NaN stays
    }
  }
};
struct Square {
  template <typename T>
  static T of(T x) {
    return product(x, x);
  }
};
struct Add {
  template <typename T>
  static T of(T a, T b) {
    return sum(a, b);
  }
};
struct Sub {
  template <typename T>
  static T of(T a, T b) {
    return difference(a, b);
  }
};
struct Mul {
  template <typename T>
  static T of(T a, T b) {
    return product(a, b);
  }
};
struct SquaredDifference {
  template <typename T>
  static T of(T a, T b) {
    T d = difference(a, b);
    if constexpr (is_complex_type<T>) {
      return product(d, std::conj(d));
    } else {
      return product(d, d);
    }
  }
};
// NaN wins; of two equal numbers (zeros of either sign) the first.
struct Maximum {
  template <typename T>
  static T of(T a, T b) {
    return a >= b || a != a ? a : b;
  }
};
struct Minimum {
  template <typename T>
  static T of(T a, T b) {
    return a <= b || a != a ? a : b;
  }
};

// Sums and products wrap around, so the signed integers share the kernels of the unsigned.
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
