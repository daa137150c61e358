// Copies of operands as panels (gemm.kernels.h).
#pragma once

#include "ops/elementwise/half.kernels.h"
#include "ops/linalg/gemm/short_vectors.kernels.h"

namespace tracefn {
namespace {

// Elements of a panel, from floating-point numbers of any width.
template <typename T, typename From>
[[gnu::always_inline]] inline T converted(From x) {
  if constexpr (std::is_same_v<From, T>) {
    return x;
  } else {
    return static_cast<T>(x);
  }
}

// panel[p * width + i] = x[i * row + p] for kLanes rows. Also fetches the rows of the next panel.
template <typename T>
[[gnu::always_inline]] inline void transpose_rows(const T* x, std::int64_t row, std::int64_t depth, T* panel,
                                                  int width) {
  constexpr int kLanes = kShortLanes<T>, kLine = 64 / static_cast<int>(sizeof(T));
  if (depth < kLanes) {
    for (std::int64_t p = 0; p < depth; ++p)
      for (int r = 0; r < kLanes; ++r) panel[p * width + r] = x[r * row + p];
    return;
  }
  for (std::int64_t from = 0; from < depth; from += kLanes) {
    const std::int64_t p = std::min<std::int64_t>(from, depth - kLanes);
    if (p % kLine == 0)
#pragma GCC unroll 4
      for (int r = 0; r < kLanes; ++r) __builtin_prefetch(x + (width + r) * row + p);
    Short<T> square[kLanes];
#pragma GCC unroll 4
    for (int r = 0; r < kLanes; ++r) square[r] = *reinterpret_cast<const UnalignedShort<T>*>(x + r * row + p);
    transpose(square);
#pragma GCC unroll 4
    for (int r = 0; r < kLanes; ++r) *reinterpret_cast<UnalignedShort<T>*>(panel + (p + r) * width) = square[r];
  }
}

// The same for `rows` rows; here and above, some elements are copied twice.
template <typename T>
void transpose_into_panel(const T* x, std::int64_t row, std::int64_t rows, std::int64_t depth, T* panel, int width) {
  constexpr int kLanes = kShortLanes<T>;
  if (rows < kLanes) {
    for (std::int64_t p = 0; p < depth; ++p)
      for (std::int64_t i = 0; i < rows; ++i) panel[p * width + i] = x[i * row + p];
    return;
  }
  for (std::int64_t i = 0; i < rows; i += kLanes) {
    const std::int64_t from = std::min<std::int64_t>(i, rows - kLanes);
    transpose_rows(x + from * row, row, depth, panel + from, width);
  }
}

// Rows whose elements are adjacent along the depth; other types than T are converted some columns at a time.
template <typename T, typename From>
void pack_transposed(const From* x, std::int64_t row, std::int64_t rows, std::int64_t depth, T* panel, int width) {
  if constexpr (std::is_same_v<T, From>) {
    transpose_into_panel(x, row, rows, depth, panel, width);
  } else {
    constexpr std::int64_t kPiece = 64;
    T wide[kPiece * kTileColumns<T>];
    for (std::int64_t p = 0; p < depth; p += kPiece) {
      const std::int64_t count = std::min(kPiece, depth - p);
      for (std::int64_t i = 0; i < rows; ++i) widen(x + i * row + p, wide + i * kPiece, count);
      transpose_into_panel(wide, kPiece, rows, count, panel + p * width, width);
    }
  }
}

// Whole panels of kWidth rows whose elements are adjacent across rows.
template <typename T, typename From, int kWidth>
void pack_adjacent(const From* x, std::int64_t step, std::int64_t panels, std::int64_t depth, T* to) {
  constexpr int kAhead = 8, kLine = 64 / static_cast<int>(sizeof(From));
  for (std::int64_t p = 0; p < depth; ++p)
    for (std::int64_t j = 0; j < panels; ++j) {
      const From* from = x + p * step + j * kWidth;
      T* out = to + (j * depth + p) * kWidth;
      for (int i = 0; i < kWidth; i += kLine) __builtin_prefetch(from + kAhead * step + i);
      if constexpr (std::is_same_v<T, From>) {
        std::memcpy(out, from, kWidth * sizeof(T));
      } else {
        widen(from, out, kWidth);
      }
    }
}

template <typename T, typename From, int kWidth>
void pack(GemmMatrix x, std::int64_t rows, std::int64_t depth, void* panels) {
  auto* from = static_cast<const From*>(x.data);
  auto* to = static_cast<T*>(panels);
  const std::int64_t whole = rows / kWidth, rest = rows % kWidth;
  if (x.row == 1) {
    pack_adjacent<T, From, kWidth>(from, x.step, whole, depth, to);
  } else {
    for (std::int64_t j = 0; j < whole; ++j)
      pack_transposed<T, From>(from + j * kWidth * x.row, x.row, kWidth, depth, to + j * kWidth * depth, kWidth);
  }
  if (!rest) return;
  from += whole * kWidth * x.row;
  to += whole * kWidth * depth;
  for (std::int64_t p = 0; p < depth; ++p) {
    T* step = to + p * kWidth;
    if (x.row == 1) {
#pragma omp simd
      for (std::int64_t i = 0; i < rest; ++i) step[i] = converted<T>(from[p * x.step + i]);
    }
    std::fill(step + rest, step + kWidth, T(0));
  }
  if (x.row != 1) pack_transposed<T, From>(from, x.row, rest, depth, to, kWidth);
}

}  // namespace
}  // namespace tracefn
