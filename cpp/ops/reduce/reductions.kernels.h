// What reductions do with elements: sums, products, extremes, any and all. Included by reduce.kernels.cpp only.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace tracefn {
namespace {

// Products that wrap around: small integers would be promoted to int, whose overflow is undefined.
template <typename V>
V times(V a, V b) {
  if constexpr (std::is_integral_v<V> && sizeof(V) < sizeof(int)) {
    return static_cast<V>(static_cast<unsigned>(a) * static_cast<unsigned>(b));
  } else {
    return a * b;
  }
}

// A reduction over In with accumulators Acc defines how elements are prepared and how accumulators merge. `merge` works
// on numbers and on vectors.
template <typename I, typename A = I>
struct Sum {
  using In = I;
  using Acc = A;
  static constexpr Acc kInitial = Acc(0);
  template <typename V>
  static V prepare(V v) {
    return v;
  }
  template <typename V>
  static V merge(V a, V b) {
    return a + b;
  }
};
template <typename I, typename A = I>
struct SumOfSquares : Sum<I, A> {
  template <typename V>
  static V prepare(V v) {
    return times(v, v);
  }
};
template <typename I, typename A = I>
struct Prod : Sum<I, A> {
  static constexpr A kInitial = A(1);
  template <typename V>
  static V merge(V a, V b) {
    return times(a, b);
  }
};
// Propagates NaN from either side.
template <typename I, typename A = I>
struct Max : Sum<I, A> {
  static constexpr A kInitial =
      std::is_floating_point_v<A> ? -std::numeric_limits<A>::infinity() : std::numeric_limits<A>::lowest();
  template <typename V>
  static V merge(V a, V b) {
    V larger = a > b ? a : b;
    return a == a ? larger : a;
  }
};
template <typename I, typename A = I>
struct Min : Sum<I, A> {
  static constexpr A kInitial =
      std::is_floating_point_v<A> ? std::numeric_limits<A>::infinity() : std::numeric_limits<A>::max();
  template <typename V>
  static V merge(V a, V b) {
    V smaller = a < b ? a : b;
    return a == a ? smaller : a;
  }
};
struct All : Sum<std::uint8_t> {
  static constexpr std::uint8_t kInitial = 1, kFinal = 0;
  template <typename V>
  static V merge(V a, V b) {
    return a & b;
  }
};
struct Any : Sum<std::uint8_t> {
  static constexpr std::uint8_t kFinal = 1;
  template <typename V>
  static V merge(V a, V b) {
    return a | b;
  }
};

// A result that nothing that follows can change.
template <typename Op>
concept Ends = requires {
  Op::kFinal;
};

}  // namespace
}  // namespace tracefn
