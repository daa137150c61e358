// Blocks of matrix products.
#include "ops/linalg/gemm/gemm.kernels.h"

#include <Eigen/Core>

#include "ops/linalg/gemm/dot_products.kernels.h"
#include "ops/linalg/gemm/packing.kernels.h"
#include "ops/linalg/gemm/vector_products.kernels.h"

namespace tracefn {
namespace {

// Tiles of at most `most` rows, about equally many: calls f(row, rows).
template <typename F>
void in_tiles(std::int64_t rows, std::int64_t most, const F& f) {
  const std::int64_t tiles = (rows + most - 1) / most, least = rows / tiles, longer = rows % tiles;
  for (std::int64_t t = 0, row = 0; t < tiles; ++t) {
    const std::int64_t height = least + (t < longer ? 1 : 0);
    f(row, height);
    row += height;
  }
}

// Tiles side by side of a block's columns: each has `vectors` vectors, the first starts at vector `first`.
struct Tiles {
  std::int64_t first, count, vectors;
};

template <typename T, Rows kRows>
class PanelProduct {
 public:
  explicit PanelProduct(const GemmBlock& block) : o_(block) {}

  void run() const {
    constexpr int kLanes = kVectorLanes<T>;
    const std::int64_t all = (o_.columns + kLanes - 1) / kLanes;
    if (is_packed()) {
      multiply({0, all / kTileVectors, kTileVectors});
      if (all % kTileVectors) multiply({all / kTileVectors * kTileVectors, 1, all % kTileVectors});
      return;
    }
    for (Tiles tiles{0, 0, 0}; tiles.first < all; tiles.first += tiles.count * tiles.vectors) {
      tiles.vectors = tile_vectors(all - tiles.first);
      tiles.count = 1;
      while (tile_vectors(all - tiles.first - tiles.count * tiles.vectors) == tiles.vectors) ++tiles.count;
      multiply(tiles);
    }
  }

 private:
  static constexpr bool kTable = kRows == Rows::kRuns || kRows == Rows::kPieces;

  // Whether A's tiles are apart, so that others cannot be taken.
  bool is_packed() const { return !kTable && o_.a_panel != kTileRows * o_.a_row; }

  static std::int64_t rounded_up_to_tile(std::int64_t vectors) {
    return (vectors + kTileVectors - 1) / kTileVectors * kTileVectors;
  }

  // Where vector `number` of B's columns starts.
  const T* b(std::int64_t number) const {
    return static_cast<const T*>(o_.b) + number / kTileVectors * o_.b_panel + number % kTileVectors * kVectorLanes<T>;
  }

  void multiply(const Tiles& tiles) const {
    if (!tiles.count) return;
    const std::int64_t most = most_rows(tiles.vectors);
    auto each_tile = [&](const auto& f) {
      if (!is_packed()) return in_tiles(o_.rows, most, f);
      for (std::int64_t i = 0; i < o_.rows; i += most) f(i, std::min(most, o_.rows - i));
    };
    Tile<T> tile{.a = nullptr,
                 .a_stride = kRows == Rows::kAdjacent ? o_.a_step : o_.a_row,
                 .b = nullptr,
                 .b_step = o_.b_step,
                 .depth = o_.depth,
                 .c = nullptr,
                 .ldc = o_.ldc,
                 .last = 0,
                 .add = o_.add,
                 .runs = o_.a_runs,
                 .pieces = o_.a_pieces};
    auto multiply_rows = [&](std::int64_t row, std::int64_t rows, std::int64_t t) {
      place_rows(tile, row);
      tile.c = static_cast<T*>(o_.c) + row * o_.ldc + (tiles.first + t * tiles.vectors) * kVectorLanes<T>;
      tile_function<T, kRows, false>(rows, tiles.vectors * kVectorLanes<T>)(tile);
    };
    if (!o_.b_passes_by) {
      // The rows of A stay in the L1 cache while columns of B pass by.
      return each_tile([&](std::int64_t row, std::int64_t rows) {
        for (std::int64_t t = 0; t < tiles.count; ++t) {
          place_columns(tile, tiles, t);
          multiply_rows(row, rows, t);
        }
      });
    }
    // Columns that come from afar arrive while those before them are multiplied with all rows.
    const std::int64_t bytes = kTileColumns<T> * static_cast<std::int64_t>(sizeof(T));
    tile.fetch_step = (bytes * most + o_.rows - 1) / o_.rows;
    for (std::int64_t t = 0; t < tiles.count; ++t) {
      place_columns(tile, tiles, t);
      const std::int64_t end = tiles.first + (t + 1) * tiles.vectors;
      tile.fetch = reinterpret_cast<const char*>(b(rounded_up_to_tile(end)));
      each_tile([&](std::int64_t row, std::int64_t rows) {
        multiply_rows(row, rows, t);
        tile.fetch += tile.fetch_step * o_.depth;
      });
    }
  }

