// What kernels say at compile time: their results of constants, and where they move the elements of their inputs.
#pragma once

#include <optional>
#include <span>

#include "ir/graph.h"
#include "tensor/tensor.h"

namespace tracefn {

// Runs the op's kernel with these attributes. Nothing if it fails: then it fails when the program runs, or it never
// runs.
std::optional<SmallVector<Tensor, 2>> result_of(const Node& n, const AttrList& attrs, std::span<Tensor> inputs);
// The same with the node's own attributes; nothing if an output has more than `most` elements.
std::optional<SmallVector<Tensor, 2>> result_of_constants(const Node& n, std::span<Tensor> inputs, std::int64_t most);

// By input: whether its elements are what the op moves (OpFacts::moves).
SmallVector<char, 4> moved_inputs(const Node& n);
// The same when the elements that the op moves are numbers of type `number`.
std::optional<SmallVector<Tensor, 2>> result_of_numbers(const Node& n, std::span<Tensor> inputs,
                                                        std::span<const char> moves, DType number, std::int64_t most);

}  // namespace tracefn
