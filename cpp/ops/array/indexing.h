// Shared by the ops that read and write at given indices: the messages for a bad index, the policy for it, and index
// vectors that are row numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ops/emit.h"
#include "tensor/tensor.h"

namespace tracefn {

// The position of element `at` in a tensor of that shape: "[0,1]", and "" in a scalar.
std::string place_text(const Shape& shape, std::int64_t at);

// Error(kInvalidArgument) "indices[0,1] = 3 is not in [0, 3)".
[[noreturn]] void bad_index(const Tensor& indices, std::int64_t at, std::int64_t limit);

// Index vector i of `indices`, of shape [..., k]: "indices[0] = [0, 7]".
std::string index_vector_text(const Tensor& indices, std::int64_t i);

// The attribute bad_indices_policy: whether an out-of-bounds index is ignored ("IGNORE") rather than an error.
// Throws Error(kInvalidArgument) for an unknown policy.
bool ignores_bad_indices(const std::string& policy);

// The numbers in a matrix of one-element index vectors: gradients are IndexedSlices there, as in TensorFlow.
std::optional<Operand> row_numbers(const Operand& indices);

}  // namespace tracefn
