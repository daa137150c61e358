// SparseTensorDenseAdd: a dense tensor with the values of a sparse one added.
#include "ops/array/array_families.h"
#include "ops/array/row_updates.h"
#include "ops/gradient.h"
#include "ops/registry.h"
#include "ops/sparse/sparse.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// TensorFlow has kernels for these ranks only.
constexpr int kMostDims = 5;

void check_dense_add(const KernelContext& c) {
  const Tensor &indices = c.input(0), &values = c.input(1), &sizes = c.input(2), &dense = c.input(3);
  if (indices.rank() != 2)
    invalid_argument("Input a_indices should be a matrix but received shape: ", indices.shape().text());
  if (values.rank() != 1 || sizes.rank() != 1)
    invalid_argument("Inputs a_values and a_shape should be vectors but received shapes: ", values.shape().text(),
                     " and ", sizes.shape().text());
  auto require_same = [](std::int64_t a, std::int64_t b) {
    if (a != b) invalid_argument("Dimensions ", a, " and ", b, " are not compatible");
  };
  require_same(indices.dim(0), values.dim(0));
  require_same(indices.dim(1), sizes.dim(0));
  if (sizes.dim(0) != dense.rank())
    invalid_argument("Two operands have different ranks; received: ", sizes.dim(0), " and ", dense.rank());
  for (int d = 0; d < dense.rank(); ++d)
    if (sizes.int_at(d) != dense.dim(d))
      invalid_argument("Dimension ", d, " does not equal (no broadcasting is supported): sparse side ", sizes.int_at(d),
                       " vs dense side ", dense.dim(d));
  if (dense.rank() < 1 || dense.rank() > kMostDims)
    invalid_argument("Only tensors with ranks between 1 and ", kMostDims,
                     " are currently supported.  Tensor rank: ", dense.rank());
}

void dense_add(KernelContext& c) {
  const Tensor &indices = c.input(0), &values = c.input(1);
  Tensor out = c.input(3).copy();
  const std::int64_t n = indices.dim(0);
  const int rank = out.rank();
  Tensor rows(DType::kInt64, Shape({n}));
  auto* to = rows.mutable_data<std::int64_t>();
  in_slices(n, kPlaceCost * rank, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::int64_t at = 0;
      for (int d = 0; d < rank; ++d) {
        const std::int64_t k = indices.int_at(i * rank + d);
        if (k < 0 || k >= out.dim(d))
          invalid_argument("Sparse tensor has an invalid index on dimension ", d, ": a_indices(", i, ",", d, ") = ", k,
                           ", dense tensor shape: ", spaced({out.shape().dims().data(), out.shape().dims().size()}));
        at = at * out.dim(d) + k;
      }
      to[i] = at;
    }
  });
  if (n > 0) update_rows(c, RowUpdate::kAdd, out, values, {n, to, nullptr, 1});
  c.set_output(0, std::move(out));
}

}  // namespace

void register_sparse_dense_add(Registry& r) {
  r.add({.name = "SparseTensorDenseAdd",
         .inputs = {"a_indices: Tindices", "a_values: T", "a_shape: Tindices", "b: T"},
         .outputs = {"output: T"},
         .attrs = {"T: " TRACEFN_NUMBERS, "Tindices: {int32, int64}"},
         .doc = "The sum of a sparse tensor and a dense one of the same shape, of rank 1 to 5.",
         .infer = [](InferContext& c) { c.set_output(0, c.shape(3)); },
         .kernel = checked<check_dense_add, dense_add>,
         .allocation = Allocation::kShared,
         .grad =
             [](GradContext& c) {
               c.to_input(1, emit1("GatherNd", {c.dy(0), c.input(0)}));
               c.to_input(3, c.dy(0));
             }});
}

}  // namespace tracefn
