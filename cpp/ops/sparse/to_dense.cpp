// SparseToDense: a tensor that is one value everywhere but at given places.
#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/gradient.h"
#include "ops/registry.h"
#include "ops/sparse/sparse.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// The places, a scalar, a vector or a matrix of int32 or int64, as an int64 matrix.
Tensor place_matrix(const Tensor& indices) {
  const std::int64_t n = indices.rank() == 0 ? 1 : indices.dim(0), rank = indices.rank() < 2 ? 1 : indices.dim(1);
  if (indices.dtype() == DType::kInt64) return indices.reshaped(Shape({n, rank}));
  Tensor places(DType::kInt64, Shape({n, rank}));
  auto* to = places.mutable_data<std::int64_t>();
  const auto* from = indices.data<std::int32_t>();
  in_slices(n * rank, 1,
            [&](std::int64_t begin, std::int64_t end) { std::copy(from + begin, from + end, to + begin); });
  return places;
}

void check_to_dense(const KernelContext& c) {
  const Tensor &indices = c.input(0), &sizes = c.input(1), &values = c.input(2), &otherwise = c.input(3);
  if (indices.rank() > 2)
    invalid_argument("sparse_indices should be a scalar, vector, or matrix, got shape ", indices.shape().text());
  const std::int64_t n = indices.rank() == 0 ? 1 : indices.dim(0), rank = indices.rank() < 2 ? 1 : indices.dim(1);
  if (sizes.rank() != 1) invalid_argument("output_shape must be rank 1, got shape ", sizes.shape().text());
  if (sizes.num_elements() != rank)
    invalid_argument("output_shape has incorrect number of elements: ", sizes.num_elements(), " should be: ", rank);
  const bool one = values.rank() == 0 || (values.rank() == 1 && values.dim(0) == n);
  if (!one)
    invalid_argument("sparse_values has incorrect shape ", values.shape().text(), ", should be [] or [", n, "]");
  if (otherwise.rank() != 0) invalid_argument("default_value should be a scalar.");
  check_rank(static_cast<std::size_t>(rank));
  Shape shape;
  for (std::int64_t i = 0; i < rank; ++i) {
    shape.push_back(sizes.int_at(i));
    if (shape.dims().back() < 0) invalid_argument("Dimension ", shape.dims().back(), " must be >= 0");
  }
  if (!shape.maybe_num_elements()) invalid_argument("Shape ", shape.text(), " would have more than 2**63 - 1 elements");
}

void to_dense(KernelContext& c) {
  const Tensor &values = c.input(2), &otherwise = c.input(3);
  Tensor& out = c.output(0);
  const Tensor places = place_matrix(c.input(0));
  const Dims& dims = out.shape().dims();
  const std::span<const std::int64_t> sizes(dims.begin(), dims.end());
  if (c.attr("validate_indices").b()) require_ordered_places(places, sizes);
  const std::int64_t n = places.dim(0), rank = places.dim(1);
  const auto* place = places.data<std::int64_t>();
  with_element(out.dtype(), [&]<typename T>(std::type_identity<T>) {
    T* to = out.mutable_data<T>();
    const T* from = values.data<T>();
    const bool same = values.rank() == 0;
    fill_polled(to, out.num_elements(), otherwise.item<T>());
    in_slices(n, kPlaceCost * static_cast<double>(rank), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        std::int64_t at = 0;
        for (std::int64_t d = 0; d < rank; ++d) {
          const std::int64_t k = place[i * rank + d], size = sizes[static_cast<std::size_t>(d)];
          if (k < 0 || k >= size)
            invalid_argument("Indices are not valid (out of bounds).  Shape: ", out.shape().text());
          at = at * size + k;
        }
        to[at] = from[same ? 0 : i];
      }
    });
  });
}

void grad_to_dense(GradContext& c) {
  const Operand values = emit1("GatherNd", {c.dy(0), c.input(0)});
  auto total = [](const Operand& x) {
    const Operand axes =
        emit1("Range", {build::scalar(DType::kInt32, 0), emit1("Rank", {x}), build::scalar(DType::kInt32, 1)});
    return build::sum(x, axes);
  };
  c.to_input(2, values);
  c.to_input(3, total(c.dy(0)) - total(values));
}

}  // namespace

void register_sparse_to_dense(Registry& r) {
  r.add({.name = "SparseToDense",
         .inputs = {"sparse_indices: Tindices", "output_shape: Tindices", "sparse_values: T", "default_value: T"},
         .outputs = {"dense: T"},
         .attrs = {"validate_indices: bool = true", "T: type", "Tindices: {int32, int64}"},
         .doc = "A tensor with `sparse_values` at `sparse_indices`, and `default_value` elsewhere.\n\nRaises "
                "InvalidArgumentError if a place is outside the tensor; with validate_indices also if places are not "
                "in row-major order, or repeated.",
         .infer = [](InferContext& c) { c.set_output(0, c.shape_value(1)); },
         .check = check_to_dense,
         .kernel = to_dense,
         .grad = grad_to_dense});
}

}  // namespace tracefn
