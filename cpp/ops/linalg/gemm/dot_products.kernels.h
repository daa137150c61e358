// Products of rows with rows: both operands are adjacent along the depth, and one of them has a few rows or is a
// vector. The matrix is read once and in place, as fast as it comes from memory.
#pragma once

#include "ops/linalg/gemm/gemm.kernels.h"
#include "ops/linalg/gemm/short_vectors.kernels.h"

namespace tracefn {
namespace {

// The lower or upper half of a vector.
template <typename T, int kBytes, std::size_t kFrom, typename V, std::size_t... kPlace>
[[gnu::always_inline]] inline typename VectorOf<T, kBytes>::type half_of(V x, std::index_sequence<kPlace...>) {
#if __has_builtin(__builtin_shufflevector)
  return __builtin_shufflevector(x, x, static_cast<int>(kFrom + kPlace)...);
#else
  return {x[kFrom + kPlace]...};
#endif
}

// Halves are added until 16 bytes are left.
template <typename T, int kBytes = kVectorBytes>
[[gnu::always_inline]] inline Short<T> folded(typename VectorOf<T, kBytes>::type x) {
  if constexpr (kBytes == 16) {
    return x;
  } else {
    constexpr int kHalf = kBytes / 2;
    constexpr std::size_t kCount = kHalf / sizeof(T);
    constexpr auto kPlaces = std::make_index_sequence<kCount>();
    return folded<T, kHalf>(half_of<T, kHalf, 0>(x, kPlaces) + half_of<T, kHalf, kCount>(x, kPlaces));
  }
}

// The sums of the lanes of each of kShortLanes vectors: as for one, whose halves are added down to one lane.
template <typename T>
[[gnu::always_inline]] inline Short<T> sums_of_lanes(const Vector<T>* x) {
  constexpr int kLanes = kShortLanes<T>;
  Short<T> square[kLanes];
#pragma GCC unroll 4
  for (int i = 0; i < kLanes; ++i) square[i] = folded<T>(x[i]);
  transpose(square);
#pragma GCC unroll 4
  for (int count = kLanes / 2; count > 0; count /= 2)
#pragma GCC unroll 2
    for (int i = 0; i < count; ++i) square[i] += square[i + count];
  return square[0];
}

// The sum of row i of a times row j of b for kRows rows of a and kColumns rows of b, at c[i * c_row + j * c_column].
template <typename T>
struct DotTile {
  const T* a;
  std::int64_t a_row;
  const T* b;
  std::int64_t b_row;
  T* c;
  std::int64_t c_row, c_column;
  std::int64_t depth;
  bool add;
};

template <typename T, int kRows, int kColumns>
void dot_tile(const DotTile<T>& t) {
  constexpr int kLanes = kVectorLanes<T>, kGroup = kShortLanes<T>;
  constexpr int kSums = (kRows * kColumns + kGroup - 1) / kGroup * kGroup;
  Vector<T> sums[kSums];
#pragma GCC unroll 32
  for (int i = 0; i < kSums; ++i) sums[i] = Vector<T>{};
  auto step = [&](auto&& load_lanes, std::int64_t p) __attribute__((always_inline)) {
    Vector<T> x[kColumns];
#pragma GCC unroll 8
    for (int j = 0; j < kColumns; ++j) x[j] = load_lanes(t.b + j * t.b_row + p);
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const Vector<T> y = load_lanes(t.a + i * t.a_row + p);
#pragma GCC unroll 8
      for (int j = 0; j < kColumns; ++j) sums[i * kColumns + j] = multiply_add(y, x[j], sums[i * kColumns + j]);
    }
  };
  std::int64_t p = 0;
  for (; p + kLanes <= t.depth; p += kLanes)
    step(
        [](const T* from) __attribute__((always_inline)) { return load(from); }, p);
  if (const int rest = static_cast<int>(t.depth - p))
    step(
        [rest](const T* from) __attribute__((always_inline)) { return load_first(from, rest); }, p);
  auto write = [&]<std::size_t kIndex>() __attribute__((always_inline)) {
    constexpr int kFrom = static_cast<int>(kIndex) * kGroup;
    const Short<T> sum = sums_of_lanes<T>(sums + kFrom);
#pragma GCC unroll 4
    for (int i = 0; i < kGroup; ++i) {
      if (kFrom + i >= kRows * kColumns) break;
      T& to = t.c[(kFrom + i) / kColumns * t.c_row + (kFrom + i) % kColumns * t.c_column];
      to = t.add ? to + sum[i] : sum[i];
    }
  };
  [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) __attribute__((always_inline)) {
    (write.template operator()<kIndex>(), ...);
  }
  (std::make_index_sequence<static_cast<std::size_t>(kSums / kGroup)>());
}

// The sums of a tile and one step of its operands fill the registers. With a vector, more rows are in flight.
inline constexpr int kDotRows = kRegisters >= 32 ? 4 : 3, kDotColumns = kRegisters >= 32 ? 6 : 4, kRowsByVector = 8;

template <typename T>
using DotFunction = void (*)(const DotTile<T>&);

template <typename T, int kMostRows, std::size_t... kIndex>
constexpr auto dot_functions(std::index_sequence<kIndex...>) {
  struct Table {
    DotFunction<T> of[sizeof...(kIndex)];
  };
  return Table{{dot_tile<T, static_cast<int>(kIndex) % kMostRows + 1, static_cast<int>(kIndex) / kMostRows + 1>...}};
}

// All rows of A, kMostRows at a time, by some rows of B.
template <typename T, int kMostRows, int kMostColumns>
void dot_rows(DotTile<T> tile, std::int64_t rows, std::int64_t columns) {
  static constexpr auto kTable =
      dot_functions<T, kMostRows>(std::make_index_sequence<static_cast<std::size_t>(kMostRows * kMostColumns)>());
  for (std::int64_t i = 0; i < rows; i += kMostRows) {
    const std::int64_t height = std::min<std::int64_t>(kMostRows, rows - i);
    DotTile<T> part = tile;
    for (std::int64_t j = 0; j < columns; j += kMostColumns) {
      kTable.of[(std::min<std::int64_t>(kMostColumns, columns - j) - 1) * kMostRows + height - 1](part);
      part.b += kMostColumns * tile.b_row;
      part.c += kMostColumns * tile.c_column;
    }
    tile.a += kMostRows * tile.a_row;
    tile.c += kMostRows * tile.c_row;
  }
}

// In blocks of steps whose sums are added: rounding errors would grow with the depth, and the rows of a tile stay in
// the L1 cache.
template <typename T>
void multiply_rows(const GemmRows& o) {
  constexpr std::int64_t kDepth = 128 * kVectorLanes<T>;
  for (std::int64_t p = 0; p < o.depth; p += kDepth) {
    const DotTile<T> tile{static_cast<const T*>(o.a) + p,
                          o.a_row,
                          static_cast<const T*>(o.b) + p,
                          o.b_row,
                          static_cast<T*>(o.c),
                          o.c_row,
                          o.c_column,
                          std::min(kDepth, o.depth - p),
                          o.add || p > 0};
    if (o.columns == 1) {
      dot_rows<T, kRowsByVector, 1>(tile, o.rows, 1);
    } else {
      dot_rows<T, kDotRows, kDotColumns>(tile, o.rows, o.columns);
    }
  }
}

}  // namespace
}  // namespace tracefn
