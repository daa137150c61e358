// Runs a product and, block by block, what reads it.
#include "exec/fusion/finished_product.h"

#include <algorithm>

#include "exec/expected_shapes.h"
#include "exec/fusion/fusion_group_run.h"
#include "exec/run_op.h"
#include "ir/node_name.h"
#include "ops/op_def.h"

namespace tracefn {

std::unique_ptr<const FinishedProduct> FinishedProduct::compile(const Graph& function) {
  auto compiled = std::make_unique<FinishedProduct>();
  Value result;
  for (NodeId id : function.order())
    if (op_def(*function.node(id).op).facts.finishes) {
      if (compiled->product_) return nullptr;
      compiled->product_ = &function.node(id);
      result = {id, 0};
    }
  if (!compiled->product_) return nullptr;
  compiled->dtype_ = function.info(result).dtype;
  compiled->is_operand_.assign(function.inputs.size(), 0);
  for (Value v : compiled->product_->inputs) {
    auto found = std::find(function.inputs.begin(), function.inputs.end(), v);
    if (found == function.inputs.end()) return nullptr;
    compiled->operands_.push_back(static_cast<std::uint32_t>(found - function.inputs.begin()));
    compiled->is_operand_[compiled->operands_.back()] = 1;
  }
  compiled->shapes_ = expected_shapes(function, *compiled->product_);
  std::vector<Value> results;
  for (std::size_t j = 0; j < function.outputs.size(); ++j) {
    if (function.outputs[j] == result) {
      if (compiled->product_output_ >= 0) return nullptr;
      compiled->product_output_ = static_cast<std::int32_t>(j);
    } else {
      compiled->outputs_.push_back(static_cast<std::uint32_t>(j));
      results.push_back(function.outputs[j]);
    }
  }
  compiled->group_ = FusionGroup::compile(function, results, result);
  if (!compiled->group_ || compiled->group_->reduces()) return nullptr;
  return compiled;
}

namespace {

// One run.
class Finishing final : public BlockFinisher {
 public:
  // The first input stands for the product's result.
  Finishing(const FusionGroup& group, std::span<TensorRef> inputs, std::span<Tensor> outputs)
      : group_(group), inputs_(inputs), outputs_(outputs) {}

  bool start(Tensor& out) override {
    Tensor& product = *inputs_[0].tensor;
    const void* memory = out.raw();
    const Shape shape = out.shape();
    product = std::move(out);
    run_.emplace(group_, inputs_, nullptr);
    if (!run_->starts_blocks(shape, outputs_)) {
      run_.reset();
      out = std::move(product);
      return false;
    }
    // An output may have taken its memory.
    const Tensor* owner = &product;
    for (const Tensor& output : outputs_)
      if (output.raw() == memory) owner = &output;
    out = *owner;
    return true;
  }
  void finish(std::int64_t at, std::int64_t rows, std::int64_t columns, std::int64_t stride) override {
    run_->run_block(at, rows, columns, stride);
  }

  bool started() const { return run_.has_value(); }
  void end(const Node*& failed) { run_->end(failed); }

 private:
  const FusionGroup& group_;
  std::span<TensorRef> inputs_;
  std::span<Tensor> outputs_;
  std::optional<FusionGroup::Run> run_;
};

}  // namespace

std::optional<Shape> FinishedProduct::shape_of_product() const {
  const Shape& shape = product_->outputs[0].shape;
  return shape.is_fully_known() ? std::optional(shape) : std::nullopt;
}

bool FinishedProduct::fits(const Shape& product, std::span<const Shape> inputs) const {
  std::vector<Shape> all{product};
  all.insert(all.end(), inputs.begin(), inputs.end());
  return group_->fits(all);
}

bool FinishedProduct::run(std::span<TensorRef> inputs, std::span<Tensor> outputs, ShardRunner& shards,
                          const Node*& failed) const {
  Tensor product, result;
  SmallVector<TensorRef, 8> given;
  given.push_back({&result, product_output_ < 0});
  // The product reads its operands to the end.
  for (std::size_t i = 0; i < inputs.size(); ++i)
    given.push_back({inputs[i].tensor, inputs[i].last_use && !is_operand_[i]});
  SmallVector<TensorRef, 3> operands;
  for (std::uint32_t i : operands_) operands.push_back({inputs[i].tensor, false});
  SmallVector<Tensor, 2> made(outputs_.size());
  for (std::size_t j = 0; j < outputs_.size(); ++j) made[j] = std::move(outputs[outputs_[j]]);
  const std::span<TensorRef> all_given(given.data(), given.size());
  const std::span<Tensor> all_made(made.data(), made.size());
  Finishing finishing(*group_, all_given, all_made);
  try {
    run_op(op_def(*product_->op), product_->attrs, {operands.data(), operands.size()}, {&product, 1}, {&dtype_, 1},
           {.shards = &shards,
            .finisher = &finishing,
            .node_name = shown_name(product_->name),
            .expected_shapes = shapes_});
  } catch (const Error&) {
    failed = product_;
    throw;
  }
  if (finishing.started()) {
    finishing.end(failed);
  } else {
    result = product_output_ < 0 ? std::move(product) : product;
    if (!group_->run(all_given, all_made, shards, failed)) return false;
  }
  for (std::size_t j = 0; j < outputs_.size(); ++j) outputs[outputs_[j]] = std::move(made[j]);
  if (product_output_ >= 0) outputs[static_cast<std::size_t>(product_output_)] = std::move(product);
  return true;
}

}  // namespace tracefn
