// RaggedTensorToSparse: the places, values and shape of the sparse tensor with a ragged tensor's elements.
#include <algorithm>

#include "base/poll.h"
#include "ops/array/rows.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/ragged/ragged.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

void infer_to_sparse(InferContext& c) {
  const std::size_t ragged_rank = c.num_inputs() - 1;
  const Shape& values = c.shape(ragged_rank);
  for (std::size_t i = 0; i < ragged_rank; ++i) c.require_rank(i, 1);
  c.require_rank_at_least(ragged_rank, 1);
  std::int64_t rank = kUnknownDim, count = kUnknownDim;
  if (values.has_rank()) {
    rank = static_cast<std::int64_t>(ragged_rank) + values.rank();
    count = 1;
    for (std::int64_t d : values.dims()) count = d < 0 || count < 0 ? kUnknownDim : count * d;
  }
  c.set_output(0, Shape({count, rank}));
  c.set_output(1, Shape({count}));
  c.set_output(2, Shape({rank}));
}

void to_sparse(KernelContext& c) {
  const std::size_t ragged_rank = c.num_inputs() - 1;
  const Tensor& values = c.input(ragged_rank);
  std::vector<Splits> nested;
  for (std::size_t d = 0; d < ragged_rank; ++d) {
    nested.push_back(read_splits(c.input(d)));
    const Splits& splits = nested.back();
    if (splits.empty()) invalid_argument("ragged splits may not be empty.");
    if (splits[0] != 0) invalid_argument("First value of ragged splits must be 0.");
    for (std::size_t i = 1; i < splits.size(); ++i)
      if (splits[i] < splits[i - 1])
        invalid_argument("Ragged splits should be non decreasing, but we got ", splits[i - 1], " followed by ",
                         splits[i]);
  }
  if (values.rank() == 0)
    invalid_argument("Final value of ragged splits must match the length the corresponding ragged values.");
  for (std::size_t d = 0; d < ragged_rank; ++d) {
    const std::int64_t last = d + 1 < ragged_rank ? static_cast<std::int64_t>(nested[d + 1].size()) - 1 : values.dim(0);
    if (nested[d].back() != last)
      invalid_argument("Final value of ragged splits must match the length the corresponding ragged values.");
  }
  const std::int64_t inner = tail(values.shape(), 1).num_elements(), count = values.num_elements();
  const std::int64_t rank = static_cast<std::int64_t>(ragged_rank) + values.rank();
  Tensor& indices = c.allocate_output(0, DType::kInt64, Shape({count, rank}));
  Tensor& shape = c.allocate_output(2, DType::kInt64, Shape({rank}));
  auto* sizes = shape.mutable_data<std::int64_t>();
  sizes[0] = static_cast<std::int64_t>(nested[0].size()) - 1;
  for (std::size_t d = 0; d < ragged_rank; ++d) {
    sizes[d + 1] = 0;
    for (std::size_t i = 1; i < nested[d].size(); ++i)
      sizes[d + 1] = std::max(sizes[d + 1], nested[d][i] - nested[d][i - 1]);
  }
  for (int i = 1; i < values.rank(); ++i) sizes[ragged_rank + static_cast<std::size_t>(i)] = values.dim(i);
  auto* out = indices.mutable_data<std::int64_t>();
  // The row of each level that holds the current value.
  std::vector<std::size_t> rows(ragged_rank, 0);
  PolledSteps polled(1024);
  for (std::int64_t i = 0; inner > 0 && i < values.dim(0); ++i, polled.step()) {
    std::int64_t at = i;
    std::vector<std::int64_t> place(ragged_rank + 1);
    for (std::size_t d = ragged_rank; d-- > 0;) {
      while (nested[d][rows[d] + 1] <= at) ++rows[d];
      place[d + 1] = at - nested[d][rows[d]];
      at = static_cast<std::int64_t>(rows[d]);
    }
    place[0] = at;
    for (std::int64_t k = 0; k < inner; ++k, out += rank) {
      std::copy(place.begin(), place.end(), out);
      std::int64_t rest = k;
      for (int axis = values.rank() - 1; axis > 0; --axis) {
        out[ragged_rank + static_cast<std::size_t>(axis)] = rest % values.dim(axis);
        rest /= values.dim(axis);
      }
    }
  }
  c.set_output(1, values.reshaped(Shape({count})));
}

}  // namespace

void register_ragged_to_sparse(Registry& r) {
  r.add({.name = "RaggedTensorToSparse",
         .inputs = {"rt_nested_splits: RAGGED_RANK * Tsplits", "rt_dense_values: T"},
         .outputs = {"sparse_indices: int64", "sparse_values: T", "sparse_dense_shape: int64"},
         .attrs = {"RAGGED_RANK: int >= 1", "T: type", "Tsplits: {int32, int64} = DT_INT64"},
         .doc = "The sparse tensor with the elements of a ragged one.\n\nRaises InvalidArgumentError if the splits are "
                "invalid.",
         .infer = infer_to_sparse,
         .kernel = to_sparse,
         .allocation = Allocation::kShared,
         .grad = [](GradContext& c) {
           const std::size_t values = c.num_inputs() - 1;
           c.to_input(values, build::reshape(c.dy(1), build::shape_of(c.input(values))));
         }});
}

}  // namespace tracefn
