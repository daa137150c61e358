// Sparse tensors one by one, as the ops that serialize or store batches of them see them.
#pragma once

#include <vector>

#include "ops/sparse/sparse.h"

namespace tracefn {

// The parts of one sparse tensor.
struct SparseValue {
  Tensor indices, values, shape;
};

// The words of the ops below for parts that do not fit each other.
void require_parts(const SparseParts& s);
// A batch of sparse tensors, by their first dimension, which the parts lose. Error(kInvalidArgument) unless the places
// are ordered by it.
std::vector<SparseValue> split_batch(const SparseParts& s);
// The sparse tensors as one, with `batch` as its first dimensions; the others are as large as the largest.
// Error(kInvalidArgument) if their ranks or dtypes differ.
void join_batch(KernelContext& c, const std::vector<SparseValue>& parts, std::span<const std::int64_t> batch,
                DType dtype);

// A vector of three variants, which hold the parts: what SerializeSparse makes.
Tensor sparse_as_variants(SparseValue s);

}  // namespace tracefn
