// The sparse op families, one per source file, and what they share: the parts of a sparse tensor, the checks of them in
// TensorFlow's words, the order of places.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/infer.h"
#include "ops/kernel.h"
#include "tensor/tensor.h"

namespace tracefn {

class Registry;

void register_sparse_to_dense(Registry& r);
void register_sparse_reorder(Registry& r);
void register_sparse_merge(Registry& r);
void register_sparse_dense_add(Registry& r);
void register_sparse_cwise(Registry& r);
void register_sparse_join(Registry& r);
void register_sparse_slice(Registry& r);
void register_sparse_fill_rows(Registry& r);
void register_sparse_reduce(Registry& r);
void register_sparse_reshape(Registry& r);
void register_sparse_softmax(Registry& r);
void register_sparse_matmul(Registry& r);
void register_dense_product(Registry& r);
void register_sparse_counts(Registry& r);
void register_sparse_cross(Registry& r);
void register_sets(Registry& r);
void register_serialized_sparse(Registry& r);
void register_sparse_tensors_map(Registry& r);

// Nanoseconds to look at one number of a place, for the choice of slices.
inline constexpr double kPlaceCost = 2;

// A sparse tensor in three tensors: places (an int64 matrix [n, rank]), values [n] and shape [rank].
struct SparseParts {
  const Tensor &indices, &values, &shape;

  // Three consecutive inputs.
  SparseParts(const KernelContext& c, std::size_t first)
      : indices(c.input(first)), values(c.input(first + 1)), shape(c.input(first + 2)) {}
  SparseParts(const Tensor& i, const Tensor& v, const Tensor& s) : indices(i), values(v), shape(s) {}

  // Precondition for the rest: the parts fit.
  std::int64_t size() const { return indices.dim(0); }
  std::int64_t rank() const { return indices.dim(1); }
  const std::int64_t* place(std::int64_t i) const { return indices.data<std::int64_t>() + i * rank(); }
  std::span<const std::int64_t> sizes() const { return shape.span<std::int64_t>(); }
};

// "2 3" and "[2, 3]".
std::string spaced(std::span<const std::int64_t> numbers);
std::string listed(std::span<const std::int64_t> numbers);
// "[2,3]".
std::string dims_text(std::span<const std::int64_t> sizes);

// Each throws Error(kInvalidArgument) with the words of one of TensorFlow's validations.
// Of the ranks and sizes of the parts: "Sparse indices must be rank 2 but is rank 1".
void require_sparse(const SparseParts& s);
// And of the places: "Sparse index tuple indices[0, :] = [0, 3] is out of bounds".
void require_places_inside(const SparseParts& s);
// Of the parts, with the words of its class SparseTensor: "indices must be a matrix, but got: [2]".
void require_sparse_object(const SparseParts& s);
// Of sizes that must make a shape: "Expected shape dimensions to be non-negative, got -2".
void require_sizes(std::span<const std::int64_t> sizes);
// Of places, which must be inside the shape and ordered without repetition: "indices[1] = [0,1] is out of order".
void require_ordered_places(const Tensor& places, std::span<const std::int64_t> sizes);

// A kernel that checks its inputs itself: its outputs are not allocated by the shape rule.
template <CheckFn check, KernelFn kernel>
void checked(KernelContext& c) {
  check(c);
  kernel(c);
}

// Negative, zero or positive, as the first place is before, at or after the other one in row-major order.
inline int compare_places(const std::int64_t* a, const std::int64_t* b, std::int64_t rank) {
  for (std::int64_t d = 0; d < rank; ++d)
    if (a[d] != b[d]) return a[d] < b[d] ? -1 : 1;
  return 0;
}

bool is_row_major(const Tensor& places);
// The numbers of the places in row-major order; equal ones stay as they are.
std::vector<std::int64_t> row_major_order(const Tensor& places);

// Elements of a vector, and rows of a matrix of int64, by their numbers; into an allocated tensor, or a new one.
void pick_values(const Tensor& values, std::span<const std::int64_t> which, Tensor& out);
void pick_places(const Tensor& places, std::span<const std::int64_t> which, Tensor& out);
Tensor picked_values(const Tensor& values, std::span<const std::int64_t> which);
Tensor picked_places(const Tensor& places, std::span<const std::int64_t> which);

// An int64 vector.
inline Tensor numbers_tensor(std::span<const std::int64_t> numbers) { return Tensor::vector(numbers); }

// Steps of places in row-major order, of one row to the next and so on. Precondition: require_sizes().
std::vector<std::int64_t> row_major_steps(std::span<const std::int64_t> sizes);

// The shape rule's part: three consecutive inputs of ranks 2, 1 and 1.
void require_sparse_ranks(const InferContext& c, std::size_t first);
// A number of outputs of a sparse tensor of `rank` dimensions with `n` values; each may be unknown.
void set_sparse_outputs(InferContext& c, std::size_t first, std::int64_t n, std::int64_t rank);

}  // namespace tracefn
