// SparseConcat and SparseSplit.
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

// Inputs of SparseConcat: all places, then all values, then all shapes.
SparseParts concat_part(const KernelContext& c, std::size_t i) {
  const std::size_t n = c.num_inputs() / 3;
  return {c.input(i), c.input(n + i), c.input(2 * n + i)};
}

void check_concat(const KernelContext& c) {
  const std::size_t n = c.num_inputs() / 3;
  auto require_rank = [](const Tensor& t, int rank, std::string_view part, std::string_view kind, std::size_t at) {
    if (t.rank() != rank)
      invalid_argument("Input ", part, " should be a ", kind, " but received shape ", t.shape().text(), " at position ",
                       static_cast<std::int64_t>(at));
  };
  for (std::size_t i = 0; i < n; ++i) require_rank(concat_part(c, i).indices, 2, "indices", "matrix", i);
  for (std::size_t i = 0; i < n; ++i) require_rank(concat_part(c, i).values, 1, "values", "vector", i);
  for (std::size_t i = 0; i < n; ++i) require_rank(concat_part(c, i).shape, 1, "shapes", "vector", i);
  const SparseParts first = concat_part(c, 0);
  const std::int64_t rank = first.shape.dim(0), given = c.attr("concat_dim").i();
  const std::int64_t axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis >= rank)
    invalid_argument("Concat dimension must be in range [", -rank, ", ", rank, "), got ", given);
  for (std::size_t i = 1; i < n; ++i) {
    const SparseParts part = concat_part(c, i);
    if (part.shape.dim(0) != rank)
      invalid_argument("Ranks of all input tensors must match: expected ", rank, " but got ", part.shape.dim(0),
                       " at position ", static_cast<std::int64_t>(i));
    for (std::int64_t d = 0; d < rank; ++d)
      if (d != axis && part.sizes()[static_cast<std::size_t>(d)] != first.sizes()[static_cast<std::size_t>(d)])
        invalid_argument("Input shapes must match: expected ", first.sizes()[static_cast<std::size_t>(d)],
                         " for dimension ", d, " but got ", part.sizes()[static_cast<std::size_t>(d)], " at position ",
                         static_cast<std::int64_t>(i));
  }
  for (std::size_t i = 0; i < n; ++i) {
    require_sparse_object(concat_part(c, i));
    require_sizes(concat_part(c, i).sizes());
  }
}

void concat_sparse(KernelContext& c) {
  const std::size_t n = c.num_inputs() / 3;
  const SparseParts first = concat_part(c, 0);
  const std::int64_t rank = first.rank();
  const auto axis = static_cast<std::size_t>(normalize_axis(c.attr("concat_dim").i(), rank));
  std::int64_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += concat_part(c, i).size();
  Tensor places(DType::kInt64, Shape({count, rank})), values(first.values.dtype(), Shape({count}));
  auto* place = places.mutable_data<std::int64_t>();
  std::int64_t offset = 0, at = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const SparseParts part = concat_part(c, i);
    in_slices(part.size(), static_cast<double>(rank), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k, place += rank) {
        std::copy_n(part.place(k), rank, place);
        place[axis] = add_elements(place[axis], offset);
      }
    });
    with_element(values.dtype(), [&]<typename T>(std::type_identity<T>) {
      std::copy_n(part.values.data<T>(), part.size(), values.mutable_data<T>() + at);
    });
    at += part.size();
    if (__builtin_add_overflow(offset, part.sizes()[axis], &offset))
      invalid_argument("Encountered overflow when adding the sizes of dimension ", static_cast<std::int64_t>(axis));
  }
  auto* sizes = c.output(2).mutable_data<std::int64_t>();
  std::ranges::copy(first.sizes(), sizes);
  sizes[axis] = offset;
  const std::vector<std::int64_t> order = row_major_order(places);
  pick_places(places, order, c.output(0));
  pick_values(values, order, c.output(1));
}

void infer_concat(InferContext& c) {
  const std::size_t n = c.num_inputs() / 3;
  std::int64_t count = 0, rank = kUnknownDim;
  for (std::size_t i = 0; i < n; ++i) {
    c.require_rank(i, 2);
    c.require_rank(n + i, 1);
    c.require_rank(2 * n + i, 1);
    const std::int64_t rows = merge_dims(dim_of(c.shape(i), 0), dim_of(c.shape(n + i), 0));
    count = rows < 0 || count < 0 ? kUnknownDim : count + rows;
    rank = merge_dims(rank,
                      merge_dims(c.shape(i).has_rank() ? c.shape(i)[1] : kUnknownDim, dim_of(c.shape(2 * n + i), 0)));
  }
  set_sparse_outputs(c, 0, count, rank);
}

