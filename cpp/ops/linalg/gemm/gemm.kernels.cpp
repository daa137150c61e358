// Blocks of matrix products.
#include "ops/linalg/gemm/gemm.kernels.h"

#include <Eigen/Core>

#include "ops/linalg/gemm/packing.kernels.h"
#include "ops/linalg/gemm/vector_products.kernels.h"

namespace tracefn {
namespace {

// The panel of A stays in the L1 cache while those of B pass by.
template <typename T, Rows kRows>
void multiply_panels(const GemmBlock& o) {
  constexpr std::int64_t kColumns = kTileColumns<T>;
  const std::int64_t rest = o.columns % kColumns;
  for (std::int64_t i = 0; i < o.rows; i += kTileRows) {
    const std::int64_t height = std::min<std::int64_t>(kTileRows, o.rows - i);
    auto* b = static_cast<const T*>(o.b);
    Tile<T> tile{static_cast<const T*>(o.a) + i / kTileRows * o.a_panel,
                 kRows == Rows::kAdjacent ? o.a_step : o.a_row,
                 b,
                 kColumns,
                 o.depth,
                 static_cast<T*>(o.c) + i * o.ldc,
                 o.ldc,
                 kVectorLanes<T>,
                 o.add};
    if (o.columns >= kColumns) {
      const auto whole = tile_function<T, kRows, false>(height, kColumns);
      for (std::int64_t j = 0; j + kColumns <= o.columns; j += kColumns) {
        whole(tile);
        tile.b += kColumns * o.depth;
        tile.c += kColumns;
      }
    }
    if (!rest) continue;
    tile.last = last_lanes<T>(rest);
    tile_function<T, kRows, false>(height, rest)(tile);
  }
}

template <typename T>
void multiply_block(const GemmBlock& o) {
  o.a_row == 1 ? multiply_panels<T, Rows::kAdjacent>(o) : multiply_panels<T, Rows::kApart>(o);
}

// Tiles of about equally many rows.
template <typename T, Rows kRows, bool kMasked>
void multiply_panel(Tile<T> tile, std::int64_t rows, std::int64_t columns) {
  tile.last = last_lanes<T>(columns);
  const std::int64_t tiles = (rows + kTileRows - 1) / kTileRows;
  const T* a = tile.a;
  T* c = tile.c;
  for (std::int64_t t = 0; t < tiles; ++t) {
    const std::int64_t from = rows * t / tiles, to = rows * (t + 1) / tiles;
    tile.a = a + from * (kRows == Rows::kAdjacent ? 1 : tile.a_stride);
    tile.c = c + from * tile.ldc;
    tile_function<T, kRows, kMasked>(to - from, columns)(tile);
  }
}

// A is read in place, and B if its columns are adjacent; else panel by panel from a copy.
template <typename T, Rows kRows>
void multiply_direct(const GemmDirect& o) {
  constexpr std::int64_t kColumns = kTileColumns<T>, kDepth = gemm_depth(sizeof(T));
  const bool in_place = o.b.row == 1;
  alignas(64) T panel[kDepth * kColumns];
  for (std::int64_t p = 0; p < o.depth; p += kDepth) {
    const std::int64_t depth = std::min(kDepth, o.depth - p);
    auto* a = static_cast<const T*>(o.a.data) + p * o.a.step;
    for (std::int64_t j = 0; j < o.columns; j += kColumns) {
      const std::int64_t columns = std::min(kColumns, o.columns - j);
      auto* b = static_cast<const T*>(o.b.data) + p * o.b.step + j * o.b.row;
      T* c = static_cast<T*>(o.c) + j;
      const std::int64_t stride = kRows == Rows::kAdjacent ? o.a.step : o.a.row;
      if (in_place) {
        const Tile<T> tile{a, stride, b, o.b.step, depth, c, o.ldc, 0, o.add || p > 0};
        if (columns % kVectorLanes<T> == 0) {
          multiply_panel<T, kRows, false>(tile, o.rows, columns);
        } else {
          multiply_panel<T, kRows, true>(tile, o.rows, columns);
        }
      } else {
        pack<T, T, kTileColumns<T>>({b, o.b.row, o.b.step}, columns, depth, panel);
        multiply_panel<T, kRows, false>({a, stride, panel, kColumns, depth, c, o.ldc, 0, o.add || p > 0}, o.rows,
                                        columns);
      }
    }
  }
}

template <typename T>
void multiply_in_place(const GemmDirect& o) {
  o.a.row == 1 ? multiply_direct<T, Rows::kAdjacent>(o) : multiply_direct<T, Rows::kApart>(o);
}

template <typename T, typename From>
GemmKernel kernel() {
  GemmKernel k{};
  k.tile_rows = kTileRows;
  k.tile_columns = kTileColumns<T>;
  k.pack_a = pack<T, From, kTileRows>;
  k.pack_b = pack<T, From, kTileColumns<T>>;
  k.block = multiply_block<T>;
  if constexpr (std::is_same_v<T, From>) {
    k.direct = multiply_in_place<T>;
    k.rows_by_vector = rows_by_vector<T>;
    k.vector_by_rows = vector_by_rows<T>;
  }
  return k;
}

}  // namespace

void fill_gemm(GemmKernels& kernels) {
  kernels.of[slot(DType::kFloat)] = kernel<float, float>();
  kernels.of[slot(DType::kDouble)] = kernel<double, double>();
  kernels.of[slot(DType::kHalf)] = kernel<float, Eigen::half>();
  kernels.of[slot(DType::kBFloat16)] = kernel<float, Eigen::bfloat16>();
}

}  // namespace tracefn
