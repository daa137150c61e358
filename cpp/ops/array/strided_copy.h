// Copies between row-major memory and strided views of it: implements slices, reversals, repetitions and paddings.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "ops/kernel.h"
#include "tensor/tensor.h"

namespace tracefn {

// Copies of kBytes to twice as many bytes, as two pieces that may overlap.
template <std::size_t kBytes>
void copy_rows_in_two(const char* from, std::int64_t from_row, char* to, std::int64_t to_row, std::int64_t rows,
                      std::size_t bytes) {
  const std::size_t second = bytes - kBytes;
  for (std::int64_t i = 0; i < rows; ++i, from += from_row, to += to_row) {
    std::memcpy(to, from, kBytes);
    std::memcpy(to + second, from + second, kBytes);
  }
}

// Copies `rows` rows of `width` elements, whose starts are from_row and to_row elements apart. Short rows are copied
// without a call for each.
template <typename T>
void copy_rows(const T* from, std::int64_t from_row, T* to, std::int64_t to_row, std::int64_t rows,
               std::int64_t width) {
  auto all = [&](auto n) {
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < n; ++j) to[i * to_row + j] = from[i * from_row + j];
  };
  constexpr std::size_t kUnit = 16;
  switch (width) {
    case 1:
      return all(std::integral_constant<std::int64_t, 1>());
    case 2:
      return all(std::integral_constant<std::int64_t, 2>());
    case 3:
      return all(std::integral_constant<std::int64_t, 3>());
    case 4:
      return all(std::integral_constant<std::int64_t, 4>());
    default:
      if constexpr (std::is_trivially_copyable_v<T>) {
        const std::size_t bytes = static_cast<std::size_t>(width) * sizeof(T);
        auto in_two = [&]<std::size_t kBytes>(std::integral_constant<std::size_t, kBytes>) {
          constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
          copy_rows_in_two<kBytes>(reinterpret_cast<const char*>(from), from_row * kSize, reinterpret_cast<char*>(to),
                                   to_row * kSize, rows, bytes);
        };
        if (bytes < kUnit) return all(width);
        if (bytes <= 2 * kUnit) return in_two(std::integral_constant<std::size_t, kUnit>());
        if (bytes <= 4 * kUnit) return in_two(std::integral_constant<std::size_t, 2 * kUnit>());
        if (bytes <= 8 * kUnit) return in_two(std::integral_constant<std::size_t, 4 * kUnit>());
      }
      for (std::int64_t i = 0; i < rows; ++i) std::copy_n(from + i * from_row, width, to + i * to_row);
  }
}

// A block of a tensor: element (i0, i1, ...) lies at offset + i0 * strides[0] + i1 * strides[1] + ..., in elements.
struct View {
  std::int64_t offset = 0;
  Dims strides;

  // All of a row-major tensor.
  static View whole(const Shape& shape);
};

// to[i] = from[i] for every index i of a block of the given sizes. Strides may be negative, and 0 in `from`.
void copy_strided(const KernelContext& c, DType dtype, const Dims& sizes, const void* from, const View& from_view,
                  void* to, const View& to_view);

// Rows [begin, end) of x: shared if they are a good part of x's memory, else copied, so that a small piece does not
// keep a large buffer alive.
Tensor leading_rows(const Tensor& x, std::int64_t begin, std::int64_t end);

}  // namespace tracefn
