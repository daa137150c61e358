// The ragged op families, one per source file, and what they share: reading row splits.
#pragma once

#include <span>
#include <vector>

#include "ops/kernel.h"
#include "tensor/tensor.h"

namespace tracefn {

class Registry;

void register_ragged_range(Registry& r);
void register_ragged_gather(Registry& r);
void register_ragged_to_tensor(Registry& r);
void register_ragged_to_sparse(Registry& r);
void register_ragged_variant(Registry& r);
void register_ragged_fill_empty_rows(Registry& r);
void register_ragged_cross(Registry& r);

// Row splits of any integer type as 64-bit numbers.
using Splits = std::vector<std::int64_t>;

Splits read_splits(const Tensor& splits);
// The same of splits that start with 0, never fall, and end with the number of values; Error(kInvalidArgument) for
// others.
Splits valid_splits(const Tensor& splits, std::int64_t values);

// Writes numbers that fit into a tensor of int32 or int64.
void write_numbers(std::span<const std::int64_t> numbers, Tensor& to);

}  // namespace tracefn
