// The places of extremes: the first of the largest (or smallest) elements; NaN counts for nothing.
#include <Eigen/Core>
#include <algorithm>
#include <limits>

#include "ops/array/array.kernels.h"
#include "ops/reduce/lanes.kernels.h"

namespace tracefn {
namespace {

template <bool largest, typename V>
[[gnu::always_inline]] inline auto beats(V a, V b) {
  return largest ? a > b : a < b;
}

// Where the search starts: infinities beyond it and NaN beat nothing, and the place is 0 if there is nothing else, as
// in TensorFlow.
template <bool largest, typename In, typename T>
constexpr T worst() {
  using Limits = std::numeric_limits<In>;
  return static_cast<T>(largest ? Limits::lowest() : Limits::max());
}

// The best of n elements.
template <bool largest, typename T, typename In>
[[gnu::noinline]] T best_of(const In* x, std::int64_t n) {
  constexpr std::int64_t lanes = Lanes<T>::kCount;
  T best = worst<largest, In, T>();
  std::int64_t i = 0;
  if (n >= 2 * lanes) {
    auto a = load<T>(x), b = a;
    for_registers([&](auto r) { a.r[r] = b.r[r] = best - typename Lanes<T>::Register{}; });
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
      const auto u = load<T>(x + i), v = load<T>(x + i + lanes);
      for_registers([&](auto r) {
        a.r[r] = beats<largest>(u.r[r], a.r[r]) ? u.r[r] : a.r[r];
        b.r[r] = beats<largest>(v.r[r], b.r[r]) ? v.r[r] : b.r[r];
      });
    }
    T numbers[2 * lanes];
    store<T>(a, numbers);
    store<T>(b, numbers + lanes);
    for (T v : numbers) best = beats<largest>(v, best) ? v : best;
  }
  for (; i < n; ++i) {
    const T v = static_cast<T>(x[i]);
    best = beats<largest>(v, best) ? v : best;
  }
  return best;
}

// The first of n elements that equals `value`; n if none does. Blocks without one are passed over by vectors.
template <typename T, typename In>
std::int64_t first_equal(const In* x, std::int64_t n, T value) {
  constexpr std::int64_t lanes = Lanes<T>::kCount;
  using Flags = decltype(typename Lanes<T>::Register{} == typename Lanes<T>::Register{});
  std::int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const auto u = load<T>(x + i), v = load<T>(x + i + lanes);
    Flags found{};
    for_registers([&](auto r) { found |= (u.r[r] == value) | (v.r[r] == value); });
    std::uint64_t words[sizeof(Flags) / 8], any = 0;
    std::memcpy(words, &found, sizeof(found));
    for (const std::uint64_t w : words) any |= w;
    if (any) break;
  }
  for (; i < n; ++i)
    if (static_cast<T>(x[i]) == value) return i;
  return n;
}

// The best block is found first, then the element in it.
template <bool largest, typename In, typename T>
std::int64_t row(const void* elements, std::int64_t n) {
  constexpr std::int64_t kBlock = 4096;
  auto* x = static_cast<const In*>(elements);
  T best = worst<largest, In, T>();
  std::int64_t from = -1;
  for (std::int64_t i = 0; i < n; i += kBlock) {
    const T v = best_of<largest, T>(x + i, std::min(kBlock, n - i));
    if (beats<largest>(v, best)) best = v, from = i;
  }
  return from < 0 ? 0 : from + first_equal(x + from, n - from, best);
}

// Rows into the best of each column and its row.
template <bool largest, int kRows, typename In, typename T, typename I>
[[gnu::always_inline]] inline void add_rows(const In* x, std::int64_t stride, std::int64_t k, I at, T* best, I* place) {
  std::int64_t j = 0;
  if constexpr (sizeof(T) == sizeof(I)) {
    constexpr std::int64_t lanes = Lanes<T>::kCount;
    using Numbers = typename Lanes<I>::Register;
    for (; j + lanes <= k; j += lanes) {
      auto b = load<T>(best + j);
      auto p = load<I>(place + j);
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        const auto v = load<T>(x + r * stride + j);
        for_registers([&](auto q) {
          const auto taken = (Numbers)beats<largest>(v.r[q], b.r[q]);
          b.r[q] = taken ? v.r[q] : b.r[q];
          p.r[q] = taken ? (at + r) - Numbers{} : p.r[q];
        });
      }
      store<T>(b, best + j);
      store<I>(p, place + j);
    }
  }
  for (; j < k; ++j)
    for (int r = 0; r < kRows; ++r) {
      const T v = static_cast<T>(x[r * stride + j]);
      const bool taken = beats<largest>(v, best[j]);
      best[j] = taken ? v : best[j];
      place[j] = taken ? static_cast<I>(at + r) : place[j];
    }
}

template <bool largest, typename In, typename T>
void columns(const void* elements, std::int64_t n, std::int64_t stride, std::int64_t k, std::int64_t* places) {
  constexpr std::int64_t kPanel = 512;
  using I = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  // Rows are counted from the start of a block, so that their numbers fit.
  constexpr std::int64_t kBlock = std::int64_t{1} << 30;
  for (std::int64_t first = 0; first < k; first += kPanel) {
    auto* x = static_cast<const In*>(elements) + first;
    const std::int64_t width = std::min(kPanel, k - first);
    T best[kPanel];
    I place[kPanel];
    std::fill_n(best, width, worst<largest, In, T>());
    std::fill_n(places + first, width, 0);
    for (std::int64_t block = 0; block < n; block += kBlock) {
      std::fill_n(place, width, I(-1));
      const std::int64_t rows = std::min(kBlock, n - block);
      const In* from = x + block * stride;
      std::int64_t i = 0;
      for (; i + 4 <= rows; i += 4)
        add_rows<largest, 4>(from + i * stride, stride, width, static_cast<I>(i), best, place);
      for (; i < rows; ++i) add_rows<largest, 1>(from + i * stride, stride, width, static_cast<I>(i), best, place);
      for (std::int64_t j = 0; j < width; ++j)
        if (place[j] >= 0) places[first + j] = block + place[j];
    }
  }
}

template <typename In, typename T = In>
void fill(ArgKernel (&kernels)[2][kDTypeSlots], DType dtype) {
  kernels[0][slot(dtype)] = {row<false, In, T>, columns<false, In, T>};
  kernels[1][slot(dtype)] = {row<true, In, T>, columns<true, In, T>};
}

}  // namespace

void fill_arg(ArrayKernels& kernels) {
  auto& k = kernels.arg;
  fill<float>(k, DType::kFloat);
  fill<double>(k, DType::kDouble);
  fill<Eigen::half, float>(k, DType::kHalf);
  fill<Eigen::bfloat16, float>(k, DType::kBFloat16);
  fill<std::int8_t>(k, DType::kInt8);
  fill<std::int16_t>(k, DType::kInt16);
  fill<std::int32_t>(k, DType::kInt32);
  fill<std::int64_t>(k, DType::kInt64);
  fill<std::uint8_t>(k, DType::kUInt8);
  fill<std::uint16_t>(k, DType::kUInt16);
  fill<std::uint32_t>(k, DType::kUInt32);
  fill<std::uint64_t>(k, DType::kUInt64);
  fill<std::uint8_t>(k, DType::kBool);
}

}  // namespace tracefn
