// Blocks of matrix products.
#include "ops/linalg/gemm/gemm.kernels.h"

#include <Eigen/Core>

#include "ops/linalg/gemm/dot_products.kernels.h"
#include "ops/linalg/gemm/packing.kernels.h"
#include "ops/linalg/gemm/vector_products.kernels.h"

namespace tracefn {
namespace {

// Tiles of about equally many rows: calls f(row, rows).
template <typename F>
void in_tiles(std::int64_t rows, const F& f) {
  const std::int64_t tiles = (rows + kTileRows - 1) / kTileRows, least = rows / tiles, longer = rows % tiles;
  for (std::int64_t t = 0, row = 0; t < tiles; ++t) {
    const std::int64_t height = least + (t < longer ? 1 : 0);
    f(row, height);
    row += height;
  }
}

// The panel of A stays in the L1 cache while those of B pass by.
template <typename T, Rows kRows>
void multiply_panels(const GemmBlock& o) {
  constexpr std::int64_t kColumns = kTileColumns<T>;
  constexpr bool kTable = kRows == Rows::kRuns || kRows == Rows::kPieces;
  const std::int64_t rest = o.columns % kColumns;
  auto multiply = [&](std::int64_t i, std::int64_t height) {
    Tile<T> tile{kTable ? nullptr : static_cast<const T*>(o.a) + i / kTileRows * o.a_panel,
                 kRows == Rows::kAdjacent ? o.a_step : o.a_row,
                 static_cast<const T*>(o.b),
                 o.b_step,
                 o.depth,
                 static_cast<T*>(o.c) + i * o.ldc,
                 o.ldc,
                 kVectorLanes<T>,
                 o.add,
                 o.a_runs,
                 o.a_pieces};
    if (kRows == Rows::kRuns) tile.runs.starts += i;
    if (kRows == Rows::kPieces) tile.pieces.first += i;
    if (o.columns >= kColumns) {
      const auto whole = tile_function<T, kRows, false>(height, kColumns);
      for (std::int64_t j = 0; j + kColumns <= o.columns; j += kColumns) {
        whole(tile);
        tile.b += o.b_panel;
        tile.c += kColumns;
      }
    }
    if (!rest) return;
    tile.last = last_lanes<T>(rest);
    tile_function<T, kRows, false>(height, rest)(tile);
  };
  if constexpr (kTable) {
    in_tiles(o.rows, multiply);
  } else {
    for (std::int64_t i = 0; i < o.rows; i += kTileRows) multiply(i, std::min<std::int64_t>(kTileRows, o.rows - i));
  }
}

template <typename T>
void multiply_block(const GemmBlock& o) {
  if (o.a_runs.starts) return multiply_panels<T, Rows::kRuns>(o);
  if (o.a_pieces.pieces) return multiply_panels<T, Rows::kPieces>(o);
  o.a_row == 1 ? multiply_panels<T, Rows::kAdjacent>(o) : multiply_panels<T, Rows::kApart>(o);
}

// `tile` is at row 0 of A and of C.
template <typename T, Rows kRows, bool kMasked>
void multiply_panel(Tile<T> tile, std::int64_t rows, std::int64_t columns) {
  tile.last = last_lanes<T>(columns);
  const T* a = tile.a;
  T* c = tile.c;
  in_tiles(rows, [&](std::int64_t row, std::int64_t height) {
    tile.a = a + row * (kRows == Rows::kAdjacent ? 1 : tile.a_stride);
    tile.c = c + row * tile.ldc;
    tile_function<T, kRows, kMasked>(height, columns)(tile);
  });
}

// All columns, from B in place. `tile` is at column 0.
template <typename T, Rows kRows>
void multiply_strip(Tile<T> tile, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kColumns = kTileColumns<T>;
  for (; columns > 0; columns -= kColumns, tile.b += kColumns, tile.c += kColumns) {
    const std::int64_t count = std::min(kColumns, columns);
    if (count % kVectorLanes<T> == 0) {
      multiply_panel<T, kRows, false>(tile, rows, count);
    } else {
      multiply_panel<T, kRows, true>(tile, rows, count);
    }
  }
}

// All columns, from copies of B's panels.
template <typename T, Rows kRows>
void multiply_copied(Tile<T> tile, const GemmMatrix& b, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kColumns = kTileColumns<T>;
  alignas(64) T panel[gemm_depth(sizeof(T)) * kColumns];
  tile.b = panel;
  tile.b_step = kColumns;
  for (std::int64_t j = 0; j < columns; j += kColumns, tile.c += kColumns) {
    const std::int64_t count = std::min(kColumns, columns - j);
    pack<T, T, kColumns>({static_cast<const T*>(b.data) + j * b.row, b.row, b.step}, count, tile.depth, panel);
    multiply_panel<T, kRows, false>(tile, rows, count);
  }
}

// A is read in place, and B if its columns are adjacent.
template <typename T, Rows kRows>
void multiply_direct(const GemmDirect& o) {
  constexpr std::int64_t kDepth = gemm_depth(sizeof(T));
  for (std::int64_t p = 0; p < o.depth; p += kDepth) {
    auto* b = static_cast<const T*>(o.b.data) + p * o.b.step;
    const Tile<T> tile{static_cast<const T*>(o.a.data) + p * o.a.step,
                       kRows == Rows::kAdjacent ? o.a.step : o.a.row,
                       b,
                       o.b.step,
                       std::min(kDepth, o.depth - p),
                       static_cast<T*>(o.c),
                       o.ldc,
                       kVectorLanes<T>,
                       o.add || p > 0,
                       {},
                       {}};
    if (o.b.row != 1) {
      multiply_copied<T, kRows>(tile, {b, o.b.row, o.b.step}, o.rows, o.columns);
    } else {
      multiply_strip<T, kRows>(tile, o.rows, o.columns);
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
  k.lanes = kVectorLanes<T>;
  k.pack_a = pack<T, From, kTileRows>;
  k.pack_b = pack<T, From, kTileColumns<T>>;
  k.block = multiply_block<T>;
  if constexpr (std::is_same_v<T, From>) {
    k.direct = multiply_in_place<T>;
    k.rows_by_rows = multiply_rows<T>;
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
