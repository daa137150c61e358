// SparseSlice and its gradient.
#include <algorithm>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/gradient.h"
#include "ops/registry.h"
#include "ops/sparse/sparse.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

void check_slice(const KernelContext& c) {
  const SparseParts s(c, 0);
  const Tensor &start = c.input(3), &size = c.input(4);
  require_sparse(s);
  if (start.rank() != 1) invalid_argument("Input start should be a vector but received shape ", start.shape().text());
  if (size.rank() != 1) invalid_argument("Input size should be a vector but received shape ", size.shape().text());
  if (start.dim(0) != s.rank())
    invalid_argument("Expected start to be a vector of length ", s.rank(), " but got length ", start.dim(0));
  if (size.dim(0) != s.rank())
    invalid_argument("Expected size to be a vector of length ", s.rank(), " but got length ", size.dim(0));
  require_sizes(s.sizes());
  for (std::int64_t n : size.span<std::int64_t>())
    if (n < 0) invalid_argument("Expected a non-negative size, got ", n);
}

void slice_sparse(KernelContext& c) {
  const SparseParts s(c, 0);
  const auto start = c.input(3).span<std::int64_t>(), size = c.input(4).span<std::int64_t>();
  const auto rank = static_cast<std::size_t>(s.rank());
  std::vector<std::int64_t> kept;
  // start + size may be beyond the largest number: differences are compared instead.
  auto inside = [&](const std::int64_t* place) {
    for (std::size_t d = 0; d < rank; ++d)
      if (place[d] < start[d] || static_cast<std::uint64_t>(place[d]) - static_cast<std::uint64_t>(start[d]) >=
                                     static_cast<std::uint64_t>(size[d]))
        return false;
    return true;
  };
  in_slices(s.size(), kPlaceCost * static_cast<double>(rank), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      if (inside(s.place(i))) kept.push_back(i);
  });
  Tensor places = picked_places(s.indices, kept);
  auto* place = places.mutable_data<std::int64_t>();
  in_slices(places.dim(0), static_cast<double>(rank), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      for (std::size_t d = 0; d < rank; ++d) place[static_cast<std::size_t>(i) * rank + d] -= start[d];
  });
  std::vector<std::int64_t> sizes(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    // What is left behind the start, which may be before the first or behind the last element.
    std::int64_t left = 0;
    if (__builtin_sub_overflow(s.sizes()[d], start[d], &left)) left = size[d];
    sizes[d] = std::max<std::int64_t>(0, std::min(size[d], left));
  }
  c.set_output(0, std::move(places));
  c.set_output(1, picked_values(s.values, kept));
  c.set_output(2, numbers_tensor(sizes));
}

void infer_slice(InferContext& c) {
  const Shape& shape = c.shape(2);
  const std::int64_t rank = shape.has_rank() ? shape.maybe_num_elements().value_or(kUnknownDim) : kUnknownDim;
  c.set_output(0, Shape({kUnknownDim, rank}));
  c.set_output(1, Shape({kUnknownDim}));
  c.set_output(2, shape);
}

void check_slice_grad(const KernelContext& c) {
  const Tensor &dy = c.input(0), &in = c.input(1), &start = c.input(2), &out = c.input(3);
  if (in.rank() != 2 || out.rank() != 2)
    invalid_argument("Input and output indices should be matrices but received shapes: ", in.shape().text(), " and ",
                     out.shape().text());
  if (dy.rank() != 1)
    invalid_argument("Input backprop_val_grad should be a vector but received shape: ", dy.shape().text());
  if (start.rank() != 1)
    invalid_argument("The input_start should be a vector but received shape ", start.shape().text());
  if (in.dim(1) != out.dim(1))
    invalid_argument("The input and output should have the same ndims: got: ", in.dim(1), " and ", out.dim(1));
  if (dy.dim(0) != out.dim(0))
    invalid_argument("# elements of backprop_val_grad and # rows of output_indices should match (#nnz of sum): got ",
                     dy.dim(0), " and ", out.dim(0));
  if (start.dim(0) != in.dim(1))
    invalid_argument("Expected input_start to be a vector of length ", in.dim(1), " but got length ", start.dim(0));
}

// The gradient of each value that is in the slice, whose values are in the same order.
void slice_grad(KernelContext& c) {
  const Tensor &dy = c.input(0), &in = c.input(1), &start = c.input(2), &out = c.input(3);
  const std::int64_t rank = in.dim(1), n = out.dim(0);
  const auto *place = in.data<std::int64_t>(), *kept = out.data<std::int64_t>(), *first = start.data<std::int64_t>();
  auto equal = [&](std::int64_t i, std::int64_t k) {
    for (std::int64_t d = 0; d < rank; ++d)
      if (place[i * rank + d] != add_elements(kept[k * rank + d], first[d])) return false;
    return true;
  };
  with_any_number(dy.dtype(), [&]<typename T>(std::type_identity<T>) {
    T* to = c.output(0).mutable_data<T>();
    std::int64_t k = 0;
    PolledSteps polled(256);
    for (std::int64_t i = 0; i < in.dim(0); ++i, polled.step()) {
      const bool found = k < n && equal(i, k);
      to[i] = found ? dy.data<T>()[k] : T{};
      k += found;
    }
    if (k < n)
      fail(ErrorKind::kInternal, "Elements of backprop_val_grad aren't all propagated. Num elements:", n,
           ", used: ", k);
  });
}

}  // namespace

void register_sparse_slice(Registry& r) {
  r.add({.name = "SparseSlice",
         .inputs = {"indices: int64", "values: T", "shape: int64", "start: int64", "size: int64"},
         .outputs = {"output_indices: int64", "output_values: T", "output_shape: int64"},
         .attrs = {"T: type"},
         .doc = "The part of a sparse tensor from `start` on, of at most `size` in each dimension.",
         .infer = infer_slice,
         .kernel = checked<check_slice, slice_sparse>,
         .allocation = Allocation::kByValues,
         .grad = [](GradContext& c) {
           c.to_input(1, emit1("SparseSliceGrad", {c.dy(1), c.input(0), c.input(3), c.output(0)}));
         }});
  r.add({.name = "SparseSliceGrad",
         .inputs = {"backprop_val_grad: T", "input_indices: int64", "input_start: int64", "output_indices: int64"},
         .outputs = {"val_grad: T"},
         .attrs = {"T: " TRACEFN_NUMBERS},
         .doc = "The gradient of SparseSlice for the values, given that for the values of the slice.",
         .infer =
             [](InferContext& c) {
               c.require_rank(1, 2);
               c.set_output(0, Shape({dim_of(c.shape(1), 0)}));
             },
         .check = check_slice_grad,
         .kernel = slice_grad,
         .grad = without_gradient});
}

}  // namespace tracefn