// The bounds of piece `i` of a dimension split into `n`: the first ones are one longer if the size is not divisible.
std::int64_t piece_begin(std::int64_t size, std::int64_t n, std::int64_t i) {
  return size / n * i + std::min(i, size % n);
}

void check_split(const KernelContext& c) {
  const SparseParts s(c, 1);
  const Tensor& at = c.input(0);
  if (at.rank() != 0) invalid_argument("Input axis should be a scalar but received shape ", at.shape().text());
  if (s.indices.rank() != 2)
    invalid_argument("Input indices should be a matrix but received shape ", s.indices.shape().text());
  if (s.values.rank() != 1)
    invalid_argument("Input values should be a vector but received shape ", s.values.shape().text());
  if (s.shape.rank() != 1)
    invalid_argument("Input shape should be a vector but received shape ", s.shape.shape().text());
  require_sparse(s);
  const std::int64_t rank = s.shape.dim(0), given = at.item<std::int64_t>(), axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis >= rank)
    invalid_argument("Input axis should be in range [", -rank, ", ", rank, "), got ", given);
  const std::int64_t n = c.attr("num_split").i(), size = s.sizes()[static_cast<std::size_t>(axis)];
  if (n < 1 || n > size)
    invalid_argument("Input num_split should be between 1 and the splitting dimension size (", size, "), got ", n);
  require_places_inside(s);
  require_sizes(s.sizes());
}

void split_sparse(KernelContext& c) {
  const SparseParts s(c, 1);
  const std::int64_t n = c.attr("num_split").i(), rank = s.rank();
  const auto axis = static_cast<std::size_t>(normalize_axis(c.input(0).item<std::int64_t>(), rank));
  const std::int64_t size = s.sizes()[axis], length = size / n, longer = size % n;
  std::vector<std::vector<std::int64_t>> members(static_cast<std::size_t>(n));
  in_slices(s.size(), 10, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t k = s.place(i)[axis], among_longer = k / (length + 1);
      const std::int64_t piece = among_longer < longer ? among_longer : (k - longer) / length;
      members[static_cast<std::size_t>(piece)].push_back(i);
    }
  });
  for (std::int64_t piece = 0; piece < n; ++piece) {
    const auto j = static_cast<std::size_t>(piece), count = static_cast<std::size_t>(n);
    const std::int64_t first = piece_begin(size, n, piece);
    Tensor places = picked_places(s.indices, members[j]);
    auto* place = places.mutable_data<std::int64_t>();
    in_slices(places.dim(0), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) place[i * rank + static_cast<std::int64_t>(axis)] -= first;
    });
    std::vector<std::int64_t> sizes(s.sizes().begin(), s.sizes().end());
    sizes[axis] = piece_begin(size, n, piece + 1) - first;
    c.set_output(j, std::move(places));
    c.set_output(count + j, picked_values(s.values, members[j]));
    c.set_output(2 * count + j, numbers_tensor(sizes));
  }
}

void infer_split(InferContext& c) {
  const auto n = static_cast<std::size_t>(c.attr("num_split").i());
  const Shape& shape = c.shape(3);
  const std::int64_t rank = shape.has_rank() ? shape.maybe_num_elements().value_or(kUnknownDim) : kUnknownDim;
  for (std::size_t i = 0; i < n; ++i) {
    c.set_output(i, Shape({kUnknownDim, rank}));
    c.set_output(n + i, Shape({kUnknownDim}));
    c.set_output(2 * n + i, shape);
  }
}

}  // namespace

void register_sparse_join(Registry& r) {
  r.add({.name = "SparseConcat",
         .inputs = {"indices: N * int64", "values: N * T", "shapes: N * int64"},
         .outputs = {"output_indices: int64", "output_values: T", "output_shape: int64"},
         .attrs = {"concat_dim: int", "N: int >= 2", "T: type"},
         .doc = "Sparse tensors, one behind the other along a dimension.",
         .infer = infer_concat,
         .check = check_concat,
         .kernel = concat_sparse,
         .grad = not_differentiable});
  r.add({.name = "SparseSplit",
         .inputs = {"split_dim: int64", "indices: int64", "values: T", "shape: int64"},
         .outputs = {"output_indices: num_split * int64", "output_values: num_split * T",
                     "output_shape: num_split * int64"},
         .attrs = {"num_split: int >= 1", "T: type"},
         .doc = "Pieces of a sparse tensor along a dimension; the first ones are longer by one if its size is not "
                "divisible by their number.",
         .infer = infer_split,
         .kernel = checked<check_split, split_sparse>,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
}

}  // namespace tracefn
