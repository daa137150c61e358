// The product part of the kernel table: packing, the register tile, and products with a vector, for float and double;
// half and bfloat16 are packed as floats. The driver (gemm.h) splits a product into these pieces.
//
// Every element of a product, however it is computed, except by products with a vector or of rows with rows: the steps
// are in blocks of gemm_depth(), and those in parts (register_tile.kernels.h). The terms of a part are summed in order,
// each multiplied and added in one rounding where the instruction set can, then the sums of the parts, then those of the
// blocks. So results do not depend on threads.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace tracefn {

// The steps of a block: fixed, since results depend on it. For float, and for wider types by their size.
inline constexpr std::int64_t kGemmDepth = 352;
constexpr std::int64_t gemm_depth(std::int64_t bytes_of_element) { return bytes_of_element > 4 ? 256 : kGemmDepth; }

// A matrix in memory: element [i, p] is at data[i * row + p * step], in elements. One of the strides is 1.
struct GemmMatrix {
  const void* data;
  std::int64_t row, step;
};

// Where rows of A consist of runs of `length` adjacent elements: run t of row i starts at starts[t * stride + i]. The
// first step is element `first` of run 0. No rows: starts is null.
struct GemmRunTable {
  const void* const* starts;
  std::int64_t stride, first, length;
};

// `count` steps of adjacent rows, from step `step` of a block on: row 0 starts at `start`.
struct GemmPiece {
  const void* start;
  std::int64_t step, count;
};
// The pieces of all rows, `stride` elements from step to step; row i of the block is `first` + i of theirs. No rows:
// pieces is null.
struct GemmPieceTable {
  const GemmPiece* pieces;
  std::int64_t count, stride, first;
};

// C (+)= A B for B packed, or in place with whole vectors of adjacent columns, and A packed, in place, in runs, or in
// pieces. Row-major C; strides are in elements.
struct GemmBlock {
  const void* a;
  std::int64_t a_row, a_step;  // 1 and tile_rows if it is packed
  std::int64_t a_panel;        // from one tile's rows to the next one's
  GemmRunTable a_runs;         // instead of the others, as is
  GemmPieceTable a_pieces;
  const void* b;
  std::int64_t b_step;   // tile_columns if it is packed
  std::int64_t b_panel;  // from one tile's columns to the next one's
  bool b_passes_by;      // B does not stay in the L2 cache
  void* c;
  std::int64_t ldc;
  std::int64_t rows, columns, depth;
  bool add;
};

// C (+)= A B for operands that are read in place.
struct GemmDirect {
  GemmMatrix a;
  GemmMatrix b;  // `row` is the stride along columns of B
  void* c;
  std::int64_t ldc;
  std::int64_t rows, columns, depth;
  bool add;
};

// C (+)= A B where the elements of a row of A, and of a column of B, are adjacent: one of them has few rows or is a
// vector. Element [i, j] of C is at c[i * c_row + j * c_column]. The order of summation depends on the depth alone.
struct GemmRows {
  const void* a;  // many rows
  std::int64_t a_row;
  const void* b;  // a few rows: B's columns
  std::int64_t b_row;
  void* c;
  std::int64_t c_row, c_column;
  std::int64_t rows, columns, depth;
  bool add;
};

// Packed operands consist of panels: `width` rows of A, or columns of B, for `depth` steps. Row i of the panel at step
// p is panel[p * width + i]; rows beyond the matrix are zero. Alignment to 64 bytes is faster.
using GemmPack = void (*)(GemmMatrix x, std::int64_t rows, std::int64_t depth, void* panels);

struct GemmKernel {
  std::int64_t tile_rows, tile_columns;  // the widths of the panels of A and of B
  std::int64_t lanes;                    // columns of a vector
  GemmPack pack_a, pack_b;               // from elements of the slot's dtype
  void (*block)(const GemmBlock& block);
  // The rest is null for half and bfloat16.
  void (*direct)(const GemmDirect& product);
  void (*rows_by_rows)(const GemmRows& product);
  // y[j] = the sum over p of x[p] rows[p * stride + j]
  void (*vector_by_rows)(const void* x, const void* rows, std::int64_t stride, void* y, std::int64_t k, std::int64_t n);
};

struct GemmKernels {
  GemmKernel of[kDTypeSlots];  // float, double, half, bfloat16
};

void fill_gemm(GemmKernels& kernels);

}  // namespace tracefn
