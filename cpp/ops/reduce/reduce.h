// Reduces a tensor by one of the kernels, for the reduction ops and for kernels that need a sum.
#pragma once

#include <optional>

#include "ops/kernel.h"
#include "ops/kernel_table.h"

namespace tracefn {

// Longer rows are reduced in parts, possibly by several threads.
inline constexpr std::int64_t kLongestWholeRow = 16384;

// For each axis whether it is reduced.
using AxisMask = SmallVector<bool, 8>;

// Writes x reduced to `out`, which is x without these axes, or with size 1 in them. Precondition: `axes` has one
// element for each axis of x, and the function takes x's dtype.
void reduce_into(const KernelContext& c, ReduceFunction function, const Tensor& x, const AxisMask& axes, Tensor& out);

// Writes x, n rows of `inner` contiguous elements of `size` bytes each, reduced to one row `y`.
void reduce_leading(const KernelContext& c, const ReduceKernel& kernel, const char* x, std::int64_t size,
                    std::int64_t n, std::int64_t inner, char* y);

// ShardRunner::parallel_for.
using ParallelFor = FunctionRef<void(std::int64_t n, double cost, ShardRunner::Shard shard)>;

// A tensor as [outer, n, inner], n being reduced.
struct ReducedSizes {
  std::int64_t outer = 1, n = 1, inner = 1;
};
// Nothing if it would have to be transposed for that, or has no elements. Precondition: the shape is known.
std::optional<ReducedSizes> reduced_sizes(const Shape& shape, const AxisMask& axes);
// Writes contiguous elements of `size` bytes at x, reduced, to y, whose elements have `y_bytes` bytes.
void reduce_contiguous(ParallelFor parallel_for, const ReduceKernel& kernel, const char* x, std::int64_t size,
                       const ReducedSizes& sizes, char* y, std::int64_t y_bytes);

// Reduces contiguous elements [begin, begin + rows * n) row by row into accumulators. Called from several threads.
using RowAccumulator = FunctionRef<void(std::int64_t begin, std::int64_t rows, std::int64_t n, char* accumulators)>;

// Reduces `outer` rows of n elements each, from any source, into y. Pieces depend only on the sizes. `cost` is in
// nanoseconds per element.
void reduce_rows(ParallelFor parallel_for, const ReduceKernel& kernel, RowAccumulator accumulate, std::int64_t outer,
                 std::int64_t n, double cost, char* y, std::int64_t y_bytes);

}  // namespace tracefn