  void place_rows(Tile<T>& tile, std::int64_t row) const {
    if constexpr (kRows == Rows::kRuns) {
      tile.runs.starts = o_.a_runs.starts + row;
    } else if constexpr (kRows == Rows::kPieces) {
      tile.pieces.first = o_.a_pieces.first + row;
    } else {
      tile.a = static_cast<const T*>(o_.a) + (is_packed() ? row / kTileRows * o_.a_panel : row * o_.a_row);
    }
  }

  void place_columns(Tile<T>& tile, const Tiles& tiles, std::int64_t t) const {
    constexpr int kLanes = kVectorLanes<T>;
    const std::int64_t at = tiles.first + t * tiles.vectors;
    tile.b = b(at);
    tile.last = last_lanes<T>(std::min(o_.columns - at * kLanes, tiles.vectors * kLanes));
    tile.fetch = reinterpret_cast<const char*>(tile.b);
    if (tiles.vectors == kWideVectors) {
      tile.third = b(at + 2) - tile.b;
      tile.fourth = b(at + 3) - tile.b;
    }
  }

  const GemmBlock& o_;
};

template <typename T, Rows kRows>
void multiply_panels(const GemmBlock& o) {
  PanelProduct<T, kRows>(o).run();
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
  tile.fetch = reinterpret_cast<const char*>(tile.b);
  const T* a = tile.a;
  T* c = tile.c;
  const std::int64_t vectors = (columns + kVectorLanes<T> - 1) / kVectorLanes<T>;
  in_tiles(rows, most_rows(vectors), [&](std::int64_t row, std::int64_t height) {
    tile.a = a + row * (kRows == Rows::kAdjacent ? 1 : tile.a_stride);
    tile.c = c + row * tile.ldc;
    tile_function<T, kRows, kMasked>(height, columns)(tile);
  });
}

// All columns, from B in place. `tile` is at column 0.
template <typename T, Rows kRows>
void multiply_strip(Tile<T> tile, std::int64_t rows, std::int64_t columns) {
  constexpr int kLanes = kVectorLanes<T>;
  while (columns > 0) {
    const std::int64_t count = std::min(tile_vectors((columns + kLanes - 1) / kLanes) * kLanes, columns);
    if (count % kVectorLanes<T> == 0) {
      multiply_panel<T, kRows, false>(tile, rows, count);
    } else {
      multiply_panel<T, kRows, true>(tile, rows, count);
    }
    columns -= count;
    tile.b += count;
    tile.c += count;
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
    const Tile<T> tile{.a = static_cast<const T*>(o.a.data) + p * o.a.step,
                       .a_stride = kRows == Rows::kAdjacent ? o.a.step : o.a.row,
                       .b = b,
                       .b_step = o.b.step,
                       .depth = std::min(kDepth, o.depth - p),
                       .c = static_cast<T*>(o.c),
                       .ldc = o.ldc,
                       .last = kVectorLanes<T>,
                       .add = o.add || p > 0};
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
