// Searches of several values at once: their halvings need no branches and wait for memory at the same time.
#include "ops/array/search.kernels.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "ops/each_number.kernels.h"
#include "ops/typed.h"
#include "ops/vectors.kernels.h"

namespace tracefn {
namespace {

template <bool upper, typename T>
bool comes_before(const T& element, const T& value) {
  return upper ? !(compute_value(value) < compute_value(element)) : compute_value(element) < compute_value(value);
}

#if defined(__AVX2__)

template <typename T>
inline constexpr bool kHasLanes = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                                  std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>;
// An index for each lane, of the elements' size.
template <typename T>
using Index = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

template <typename T>
[[gnu::always_inline]] inline Vector<T> elements_at(const T* row, Vector<Index<T>> index) {
#if defined(__AVX512F__)
  const auto lanes = reinterpret_cast<__m512i>(index);
  if constexpr (sizeof(T) == 4) return reinterpret_cast<Vector<T>>(_mm512_i32gather_epi32(lanes, row, 4));
  if constexpr (sizeof(T) == 8) return reinterpret_cast<Vector<T>>(_mm512_i64gather_epi64(lanes, row, 8));
#else
  const auto lanes = reinterpret_cast<__m256i>(index);
  if constexpr (sizeof(T) == 4)
    return reinterpret_cast<Vector<T>>(_mm256_i32gather_epi32(reinterpret_cast<const int*>(row), lanes, 4));
  if constexpr (sizeof(T) == 8)
    return reinterpret_cast<Vector<T>>(_mm256_i64gather_epi64(reinterpret_cast<const long long*>(row), lanes, 8));
#endif
}

// Of so many vectors of values.
template <bool upper, typename T, int kVectors>
void find_in_lanes(const T* row, std::int64_t n, const T* values, std::int64_t* places) {
  using I = Index<T>;
  Vector<T> x[kVectors];
  Vector<I> at[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    x[v] = load(values + v * kVectorLanes<T>);
    at[v] = Vector<I>{};
  }
  const auto step = [&](const T* from, I by) __attribute__((always_inline)) {
    for (int v = 0; v < kVectors; ++v) {
      const Vector<T> element = elements_at(from, at[v]);
      const Vector<I> before = reinterpret_cast<Vector<I>>(upper ? ~(x[v] < element) : element < x[v]);
      at[v] += before & by;
    }
  };
  std::int64_t left = n;
  for (; left > 1; left -= left / 2) step(row + left / 2 - 1, static_cast<I>(left / 2));
  if (left == 1) step(row, 1);
  for (int v = 0; v < kVectors; ++v)
    for (int lane = 0; lane < kVectorLanes<T>; ++lane) places[v * kVectorLanes<T> + lane] = at[v][lane];
}

#else

template <typename T>
inline constexpr bool kHasLanes = false;

#endif

template <bool upper, typename T>
void find_one_by_one(const T* row, std::int64_t n, const T* values, std::int64_t count, std::int64_t* places) {
  std::fill_n(places, count, 0);
  std::int64_t left = n;
  for (; left > 1; left -= left / 2) {
    const T* const middle = row + left / 2 - 1;
    // By a mask: compilers make a branch of a choice.
    for (std::int64_t i = 0; i < count; ++i)
      places[i] += -static_cast<std::int64_t>(comes_before<upper>(middle[places[i]], values[i])) & left / 2;
  }
  if (left == 1)
    for (std::int64_t i = 0; i < count; ++i) places[i] += comes_before<upper>(row[places[i]], values[i]);
}

template <bool upper, typename T>
void find_places(const void* sorted, std::int64_t n, const void* searched, std::int64_t count, std::int64_t* places) {
  const auto* row = static_cast<const T*>(sorted);
  const auto* values = static_cast<const T*>(searched);
  if constexpr (kHasLanes<T>) {
    constexpr int kVectors = 2;
    constexpr std::int64_t kMany = kVectors * kVectorLanes<T>;
    if (n <= std::numeric_limits<std::int32_t>::max()) {
      for (; count >= kMany; count -= kMany, values += kMany, places += kMany)
        find_in_lanes<upper, T, kVectors>(row, n, values, places);
      if (count > kVectorLanes<T> / 2) {
        T padded[kMany] = {};
        std::int64_t found[kMany];
        std::copy_n(values, count, padded);
        find_in_lanes<upper, T, kVectors>(row, n, padded, found);
        std::copy_n(found, count, places);
        return;
      }
    }
  }
  find_one_by_one<upper>(row, n, values, count, places);
}

}  // namespace

void fill_search(SearchKernels& kernels) {
  for_each_number([&]<typename T>(DType dtype, std::type_identity<T>) {
    kernels.lower[slot(dtype)] = find_places<false, T>;
    kernels.upper[slot(dtype)] = find_places<true, T>;
  });
}

}  // namespace tracefn
