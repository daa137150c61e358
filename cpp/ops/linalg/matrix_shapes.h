// What ops on batches of matrices share: shapes, checks with TensorFlow's words, and the split over threads.
#pragma once

#include <string_view>

#include "ops/elementwise/block.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/kernel_table.h"
#include "tensor/shape.h"

namespace tracefn {

inline Shape batch_of(const Shape& s) { return Shape(Dims(s.dims().begin(), s.dims().end() - 2)); }
inline std::int64_t rows_of(const Shape& s) { return s[s.rank() - 2]; }
inline std::int64_t columns_of(const Shape& s) { return s[s.rank() - 1]; }
Shape vectors(Shape batch, std::int64_t size);
Shape matrices(Shape batch, std::int64_t rows, std::int64_t columns);
// The smaller dimension as far as it is known.
std::int64_t smaller_dim(std::int64_t a, std::int64_t b);

// Input i as square matrices of known rank; nothing if its rank is unknown. Error(kInvalidArgument) if it is none.
struct SquareShape {
  Shape batch;
  std::int64_t n;
};
std::optional<SquareShape> square_shape(InferContext& c, std::size_t i);
// Output 0 has the shape of input 0, square matrices.
void infer_square(InferContext& c);

// "Input tensor 0 must have rank >= 2, got 1"
void require_matrix(const KernelContext& c, std::size_t i);
// Inputs [0, count) have the batch of input 0.
void require_equal_batches(const KernelContext& c, std::size_t count);
// Input 0 is matrices; square ones.
inline void check_matrices(const KernelContext& c) { require_matrix(c, 0); }
void check_square(const KernelContext& c);

inline const LinalgKernels& kernels_for(const Tensor& x) { return kernel_table().array.linalg[slot(x.dtype())]; }
// Whether the matrix allowed it. Rethrows what stopped the kernel.
bool is_done(KernelEnd end);

// Runs f(index of the matrix) for each of a batch, of `work` multiply-adds each.
template <typename F>
void for_each_matrix(KernelContext& c, std::int64_t count, double work, F&& f) {
  c.parallel_for(count, 0.5 * work, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) f(i);
  });
}
inline double cubed(std::int64_t n) { return static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n); }

// Matrix i of a batch of matrices or vectors of `size` elements each.
inline const void* matrix_at(const Tensor& t, std::int64_t i, std::int64_t size) {
  return static_cast<const char*>(t.raw()) + i * size * static_cast<std::int64_t>(size_of(t.dtype()));
}
inline void* matrix_at(Tensor& t, std::int64_t i, std::int64_t size) {
  return static_cast<char*>(t.mutable_raw()) + i * size * static_cast<std::int64_t>(size_of(t.dtype()));
}

// Every matrix of x becomes the identity.
void fill_identities(Tensor& x);

}  // namespace tracefn
