// Vectors of 16 bytes, and the transposes of squares of them.
#pragma once

#include <cstdint>

#include "ops/linalg/gemm/register_tile.kernels.h"

namespace tracefn {
namespace {

template <typename T>
using Short = typename VectorOf<T, 16>::type;
template <typename T>
using UnalignedShort = typename VectorOf<T, 16>::unaligned;
template <typename T>
inline constexpr int kShortLanes = 16 / static_cast<int>(sizeof(T));

// Elements of a, then of b, by their places.
template <typename Index, int... places, typename V>
[[gnu::always_inline]] inline V shuffled(V a, V b) {
#if __has_builtin(__builtin_shufflevector)
  return __builtin_shufflevector(a, b, places...);
#else
  return __builtin_shuffle(a, b, Index{places...});
#endif
}
[[gnu::always_inline]] inline void transpose(Short<float> (&x)[4]) {
  using I = Short<std::int32_t>;
  const auto a = shuffled<I, 0, 4, 1, 5>(x[0], x[1]), b = shuffled<I, 0, 4, 1, 5>(x[2], x[3]);
  const auto c = shuffled<I, 2, 6, 3, 7>(x[0], x[1]), d = shuffled<I, 2, 6, 3, 7>(x[2], x[3]);
  x[0] = shuffled<I, 0, 1, 4, 5>(a, b);
  x[1] = shuffled<I, 2, 3, 6, 7>(a, b);
  x[2] = shuffled<I, 0, 1, 4, 5>(c, d);
  x[3] = shuffled<I, 2, 3, 6, 7>(c, d);
}
[[gnu::always_inline]] inline void transpose(Short<double> (&x)[2]) {
  using I = Short<std::int64_t>;
  const auto a = shuffled<I, 0, 2>(x[0], x[1]);
  x[1] = shuffled<I, 1, 3>(x[0], x[1]);
  x[0] = a;
}

}  // namespace
}  // namespace tracefn
