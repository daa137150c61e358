// The tile of a product whose sums stay in registers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "ops/linalg/gemm/gemm.kernels.h"
#include "ops/linalg/gemm/steps_of_sum.h"
#include "ops/vectors.kernels.h"

namespace tracefn {
namespace {

// The largest tile: its sums, one step of B and an element of A fill the registers.
inline constexpr int kTileVectors = kRegisters >= 32 ? 3 : 2;
inline constexpr int kTileRows = kRegisters >= 32 ? 8 : 6;
// A wide tile does with fewer rows: a tile of one vector would be slow. With 16 registers there is none.
inline constexpr int kWideVectors = 4, kWideRows = 6;
inline constexpr bool kHasWideTiles = kRegisters >= 32;
template <typename T>
inline constexpr int kTileColumns = kTileVectors* kVectorLanes<T>;

// How a tile reads A.
enum class Rows {
  kAdjacent,  // [i, p] is at a[p * stride + i]: a packed panel, or a transposed matrix
  kApart,     // [i, p] is at a[i * stride + p]
  kRuns,      // row i is in runs (gemm.kernels.h)
  kPieces,    // rows are adjacent; steps are in pieces
};

// The vectors of the next tile where `left` are left.
inline std::int64_t tile_vectors(std::int64_t left) {
  const bool wide = kHasWideTiles && (left == kWideVectors || left == 2 * kWideVectors);
  return wide ? kWideVectors : std::min<std::int64_t>(left, kTileVectors);
}
inline std::int64_t most_rows(std::int64_t vectors) { return vectors > kTileVectors ? kWideRows : kTileRows; }

// Pointers and strides of one tile. `last` is the number of columns in its last vector, `third` and `fourth` say where
// a wide tile's vectors of B are. Whole tiles fetch the next columns of B into the L2 cache: `fetch_step` bytes from
// `fetch` on in each step.
template <typename T>
struct Tile {
  const T* a;
  std::int64_t a_stride;
  const T* b;
  std::int64_t b_step;
  std::int64_t depth;
  T* c;
  std::int64_t ldc;
  int last;
  bool add;
  std::int64_t third = 2 * kVectorLanes<T>, fourth = 3 * kVectorLanes<T>;
  const char* fetch = nullptr;
  std::int64_t fetch_step = 0;
  GemmRunTable runs{};
  GemmPieceTable pieces{};
};

// With kMasked no element of B beyond the last column is read.
template <typename T, int kHeight, int kVectors, Rows kRows, bool kMasked>
void multiply_tile(const Tile<T>& t) {
  constexpr int kLanes = kVectorLanes<T>;
  Vector<T> sums[kHeight][kVectors];
#pragma GCC unroll 16
  for (int r = 0; r < kHeight; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[r][v] = Vector<T>{};
  constexpr bool kFetches = kVectors >= kTileVectors && !kMasked;
  const T* b = t.b;
  const std::int64_t b_step = t.b_step;
  const std::int64_t offsets[] = {0, kLanes, kVectors > kTileVectors ? t.third : 2 * kLanes, t.fourth};
  const int last = t.last;
  const char* fetch = t.fetch;
  const std::int64_t fetch_step = t.fetch_step;
  // The lines of C arrive during the steps.
#pragma GCC unroll 16
  for (int r = 0; r < kHeight; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) __builtin_prefetch(t.c + r * t.ldc + v * kLanes, 1);
  // x(r): the element of row r.
  auto add_step = [&](auto&& x) __attribute__((always_inline)) {
    Vector<T> y[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v)
      y[v] = kMasked && v == kVectors - 1 ? load_first(b + offsets[v], last) : load(b + offsets[v]);
#pragma GCC unroll 16
    for (int r = 0; r < kHeight; ++r) {
      const Vector<T> z = repeated(x(r));
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[r][v] = multiply_add(z, y[v], sums[r][v]);
    }
    b += b_step;
    if constexpr (kFetches) {
      __builtin_prefetch(fetch, 0, 2);
      fetch += fetch_step;
    }
  };
  // The steps before `end`, from where the last ones ended.
  std::int64_t step = 0;
  const void* const* starts = t.runs.starts;
  std::int64_t in_run = t.runs.first, in_piece = 0;
  const GemmPiece* piece = t.pieces.pieces;
  const T* a = t.a;
  auto steps_before = [&](std::int64_t end) __attribute__((always_inline)) {
    if constexpr (kRows == Rows::kRuns) {
      while (step < end) {
        const std::int64_t count = std::min(end - step, t.runs.length - in_run);
        const T* rows[kHeight];
#pragma GCC unroll 16
        for (int r = 0; r < kHeight; ++r) rows[r] = static_cast<const T*>(starts[r]) + in_run;
#pragma GCC unroll 2
        for (std::int64_t p = 0; p < count; ++p)
          add_step([&](int r) __attribute__((always_inline)) { return rows[r][p]; });
        step += count;
        in_run += count;
        if (in_run == t.runs.length) {
          in_run = 0;
          starts += t.runs.stride;
        }
      }
    } else if constexpr (kRows == Rows::kPieces) {
      const std::int64_t stride = t.pieces.stride;
      for (const GemmPiece* const last_piece = t.pieces.pieces + t.pieces.count; piece < last_piece;
           ++piece, in_piece = 0) {
        const std::int64_t from = piece->step + in_piece;
        if (from >= end) break;
        const std::int64_t count = std::min(piece->count - in_piece, end - from);
        const T* x = static_cast<const T*>(piece->start) + t.pieces.first + in_piece * stride;
        b = t.b + from * b_step;
        for (std::int64_t p = 0; p < count; ++p, x += stride)
          add_step([&](int r) __attribute__((always_inline)) { return x[r]; });
        in_piece += count;
        if (in_piece < piece->count) break;
      }
    } else {
      const std::int64_t stride = t.a_stride;
      for (; step < end; ++step) {
        add_step([&](int r) __attribute__((always_inline)) { return kRows == Rows::kAdjacent ? a[r] : a[r * stride]; });
        a += kRows == Rows::kAdjacent ? stride : 1;
      }
    }
  };
  Vector<T> totals[kHeight][kVectors];
  auto each_sum = [&](auto&& f) __attribute__((always_inline)) {
#pragma GCC unroll 16
    for (int r = 0; r < kHeight; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) f(sums[r][v], totals[r][v]);
  };
  for (std::int64_t end = std::min(kStepsOfSum, t.depth);; end = std::min(end + kStepsOfSum, t.depth)) {
    steps_before(end);
    if (end == t.depth) break;
    if (end == kStepsOfSum) {
      each_sum([](Vector<T> & sum, Vector<T> & total) __attribute__((always_inline)) { total = sum; });
    } else {
      each_sum([](Vector<T> & sum, Vector<T> & total) __attribute__((always_inline)) { total += sum; });
    }
    each_sum([](Vector<T> & sum, Vector<T>&) __attribute__((always_inline)) { sum = Vector<T>{}; });
  }
  if (t.depth > kStepsOfSum)
    each_sum([](Vector<T> & sum, Vector<T> & total) __attribute__((always_inline)) { sum += total; });
  auto each = [&](auto&& write) __attribute__((always_inline)) {
#pragma GCC unroll 16
    for (int r = 0; r < kHeight; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) write(t.c + r * t.ldc + v * kLanes, sums[r][v], v);
  };
  if (last < kLanes) {
    each([&](T * to, Vector<T> sum, int v) __attribute__((always_inline)) {
      const int count = v == kVectors - 1 ? last : kLanes;
      store_first(to, t.add ? load_first(to, count) + sum : sum, count);
    });
  } else if (t.add) {
    each([](T * to, Vector<T> sum, int) __attribute__((always_inline)) { store(to, load(to) + sum); });
  } else {
    each([](T * to, Vector<T> sum, int) __attribute__((always_inline)) { store(to, sum); });
  }
}

template <typename T>
using TileFunction = void (*)(const Tile<T>&);

// Tiles of kVectors vectors and more, of each one row to kHeight rows.
template <typename T, Rows kRows, bool kMasked, int kHeight, int kVectors, std::size_t... kIndex>
constexpr auto tile_functions(std::index_sequence<kIndex...>) {
  struct Table {
    TileFunction<T> of[sizeof...(kIndex)];
  };
  return Table{{multiply_tile<T, static_cast<int>(kIndex) % kHeight + 1, static_cast<int>(kIndex) / kHeight + kVectors,
                              kRows, kMasked>...}};
}

// The function for a tile of `rows` rows and `columns` columns.
template <typename T, Rows kRows, bool kMasked>
TileFunction<T> tile_function(std::int64_t rows, std::int64_t columns) {
  static constexpr auto kTable =
      tile_functions<T, kRows, kMasked, kTileRows, 1>(std::make_index_sequence<kTileVectors * kTileRows>());
  const std::int64_t vectors = (columns + kVectorLanes<T> - 1) / kVectorLanes<T>;
  if constexpr (kHasWideTiles) {
    static constexpr auto kWide =
        tile_functions<T, kRows, kMasked, kWideRows, kWideVectors>(std::make_index_sequence<kWideRows>());
    if (vectors > kTileVectors) return kWide.of[rows - 1];
  }
  return kTable.of[(vectors - 1) * kTileRows + rows - 1];
}

// The columns in the last vector of a tile.
template <typename T>
int last_lanes(std::int64_t columns) {
  return static_cast<int>((columns - 1) % kVectorLanes<T>) + 1;
}

}  // namespace
}  // namespace tracefn
