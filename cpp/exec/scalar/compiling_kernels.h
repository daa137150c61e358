// What kernels say at compile time: their results of constants, and where they move the elements of their inputs.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "exec/nest/affine_grid.h"
#include "ir/graph.h"
#include "tensor/tensor.h"

namespace tracefn {

// Runs the op's kernel with these attributes. Nothing if it fails: then it fails when the program runs, or it never
// runs.
std::optional<SmallVector<Tensor, 2>> result_of(const Node& n, const AttrList& attrs, std::span<Tensor> inputs);
// The same with the node's own attributes; nothing if an output has more than `most` elements.
std::optional<SmallVector<Tensor, 2>> result_of_constants(const Node& n, std::span<Tensor> inputs, std::int64_t most);

// The shapes of its outputs, as far as the op's rule finds them for inputs of these shapes and values (null: unknown).
// Nothing if the rule refuses them.
struct KnownInput {
  Shape shape;
  DType dtype;
  const Tensor* value;
};
std::optional<std::vector<Shape>> inferred_shapes(const Node& n, const AttrList& attrs,
                                                  std::span<const KnownInput> inputs);

// Numbers of the elements of input i begin at (i + 1) * kNumbersOfInput; 0 stands for a zero.
inline constexpr std::int64_t kNumbersOfInput = 2 * AffineGrid::kFar;

// By input: whether its elements are what the op moves (OpFacts::moves).
SmallVector<char, 4> moved_inputs(const Node& n);
// Its results when the elements that it moves are numbers (int64); nothing if one has more than `most`.
std::optional<SmallVector<Tensor, 2>> result_of_numbers(const Node& n, std::span<Tensor> inputs,
                                                        std::span<const char> moves, std::int64_t most);

}  // namespace tracefn
