// The array part of the kernel table: reductions, places of extremes, scans, products of integers and complex numbers,
// linear algebra.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "ops/elementwise/block.h"
#include "ops/reduce/reduce_function.h"

namespace tracefn {

// One reduction for one dtype. Partial results are accumulators, which may be wider than the elements (float for half).
// Sums are pairwise over blocks of fixed size, so the result depends only on the sizes.
struct ReduceKernel {
  int accumulator_bytes;
  // acc[i] = reduction of the n contiguous elements of row i
  void (*rows)(const void* x, std::int64_t rows, std::int64_t n, void* acc);
  // acc[j] = reduction over n rows, `stride` elements apart, of k contiguous columns
  void (*columns)(const void* x, std::int64_t n, std::int64_t stride, std::int64_t k, void* acc);
  // acc[j] = the parts accs[j], accs[k + j], ... combined
  void (*merge)(const void* accs, std::int64_t parts, std::int64_t stride, std::int64_t k, void* acc);
  // y[j] = the result for an accumulator over `count` elements
  void (*finish)(const void* acc, std::int64_t k, std::int64_t count, void* y);
};

// Binary functions whose results are summed without storing them.
enum PairFunction : int { kPairProduct, kPairSquaredDifference, kPairFunctions };

// acc[i] = the sum over the n elements of row i, with the same bits as ReduceKernel's sum of those numbers. Bit 0 of
// `scalars` says that a is one element repeated, bit 1 that b is.
using PairSum = void (*)(const void* a, const void* b, std::int64_t rows, std::int64_t n, int scalars, void* acc);

// Row-major C = op(A) op(B), where op(A) is m x k and op(B) is k x n; lda, ldb and ldc are the row strides. Bit 0 of
// `transpose` says that A is stored k x m, bit 1 that B is stored n x k. False if it was stopped.
using MatMulKernel = bool (*)(const void* a, const void* b, void* c, std::int64_t m, std::int64_t k, std::int64_t n,
                              std::int64_t lda, std::int64_t ldb, std::int64_t ldc, int transpose, StopCheck stop);

// How a kernel ended: kRefused if the matrix does not allow it (singular, or not positive definite). The result is
// valid when it is done.
enum class KernelEnd : int { kDone, kRefused, kStopped };

// Decompositions of one row-major n x n matrix.
struct LinalgKernels {
  // X (n x k) with A X = B, or A^H X = B.
  KernelEnd (*solve)(const void* a, const void* b, void* x, std::int64_t n, std::int64_t k, bool adjoint,
                     StopCheck stop);
  // The same for a triangular A, of which the other triangle is not read.
  KernelEnd (*triangular_solve)(const void* a, const void* b, void* x, std::int64_t n, std::int64_t k, bool lower,
                                bool adjoint, StopCheck stop);
  // Lower triangular L with L L^H = A, of which the lower triangle is read.
  KernelEnd (*cholesky)(const void* a, void* l, std::int64_t n, StopCheck stop);
  KernelEnd (*determinant)(const void* a, void* det, std::int64_t n, StopCheck stop);
  // L below the diagonal of one matrix and U above, for P A = L U; row i of P A is row places[i] of A.
  KernelEnd (*lu)(const void* a, void* factors, std::int32_t* places, std::int64_t n, StopCheck stop);
  // The determinant as its sign and the logarithm of its size, both of the matrix's type.
  KernelEnd (*log_determinant)(const void* a, void* sign, void* log_abs, std::int64_t n, StopCheck stop);
  // The gradient of A, made Hermitian, where dL is that of its Cholesky factor L. The upper triangles are not read.
  KernelEnd (*cholesky_gradient)(const void* l, const void* dl, void* da, std::int64_t n, StopCheck stop);
};

// The first of the largest (or smallest) elements; NaN only if there is nothing else.
struct ArgKernel {
  // Its place among n > 0 contiguous elements.
  std::int64_t (*row)(const void* x, std::int64_t n);
  // places[j] = its row in column j, of k contiguous columns with n > 0 rows `stride` elements apart.
  void (*columns)(const void* x, std::int64_t n, std::int64_t stride, std::int64_t k, std::int64_t* places);
};

enum ScanFunction : int { kScanSum, kScanProduct, kScanLogSumExp, kScanFunctions };

// Cumulative results of elements `step` apart (negative: from the last one on). `state` is what was summed up
// before, in numbers of state_bytes, and is updated. `exclusive`: each result leaves its own element out.
struct ScanKernel {
  int state_bytes;
  void (*line)(const void* x, void* y, std::int64_t n, std::int64_t step, bool exclusive, void* state);
  // The same for k lines side by side.
  void (*columns)(const void* x, void* y, std::int64_t n, std::int64_t step, std::int64_t k, bool exclusive,
                  void* state);
};

// Sorts keys in lanes: row i has keys [8 i, 8 i + 8), one of each lane, and there is a multiple of 16 rows. Wide keys
// have their low halves in a second array of the same form.
inline constexpr std::int64_t kSortLanes = 8, kSortRows = 16;
struct SortKernels {
  // Sorts each lane.
  void (*lanes)(std::int64_t* keys, std::int64_t rows);
  void (*wide_lanes)(std::int64_t* keys, std::int64_t* low, std::int64_t rows);
  // Sorts all, the first lane before the second and so on; the number of rows is a power of two. Null if the
  // instruction set has no vectors of 8 keys.
  void (*wide_line)(std::int64_t* keys, std::int64_t* low, std::int64_t rows);
  // The start of the first block of kSortBlock elements (the last one may be shorter) in which one has descending_bits
  // (ops/array/sort_bits.h) below `key`; n if none has.
  std::int64_t (*first_block)(const void* x, std::int64_t n, std::uint64_t key);
  // The first k elements, in descending order, of each of `rows` contiguous rows of n; at most sort_rows_at_once()
  // rows. `keys` is room for n keys of all lanes, kSortKeyBytes each, n rounded up to a multiple of kSortRows.
  void (*values)(const void* x, void* out, std::int64_t rows, std::int64_t n, std::int64_t k, void* keys);
  // Numbers as keys (ValueKey) whose order is the descending one, and back. to_keys() is true if keys lack something of
  // a number: restore() brings it back.
  bool (*to_keys)(const void* x, std::int64_t n, void* keys);
  void (*from_keys)(const void* keys, std::int64_t n, void* out);
  // Gives what from_keys() made of the first k keys of a row of n the signs of zeros and the bits of NaN of the row, in
  // its order.
  void (*restore)(const void* row, std::int64_t n, void* out, std::int64_t k);
};
// What numbers are sorted by where their places are not wanted: float and double are their own keys.
template <typename T>
using ValueKey =
    std::conditional_t<std::is_floating_point_v<T>, T, std::conditional_t<sizeof(T) <= 4, std::int32_t, std::int64_t>>;
template <typename Key>
inline constexpr DType kKeyDType = std::is_same_v<Key, float>    ? DType::kFloat
                                   : std::is_same_v<Key, double> ? DType::kDouble
                                   : sizeof(Key) == 4            ? DType::kInt32
                                                                 : DType::kInt64;
// Sorts keys of one row in place; no key is NaN.
struct LineSortKernel {
  void (*sort)(void* keys, std::int64_t n);
  // One step of that: keys [0, first) are less than those of [second, n), and the keys in between are in their places.
  // n is at least 16.
  std::pair<std::int64_t, std::int64_t> (*split)(void* keys, std::int64_t n);
};
inline constexpr std::int64_t kSortBlock = 64, kSortKeyBytes = 64;
// The rows that are sorted together without places, of elements of so many bytes.
constexpr std::int64_t sort_rows_at_once(std::size_t element_bytes) { return element_bytes <= 4 ? 16 : 8; }

struct ArrayKernels {
  ReduceKernel reduce[kReduceFunctions][kDTypeSlots];
  PairSum pair_sum[kPairFunctions][kDTypeSlots];  // float and double
  ArgKernel arg[2][kDTypeSlots];                  // 1: the largest; real numbers and booleans
  ScanKernel scan[kScanFunctions][kDTypeSlots];   // numbers; logarithms: floating point only
  SortKernels sort[kDTypeSlots];                  // real numbers
  LineSortKernel sort_line[kDTypeSlots];          // int32, int64, float, double
  // Complex numbers and integers; those of one size share a kernel. Real numbers: ops/linalg/gemm/gemm.kernels.h.
  MatMulKernel matmul[kDTypeSlots];
  // float, double, complex64, complex128.
  LinalgKernels linalg[kDTypeSlots];
  // To and from float, for half and bfloat16.
  void (*widen[kDTypeSlots])(const void* x, float* y, std::int64_t n);
  void (*narrow[kDTypeSlots])(const float* x, void* y, std::int64_t n);
};

void fill_array(ArrayKernels& kernels);
// Its parts, one per file.
void fill_reduce(ArrayKernels& kernels);
void fill_arg(ArrayKernels& kernels);
void fill_scan(ArrayKernels& kernels);
void fill_sort(ArrayKernels& kernels);
void fill_matmul(ArrayKernels& kernels);
void fill_linalg(ArrayKernels& kernels);

}  // namespace tracefn
