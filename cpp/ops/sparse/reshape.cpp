// SparseReshape: the places of a sparse tensor in another shape of equally many elements.
#include <optional>

#include "base/poll.h"
#include "ops/registry.h"
#include "ops/sparse/sparse.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

std::int64_t product(std::span<const std::int64_t> sizes) {
  std::int64_t all = 1;
  for (std::int64_t size : sizes) all *= size;
  return all;
}

// The new shape, with the size of the dimension that is left open.
std::vector<std::int64_t> target_sizes(std::span<const std::int64_t> old, std::span<const std::int64_t> given) {
  std::vector<std::int64_t> sizes(given.begin(), given.end());
  std::optional<std::size_t> open;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == -1) {
      if (open)
        invalid_argument("only one output dimension may be -1, not both ", static_cast<std::int64_t>(*open), " and ",
                         static_cast<std::int64_t>(d));
      open = d;
      sizes[d] = 1;
    } else if (sizes[d] < 0) {
      invalid_argument("size ", static_cast<std::int64_t>(d), " must be non-negative, not ", sizes[d]);
    }
  }
  require_sizes(sizes);
  const std::int64_t elements = product(old), known = product(sizes);
  if (open) {
    if (known == 0)
      invalid_argument(
          "reshape cannot infer the missing input size for an empty tensor unless all specified input sizes are "
          "non-zero");
    sizes[*open] = elements / known;
    if (elements % known != 0)
      invalid_argument("Input to reshape is a SparseTensor with ", elements,
                       " dense values, but the requested shape requires a multiple of ", known,
                       ". input_shape=", dims_text(old), " output_shape=", dims_text(sizes));
  }
  if (product(sizes) != elements)
    invalid_argument("Input to reshape is a tensor with ", elements, " dense values, but the requested shape has ",
                     product(sizes), ". input_shape=", dims_text(old), " output_shape=", dims_text(sizes));
  return sizes;
}

void check_reshape(const KernelContext& c) {
  const Tensor &indices = c.input(0), &old = c.input(1), &given = c.input(2);
  if (indices.rank() != 2) invalid_argument("Input must be a matrix.");
  if (old.rank() != 1) invalid_argument("Input shape must be a vector.");
  if (given.rank() != 1) invalid_argument("Target shape should be a vector but received shape ", given.shape().text());
  if (old.dim(0) != indices.dim(1)) invalid_argument("Input tensor rank must match input shape length.");
  require_sizes(old.span<std::int64_t>());
  const std::vector<std::int64_t> sizes = target_sizes(old.span<std::int64_t>(), given.span<std::int64_t>());
  if (indices.dim(0) > 0 && product(sizes) == 0)
    invalid_argument("Input tensor has ", indices.dim(0), " non zero elements but input shape (",
                     dims_text(old.span<std::int64_t>()), ") or output shape (", dims_text(sizes), ") is empty");
}

void reshape(KernelContext& c) {
  const Tensor& indices = c.input(0);
  const auto old = c.input(1).span<std::int64_t>();
  const std::vector<std::int64_t> sizes = target_sizes(old, c.input(2).span<std::int64_t>());
  const std::vector<std::int64_t> from = row_major_steps(old), to = row_major_steps(sizes);
  const auto* place = indices.data<std::int64_t>();
  auto* out = c.output(0).mutable_data<std::int64_t>();
  std::copy(sizes.begin(), sizes.end(), c.output(1).mutable_data<std::int64_t>());
  in_slices(indices.dim(0), 10 * static_cast<double>(old.size() + sizes.size()) + 1,
            [&](std::int64_t begin, std::int64_t end) {
              for (std::int64_t i = begin; i < end; ++i) {
                // Places outside the shape may wrap around.
                std::uint64_t at = 0;
                for (std::size_t d = 0; d < old.size(); ++d)
                  at += static_cast<std::uint64_t>(place[static_cast<std::size_t>(i) * old.size() + d]) *
                        static_cast<std::uint64_t>(from[d]);
                auto rest = static_cast<std::int64_t>(at);
                for (std::size_t d = 0; d < sizes.size(); ++d) {
                  out[static_cast<std::size_t>(i) * sizes.size() + d] = rest / to[d];
                  rest %= to[d];
                }
              }
            });
}

void infer_reshape(InferContext& c) {
  c.require_rank(0, 2);
  c.require_rank(1, 1);
  c.require_rank(2, 1);
  c.set_output(0, Shape({dim_of(c.shape(0), 0), dim_of(c.shape(2), 0)}));
  c.set_output(1, c.shape(2));
}

}  // namespace

void register_sparse_reshape(Registry& r) {
  r.add({.name = "SparseReshape",
         .inputs = {"input_indices: int64", "input_shape: int64", "new_shape: int64"},
         .outputs = {"output_indices: int64", "output_shape: int64"},
         .doc = "The places of a sparse tensor's values in another shape of equally many elements, and that shape; one "
                "of its dimensions may be -1.",
         .infer = infer_reshape,
         .check = check_reshape,
         .kernel = reshape,
         .grad = without_gradient});
}

}  // namespace tracefn
