// Kernels of Cast, for every pair of different plain dtypes.
//
// A floating-point number that does not fit its target gives what x86's conversion instructions give, as in
// TensorFlow's CPU kernels, on every machine: the lowest int32 (int64 for 64-bit targets), truncated to the target's
// width.
#include <limits>

#include "ops/elementwise/loops.kernels.h"

namespace tracefn {
namespace {

// The value truncated toward zero, or the lowest I if it does not fit (NaN included).
template <typename I, typename F>
I truncate(F x) {
  constexpr F kLimit = static_cast<F>(std::uint64_t{1} << (sizeof(I) * 8 - 1));
  bool fits = x >= -kLimit && x < kLimit;
  I value = static_cast<I>(fits ? x : F(0));
  return fits ? value : std::numeric_limits<I>::min();
}

template <typename To>
struct CastTo {
  template <typename From>
  static To of(From x) {
    if constexpr (is_complex_type<From>) {
      if constexpr (is_complex_type<To>) {
        return To(static_cast<typename To::value_type>(x.real()), static_cast<typename To::value_type>(x.imag()));
      } else {
        return CastTo::of(x.real());
      }
    } else if constexpr (is_complex_type<To>) {
      return To(static_cast<typename To::value_type>(x), 0);
    } else if constexpr (std::is_same_v<To, bool>) {
      return x != From(0);
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
      if constexpr (std::is_same_v<To, std::uint64_t>) {
        constexpr From kHalfRange = static_cast<From>(std::uint64_t{1} << 63);
        if (x >= kHalfRange && x < 2 * kHalfRange) return static_cast<To>(x);
        return static_cast<To>(truncate<std::int64_t>(x));
      } else if constexpr (std::is_same_v<To, std::int64_t> || std::is_same_v<To, std::uint32_t>) {
        return static_cast<To>(truncate<std::int64_t>(x));
      } else {
        return static_cast<To>(truncate<std::int32_t>(x));
      }
    } else {
      return static_cast<To>(x);
    }
  }
};

// Half and bfloat16 go through float in chunks.
template <typename From, typename To>
int cast_loop(const void* x, void* y, std::int64_t n) {
  if constexpr (is_small_float<From>) {
    float wide[kHalfChunk];
    for (std::int64_t i = 0; i < n; i += kHalfChunk) {
      std::int64_t m = std::min(kHalfChunk, n - i);
      widen(static_cast<const From*>(x) + i, wide, m);
      if constexpr (is_small_float<To>) {
        narrow(wide, static_cast<To*>(y) + i, m);
      } else if constexpr (std::is_same_v<To, float>) {
        std::memcpy(static_cast<To*>(y) + i, wide, static_cast<std::size_t>(m) * sizeof(float));
      } else {
        unary_loop<CastTo<To>, float, To>(wide, static_cast<To*>(y) + i, m);
      }
    }
  } else if constexpr (is_small_float<To>) {
    float wide[kHalfChunk];
    for (std::int64_t i = 0; i < n; i += kHalfChunk) {
      std::int64_t m = std::min(kHalfChunk, n - i);
      unary_loop<CastTo<float>, From, float>(static_cast<const From*>(x) + i, wide, m);
      narrow(wide, static_cast<To*>(y) + i, m);
    }
  } else {
    return unary_loop<CastTo<To>, From, To>(x, y, n);
  }
  return kBlockOk;
}

constexpr DTypes kAll = functions::kReals | functions::kComplexes | functions::kIntegers | functions::kBoolean;

}  // namespace

void fill_cast(ElementwiseKernels& kernels) {
  for_each_dtype<kAll>([&]<DType from>() {
    for_each_dtype<kAll>([&]<DType to>() {
      if constexpr (from != to)
        kernels.cast[slot(from)][slot(to)] = cast_loop<typename ElementOf<from>::type, typename ElementOf<to>::type>;
    });
  });
}

}  // namespace tracefn
