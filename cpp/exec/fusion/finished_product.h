// FinishedProduct: a call whose function is a product (of matrices, or a convolution) and elementwise ops that read its
// result, as passes/finish_products.cpp makes them. The product's kernel calls them for each block that it has
// computed, while the block is in the cache; where it cannot, they run when it is done. Any number of threads may run
// it at once.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "exec/fusion/fusion_group.h"
#include "exec/instruction_runner.h"
#include "ir/graph.h"

namespace tracefn {

class FinishedProduct final : public InstructionRunner {
 public:
  // Null unless the function has that form. The function outlives it.
  static std::unique_ptr<const FinishedProduct> compile(const Graph& function);

  // Nothing if it is not known.
  std::optional<Shape> shape_of_product() const;
  // Whether run() takes inputs of these shapes, if the product has that one.
  bool fits(const Shape& product, std::span<const Shape> inputs) const;
  bool run(std::span<TensorRef> inputs, std::span<Tensor> outputs, ShardRunner& shards,
           const Node*& failed) const override;

 private:
  const Node* product_ = nullptr;
  DType dtype_ = DType::kInvalid;             // of its result
  std::vector<std::uint32_t> operands_;       // of the product: which inputs
  std::vector<char> is_operand_;              // by input
  std::vector<Shape> shapes_;                 // RunServices::expected_shapes
  std::int32_t product_output_ = -1;          // which output is the product itself, or -1
  std::vector<std::uint32_t> outputs_;        // which outputs are the group's
  std::unique_ptr<const FusionGroup> group_;  // of the product's result, then all inputs
};

}  // namespace tracefn
