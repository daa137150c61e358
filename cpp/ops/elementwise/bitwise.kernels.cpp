// Kernels of bitwise and logical operations.
#include <bit>

#include "ops/elementwise/logical.functions.h"
#include "ops/elementwise/loops.kernels.h"

namespace tracefn {

using namespace functions;

namespace {

struct And {
  template <typename T>
  static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <typename T>
  static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <typename T>
  static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct Invert {
  template <typename T>
  static T of(T x) {
    return static_cast<T>(~x);
  }
};
struct PopulationCount {
  template <typename T>
  static std::uint8_t of(T x) {
    return static_cast<std::uint8_t>(std::popcount(x));
  }
};

// A negative shift counts as zero, one past the width as the width less one, as in TensorFlow.
template <typename T>
T clamped_shift(T by) {
  constexpr T kMost = static_cast<T>(sizeof(T) * 8 - 1);
  return by < T(0) ? T(0) : by > kMost ? kMost : by;
}
struct LeftShift {
  template <typename T>
  static T of(T x, T by) {
    return static_cast<T>(wrapping(x) << clamped_shift(by));
  }
};
struct RightShift {
  template <typename T>
  static T of(T x, T by) {
    return static_cast<T>(x >> clamped_shift(by));
  }
};

template <typename F, typename Row>
void fill_bits(Row& row) {
  fill_loops<F>(row, UnsignedIntegers{});
  share_with_signed(row);
}

}  // namespace

void fill_bitwise(ElementwiseKernels& kernels) {
  BinaryRow* binary = kernels.binary;
  fill_bits<And>(binary[kBitwiseAnd]);
  fill_bits<Or>(binary[kBitwiseOr]);
  fill_bits<Xor>(binary[kBitwiseXor]);
  fill_bits<Invert>(kernels.unary[kInvert]);
  fill_loops<PopulationCount, std::uint8_t>(kernels.unary[kPopulationCount], UnsignedIntegers{});
  share_with_signed(kernels.unary[kPopulationCount]);
  fill_loops<LeftShift>(binary[kLeftShift], SignedIntegers{});
  fill_loops<LeftShift>(binary[kLeftShift], UnsignedIntegers{});
  fill_loops<RightShift>(binary[kRightShift], SignedIntegers{});
  fill_loops<RightShift>(binary[kRightShift], UnsignedIntegers{});
  fill_loops<LogicalAnd>(binary[kLogicalAnd], Types<bool>{});
  fill_loops<LogicalOr>(binary[kLogicalOr], Types<bool>{});
  fill_loops<LogicalNot>(kernels.unary[kLogicalNot], Types<bool>{});
}

}  // namespace tracefn
