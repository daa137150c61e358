// Matrix products of real numbers (half and bfloat16 are multiplied as floats): C (+)= A B, in blocks that fit the
// caches, shared among threads, with packed or generated operands and a function that finishes C while it is in the
// cache. The inner loops are in gemm.kernels.h.
//
// The result does not depend on the number of threads, on the caches, or on whether an operand is a matrix or comes
// from a packer (gemm.kernels.h says how elements are summed). A row or column alone is summed in another order, and so
// are rows by rows, below.
#pragma once

#include "ops/kernel.h"
#include "ops/linalg/gemm/gemm.kernels.h"

namespace tracefn {

// Generates an operand that is not a matrix in memory: the patches of a convolution, say. The product calls it for
// panels, into memory that the product owns. Any thread that works on the product may call, several at once. `context`
// outlives the product.
struct GemmPacker {
  const void* context = nullptr;
  // Writes rows [row, row + rows) of A (or columns of B) for steps [step, step + depth) as panels, in the format and
  // type of GemmPack. `row` is a multiple of the panels' width. Each part is asked for once or more. Must neither throw
  // nor poll: other threads may be waiting for the panels.
  void (*pack)(const void* context, std::int64_t row, std::int64_t rows, std::int64_t step, std::int64_t depth,
               void* panels) noexcept = nullptr;
};

// Rows of A that lie in memory in runs of adjacent elements, each run anywhere: the taps of a convolution. They are
// read in place. Any thread may call. `context` outlives the product.
struct GemmRuns {
  const void* context = nullptr;
  std::int64_t length = 0;  // of a run, in elements; the depth is a multiple of it
  // to[t * stride + i] = where run t of row `row` + i starts, for i < rows and all runs.
  void (*find)(const void* context, std::int64_t row, std::int64_t rows, const void** to,
               std::int64_t stride) noexcept = nullptr;
};

// Rows of A that are adjacent in groups, the channels of a convolution's tap, and whose steps lie in pieces, the lines
// of images. They are read in place; steps in no piece are zero. Any thread may call. `context` outlives the product.
struct GemmPieces {
  const void* context = nullptr;
  std::int64_t length = 0;  // of a group, in rows; m is a multiple of it
  std::int64_t stride = 0;  // from step to step within a piece, in elements
  // Writes the pieces of steps [step, step + depth) of a group's first row, in order, and returns their number: at most
  // `depth`.
  std::int64_t (*find)(const void* context, std::int64_t group, std::int64_t step, std::int64_t depth,
                       GemmPiece* to) noexcept = nullptr;
};

// Finishes elements of C (adds a bias, applies a function) right after they were summed. Called once for each block,
// by the thread that computed it, several at once for different blocks; may throw.
struct GemmFinish {
  const void* context = nullptr;
  // `c` points at C[row, column].
  void (*finish)(const void* context, std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns,
                 void* c, std::int64_t ldc) = nullptr;
};

// A: rows are its rows and steps its columns. B: rows are its columns and steps its rows. So B given as a row-major
// k x n matrix has row = 1, step = n.
struct GemmOperand {
  GemmMatrix matrix{};  // of elements of the product's dtype; not used if one of the others is given
  GemmPacker packer{};
  GemmRuns runs{};  // this one and the next: of A, float or double
  GemmPieces pieces{};

  bool is_matrix() const { return !packer.pack && !runs.find && !pieces.find; }
};

struct Gemm {
  // Of the operands' elements: float, double, half or bfloat16. C has floats for the last two.
  DType dtype = DType::kFloat;
  std::int64_t m = 0, n = 0, k = 0;  // k > 0
  GemmOperand a, b;
  void* c = nullptr;  // row-major
  std::int64_t ldc = 0;
  bool add = false;  // to what C holds
  GemmFinish finish{};
};

// Whether rows are multiplied with rows: both operands are adjacent along the depth, and one has few rows.
bool is_rows_by_rows(const GemmMatrix& a, const GemmMatrix& b, std::int64_t m, std::int64_t n, std::int64_t k);

// An estimate of the time on one thread, in nanoseconds.
double gemm_cost(const Gemm& g);

// Computes it on the threads of `shards`; on this one alone if that is null or the product is short. Polls.
void gemm(const Gemm& g, ShardRunner* shards);

}  // namespace tracefn
