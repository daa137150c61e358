// What the ops that read and write at given indices share: the texts that name a bad index, what is done about one, and
// index vectors that are row numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ops/emit.h"
#include "tensor/tensor.h"

namespace tracefn {

// The place of element `at` in a tensor of that shape: "[0,1]", and "" in a scalar.
std::string place_text(const Shape& shape, std::int64_t at);

// Error(kInvalidArgument) "indices[0,1] = 3 is not in [0, 3)".
[[noreturn]] void bad_index(const Tensor& indices, std::int64_t at, std::int64_t limit);

// Index vector i of `indices`, of shape [..., k]: "indices[0] = [0, 7]".
std::string index_vector_text(const Tensor& indices, std::int64_t i);

// The attribute bad_indices_policy: whether an index out of bounds is passed over ("IGNORE") rather than an error.
// Throws Error(kInvalidArgument) for a policy that does not exist.
bool ignores_bad_indices(const std::string& policy);

// The numbers in a matrix of index vectors of one number each: gradients are by rows there, as TensorFlow has it.
std::optional<Operand> row_numbers(const Operand& indices);

}  // namespace tracefn
