// SparseFillEmptyRows and its gradient.
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

void check_fill(const KernelContext& c) {
  const SparseParts s(c, 0);
  if (s.shape.rank() != 1) invalid_argument("dense_shape must be a vector, saw: ", s.shape.shape().text());
  if (s.indices.rank() != 2) invalid_argument("indices must be a matrix, saw: ", s.indices.shape().text());
  if (s.values.rank() != 1) invalid_argument("values must be a vector, saw: ", s.values.shape().text());
  if (s.size() != s.values.dim(0))
    invalid_argument("The length of `values` (", s.values.dim(0), ") must match the first dimension of `indices` (",
                     s.size(), ").");
  if (s.rank() != s.shape.dim(0))
    invalid_argument("The length of `dense_shape` (", s.shape.dim(0),
                     ") must match the second dimension of `indices` (", s.rank(), ").");
  if (c.input(3).rank() != 0) invalid_argument("default_value must be a scalar, saw: ", c.input(3).shape().text());
  if (s.shape.num_elements() == 0) invalid_argument("Dense shape cannot be empty.");
  require_sizes(s.sizes());
  const std::int64_t rows = s.sizes()[0];
  if (rows == 0 && s.size() > 0)
    invalid_argument("Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = ", s.size());
  in_slices(s.size(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      if (s.place(i)[0] < 0 || s.place(i)[0] >= rows)
        invalid_argument("indices(", i, ", 0) is invalid: ", s.place(i)[0], " >= ", rows);
  });
}

// Sorted by rows, but not within them.
void fill_rows(KernelContext& c) {
  const SparseParts s(c, 0);
  const std::int64_t rows = s.sizes()[0], n = s.size(), rank = s.rank();
  // Where the next element of each row goes; before, how many it has.
  Tensor room = Tensor::zeros(DType::kInt64, Shape({rows}));
  auto* next = room.mutable_data<std::int64_t>();
  in_slices(n, 2, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) ++next[s.place(i)[0]];
  });
  auto* empty = c.output(2).mutable_data<bool>();
  std::int64_t total = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t& at = next[row];
    empty[row] = at == 0;
    const std::int64_t count = std::max<std::int64_t>(at, 1);
    at = total;
    total += count;
  }
  Tensor places(DType::kInt64, Shape({total, rank})), values(s.values.dtype(), Shape({total}));
  auto* place = places.mutable_data<std::int64_t>();
  auto* map = c.output(3).mutable_data<std::int64_t>();
  with_element(values.dtype(), [&]<typename T>(std::type_identity<T>) {
    T* to = values.mutable_data<T>();
    for (std::int64_t row = 0; row < rows; ++row) {
      if (!empty[row]) continue;
      const std::int64_t at = next[row];
      place[at * rank] = row;
      std::fill_n(place + at * rank + 1, rank - 1, 0);
      to[at] = c.input(3).item<T>();
    }
    in_slices(n, 5 + static_cast<double>(rank), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t at = next[s.place(i)[0]]++;
        map[i] = at;
        std::copy_n(s.place(i), rank, place + at * rank);
        to[at] = s.values.data<T>()[i];
      }
    });
  });
  c.set_output(0, std::move(places));
  c.set_output(1, std::move(values));
}

void fill(KernelContext& c) {
  const SparseParts s(c, 0);
  c.allocate_output(2, DType::kBool, Shape({s.sizes()[0]}));
  c.allocate_output(3, DType::kInt64, Shape({s.size()}));
  fill_rows(c);
}

void infer_fill(InferContext& c) {
  require_sparse_ranks(c, 0);
  c.require_rank(3, 0);
  const std::int64_t n = merge_dims(dim_of(c.shape(0), 0), dim_of(c.shape(1), 0));
  merge_dims(c.shape(0).has_rank() ? c.shape(0)[1] : kUnknownDim, dim_of(c.shape(2), 0));
  const Shape shape = c.shape_value(2);
  c.set_output(0, Shape({kUnknownDim, c.shape(0).has_rank() ? c.shape(0)[1] : kUnknownDim}));
  c.set_output(1, Shape({kUnknownDim}));
  c.set_output(2, Shape({shape.has_rank() && shape.rank() > 0 ? shape[0] : kUnknownDim}));
  c.set_output(3, Shape({n}));
}

void check_fill_grad(const KernelContext& c) {
  const Tensor &map = c.input(0), &dy = c.input(1);
  if (map.rank() != 1) invalid_argument("reverse_index_map must be a vector, saw: ", map.shape().text());
  if (dy.rank() != 1) invalid_argument("grad_values must be a vector, saw: ", dy.shape().text());
  for (std::int64_t at : map.span<std::int64_t>())
    if (at < 0 || at >= dy.dim(0))
      invalid_argument("Elements in reverse index must be in [0, ", dy.dim(0), ") but got ", at);
}

// What does not go to a given value goes to the default.
void fill_grad(KernelContext& c) {
  const auto map = c.input(0).span<std::int64_t>();
  const Tensor& dy = c.input(1);
  with_any_number(dy.dtype(), [&]<typename T>(std::type_identity<T>) {
    T* to = c.output(0).mutable_data<T>();
    std::vector<char> used(static_cast<std::size_t>(dy.dim(0)), 0);
    in_slices(static_cast<std::int64_t>(map.size()), 2, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t at = map[static_cast<std::size_t>(i)];
        to[i] = dy.data<T>()[at];
        used[static_cast<std::size_t>(at)] = 1;
      }
    });
    T rest{};
    for (std::int64_t i = 0; i < dy.dim(0); ++i)
      if (!used[static_cast<std::size_t>(i)]) rest = add_elements(rest, dy.data<T>()[i]);
    *c.output(1).mutable_data<T>() = rest;
  });
}

void grad_fill(GradContext& c) {
  const Operand inputs[] = {c.output(3), c.dy(1)};
  const Operands grads = emit_all("SparseFillEmptyRowsGrad", inputs);
  c.to_input(1, grads[0]);
  c.to_input(3, grads[1]);
}

}  // namespace

void register_sparse_fill_rows(Registry& r) {
  r.add({.name = "SparseFillEmptyRows",
         .inputs = {"indices: int64", "values: T", "dense_shape: int64", "default_value: T"},
         .outputs = {"output_indices: int64", "output_values: T", "empty_row_indicator: bool",
                     "reverse_index_map: int64"},
         .attrs = {"T: type"},
         .doc =
             "A sparse tensor with `default_value` at the start of each row that has no value, sorted by rows; which "
             "rows these were; and the new number of each value.",
         .infer = infer_fill,
         .kernel = checked<check_fill, fill>,
         .allocation = Allocation::kByValues,
         .grad = grad_fill});
  r.add({.name = "SparseFillEmptyRowsGrad",
         .inputs = {"reverse_index_map: int64", "grad_values: T"},
         .outputs = {"d_values: T", "d_default_value: T"},
         .attrs = {"T: type"},
         .doc = "The gradient of SparseFillEmptyRows for the values and for the default.",
         .infer =
             [](InferContext& c) {
               c.require_rank(0, 1);
               c.require_rank(1, 1);
               c.set_output(0, c.shape(0));
               c.set_output(1, Shape());
             },
         .check = check_fill_grad,
         .kernel = fill_grad,
         .grad = without_gradient});
}

}  // namespace tracefn
