// Batches of sparse tensors, taken apart and put together.
#include <algorithm>

#include "base/poll.h"
#include "ops/sparse/serialized.h"

namespace tracefn {

void require_parts(const SparseParts& s) {
  if (s.indices.rank() != 2)
    invalid_argument("Input indices should be a matrix but received shape ", s.indices.shape().text());
  if (s.values.rank() != 1)
    invalid_argument("Input values should be a vector but received shape ", s.values.shape().text());
  if (s.shape.rank() != 1)
    invalid_argument("Input shape should be a vector but received shape ", s.shape.shape().text());
  if (s.values.dim(0) != s.indices.dim(0))
    invalid_argument("Number of values must match first dimension of indices. Got ", s.values.dim(0),
                     " values, indices shape: ", s.indices.shape().text());
  if (s.shape.dim(0) != s.indices.dim(1))
    invalid_argument("Number of dimensions must match second dimension of indices. Got ", s.shape.dim(0),
                     " dimensions, indices shape: ", s.indices.shape().text());
  if (s.shape.num_elements() == 0) invalid_argument("The shape argument requires at least one element.");
  require_sizes(s.sizes());
}

std::vector<SparseValue> split_batch(const SparseParts& s) {
  require_parts(s);
  const std::int64_t rank = s.rank(), n = s.sizes()[0];
  if (rank <= 1) invalid_argument("Rank of input SparseTensor should be > 1, but saw rank: ", rank);
  require_ordered_places(s.indices, s.sizes());
  const Tensor shape = numbers_tensor(s.sizes().subspan(1));
  std::vector<SparseValue> parts;
  std::int64_t at = 0;
  PolledSteps polled(256);
  for (std::int64_t b = 0; b < n; ++b, polled.step()) {
    std::int64_t end = at;
    while (end < s.size() && s.place(end)[0] == b) ++end;
    Tensor indices(DType::kInt64, Shape({end - at, rank - 1}));
    auto* to = indices.mutable_data<std::int64_t>();
    for (std::int64_t i = at; i < end; ++i, to += rank - 1) std::copy(s.place(i) + 1, s.place(i) + rank, to);
    Tensor values(s.values.dtype(), Shape({end - at}));
    copy_elements(values.dtype(), s.values.rows(at, end).raw(), values.mutable_raw(), end - at);
    parts.push_back({std::move(indices), std::move(values), shape});
    at = end;
  }
  return parts;
}

void join_batch(KernelContext& c, const std::vector<SparseValue>& parts, std::span<const std::int64_t> batch,
                DType dtype) {
  std::int64_t total = 0, rank = -1;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const SparseValue& p = parts[i];
    if (p.values.dtype() != dtype)
      invalid_argument("Requested SparseTensor of type ", runtime_name(dtype), " but SparseTensor[", i,
                       "].values.dtype() == ", runtime_name(p.values.dtype()));
    if (p.indices.rank() != 2)
      invalid_argument("Expected serialized_sparse[", i, ", 0] to represent an index matrix but received shape ",
                       p.indices.shape().text());
    if (p.values.rank() != 1)
      invalid_argument("Expected serialized_sparse[", i, ", 1] to represent a values vector but received shape ",
                       p.values.shape().text());
    if (p.shape.rank() != 1)
      invalid_argument("Expected serialized_sparse[", i, ", 2] to represent a shape vector but received shape ",
                       p.shape.shape().text());
    if (p.indices.dim(0) != p.values.dim(0))
      invalid_argument("Expected row counts of SparseTensor[", i, "].indices and SparseTensor[", i,
                       "].values to match but they do not: ", p.indices.dim(0), " vs. ", p.values.dim(0));
    if (p.indices.dim(1) != p.shape.dim(0))
      invalid_argument("Expected column counts of SparseTensor[", i, "].indices to match size of SparseTensor[", i,
                       "].shape but they do not: ", p.indices.dim(1), " vs. ", p.shape.dim(0));
    if (rank >= 0 && p.shape.dim(0) != rank)
      invalid_argument("Inconsistent rank across SparseTensors: rank prior to SparseTensor[", i, "] was: ", rank,
                       " but rank of SparseTensor[", i, "] is: ", p.shape.dim(0));
    rank = p.shape.dim(0);
    total += p.indices.dim(0);
  }
  const auto lead = static_cast<std::int64_t>(batch.size());
  Tensor& indices = c.allocate_output(0, DType::kInt64, Shape({total, lead + rank}));
  Tensor& values = c.allocate_output(1, dtype, Shape({total}));
  Tensor& shape = c.allocate_output(2, DType::kInt64, Shape({lead + rank}));
  auto* sizes = shape.mutable_data<std::int64_t>();
  std::copy(batch.begin(), batch.end(), sizes);
  std::fill(sizes + lead, sizes + lead + rank, 0);
  auto* place = indices.mutable_data<std::int64_t>();
  auto* value = static_cast<char*>(values.mutable_raw());
  std::vector<std::int64_t> at(batch.size(), 0);
  PolledSteps polled(256);
  for (const SparseValue& p : parts) {
    const auto* from = p.indices.data<std::int64_t>();
    for (std::int64_t i = 0; i < p.indices.dim(0); ++i, from += rank) {
      place = std::copy(at.begin(), at.end(), place);
      place = std::copy(from, from + rank, place);
    }
    copy_elements(dtype, p.values.raw(), value, p.values.num_elements());
    value += p.values.bytes();
    for (std::int64_t d = 0; d < rank; ++d)
      sizes[lead + d] = std::max(sizes[lead + d], p.shape.data<std::int64_t>()[d]);
    for (std::size_t d = at.size(); d-- > 0;) {
      if (++at[d] < batch[d]) break;
      at[d] = 0;
    }
    polled.step(1 + p.indices.dim(0));
  }
}

}  // namespace tracefn
