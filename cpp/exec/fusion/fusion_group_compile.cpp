// Compiles a function into a fusion group: its nodes as steps, and their levels.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "exec/fusion/fusion_group.h"
#include "ops/elementwise/functions.h"
#include "ops/fusable.h"
#include "ops/node_kinds.h"
#include "ops/op_def.h"

namespace tracefn {

class GroupCompiler {
 public:
  std::unique_ptr<const FusionGroup> compile(const Graph& body, const std::vector<Value>& outputs,
                                             std::optional<Value> given, FusionGroup::Parts parts) {
    if (outputs.empty() || !body.control_outputs.empty()) return nullptr;
    std::vector<Value> values = body.inputs;
    if (given) values.insert(values.begin(), *given);
    group_->num_inputs_ = values.size();
    std::vector<Known> arguments;
    for (std::size_t i = 0; i < values.size(); ++i) {
      arguments.push_back({-1, static_cast<std::uint32_t>(i)});
      group_->source_dtypes_.push_back(body.info(values[i]).dtype);
    }
    std::optional<std::vector<Known>> results = graph(body, values, arguments, outputs);
    if (!results || !place_outputs(*results) || !right_reductions()) return nullptr;
    sum_pairs();
    group_->find_branches();
    group_->place_values(parts);
    return std::move(group_);
  }

 private:
  using Level = FusionGroup::Level;
  using Step = FusionGroup::Step;

  // A value: a step's result, or a source (an input, or a constant after the inputs).
  struct Known {
    std::int32_t step = -1;
    std::uint32_t source = 0;
  };

  // The nodes that the outputs need, besides the values that are known.
  std::optional<std::vector<Known>> graph(const Graph& g, const std::vector<Value>& known,
                                          const std::vector<Known>& arguments, const std::vector<Value>& outputs) {
    const std::vector<char> needed = needed_nodes(g, known, outputs);
    std::unordered_map<std::int64_t, Known> values;
    auto key = [](Value v) { return static_cast<std::int64_t>(v.node) << 32 | v.output; };
    for (std::size_t i = 0; i < arguments.size(); ++i) values[key(known[i])] = arguments[i];
    for (NodeId id : g.order()) {
      if (!needed[static_cast<std::size_t>(id)]) continue;
      const Node& node = g.node(id);
      if (values.contains(key({id, 0}))) continue;  // known
      if (!node.control_inputs.empty()) return std::nullopt;
      if (node.is(OpKind::kConst)) {
        group_->constants_.push_back(node.attr("value").tensor());
        group_->source_dtypes_.push_back(group_->constants_.back().dtype());
        values[key({id, 0})] = {-1, static_cast<std::uint32_t>(group_->num_inputs_ + group_->constants_.size() - 1)};
        continue;
      }
      std::vector<Known> inputs;
      for (Value v : node.inputs) inputs.push_back(values.at(key(v)));
      if (is_alias(node)) {
        values[key({id, 0})] = inputs[0];
      } else if (node.is(OpKind::kCall)) {
        const Graph& function = *node.attr("f").func().body;
        std::optional<std::vector<Known>> results = graph(function, function.inputs, inputs, function.outputs);
        if (!results) return std::nullopt;
        for (std::size_t j = 0; j < results->size(); ++j)
          values[key({id, static_cast<std::int32_t>(j)})] = (*results)[j];
      } else if (auto block = node_block(g, node)) {
        if (!add_block(node, *block, inputs)) return std::nullopt;
        values[key({id, 0})] = last();
      } else if (auto reduction = trailing_reduction(g, node)) {
        if (!add_reduction(g, node, *reduction, inputs)) return std::nullopt;
        values[key({id, 0})] = last();
      } else {
        return std::nullopt;
      }
    }
    std::vector<Known> results;
    for (Value v : outputs) results.push_back(values.at(key(v)));
    return results;
  }

  static std::vector<char> needed_nodes(const Graph& g, const std::vector<Value>& known,
                                        const std::vector<Value>& outputs) {
    std::vector<char> needed(static_cast<std::size_t>(g.size()), 0);
    for (Value v : known) needed[static_cast<std::size_t>(v.node)] = 1;
    std::vector<NodeId> waiting;
    for (Value v : outputs) waiting.push_back(v.node);
    while (!waiting.empty()) {
      const NodeId id = waiting.back();
      waiting.pop_back();
      if (std::exchange(needed[static_cast<std::size_t>(id)], 1)) continue;
      for (Value v : g.node(id).inputs) waiting.push_back(v.node);
    }
    return needed;
  }

  Known last() const { return {static_cast<std::int32_t>(group_->steps_.size()) - 1, 0}; }

  Step& add(const Node& node, std::span<const Known> inputs) {
    Step& step = group_->steps_.emplace_back();
    step.node = &node;
    step.num_in = static_cast<std::uint32_t>(inputs.size());
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      step.maker[k] = inputs[k].step;
      step.in[k] = inputs[k].source;
    }
    return step;
  }

  // A result has the level of its step-made operands; with sources alone, the elements'.
  bool add_block(const Node& node, const NodeBlock& block, const std::vector<Known>& inputs) {
    bool element = false, kept = false, dropped = false;
    for (const Known& in : inputs) {
      if (in.step < 0) continue;
      Level level = group_->steps_[static_cast<std::size_t>(in.step)].level;
      element |= level == Level::kElement;
      kept |= level == Level::kKept;
      dropped |= level == Level::kDropped;
    }
    // A scalar combines with elements as a kept one does.
    const Shape& shape = node.outputs[0].shape;
    if (dropped && reduces_all_ && shape.has_rank() && shape.rank() > 0) {
      kept = true;
      dropped = false;
    }
    if (dropped && (element || kept)) return false;
    Level level = dropped                                     ? Level::kDropped
                  : kept && !element && has_one_per_row(node) ? Level::kKept
                                                              : Level::kElement;
    Step& step = add(node, inputs);
    step.block = block.block;
    step.dtype = block.result;
    step.level = level;
    if (level == Level::kElement) group_->cost_ += op_def(*node.op).block->cost;
    return true;
  }

  // A source next to a row value may have all elements.
  bool has_one_per_row(const Node& node) const {
    const Shape& shape = node.outputs[0].shape;
    if (!shape.has_rank() || shape.rank() < group_->reduced_axes_) return false;
    for (int i = 1; i <= group_->reduced_axes_; ++i)
      if (shape[shape.rank() - i] != 1) return false;
    return true;
  }

  bool add_reduction(const Graph& g, const Node& node, const TrailingReduction& found,
                     const std::vector<Known>& inputs) {
    if (group_->num_reductions_ && group_->reduced_axes_ != found.axes) return false;
    if (inputs[0].step >= 0 && group_->steps_[static_cast<std::size_t>(inputs[0].step)].level != Level::kElement)
      return false;
    ++group_->num_reductions_;
    group_->reduced_axes_ = found.axes;
    const Shape& reduced = g.info(node.inputs[0]).shape;
    reduces_all_ = reduced.has_rank() && reduced.rank() == found.axes;
    DType dtype = g.info(node.inputs[0]).dtype;
    Step& step = add(node, std::span(inputs).first(1));
    step.reduces = true;
    step.reduction = kernel_table().array.reduce[found.function][slot(dtype)];
    step.dtype = dtype;
    step.level = found.keep_dims ? Level::kKept : Level::kDropped;
    group_->cost_ += 0.3;
    return true;
  }

  bool place_outputs(const std::vector<Known>& results) {
    for (const Known& result : results) {
      if (result.step < 0) return false;
      Step& step = group_->steps_[static_cast<std::size_t>(result.step)];
      if (step.output >= 0) return false;  // the same value twice
      step.output = static_cast<std::int32_t>(group_->output_step_.size());
      group_->output_step_.push_back(result.step);
    }
    return true;
  }

  // In a block walk the reduction comes last and is a result, of elements that a step produces.
  bool right_reductions() const {
    if (group_->steps_.empty()) return false;
    const Step& end = group_->steps_.back();
    if (group_->num_reductions_ == 1 && end.reduces) return end.output >= 0 && end.maker[0] >= 0;
    return true;
  }

  // A step whose result only a sum reads is fused into the sum if it computes products, squares or squared differences
  // of floating-point numbers: it needs no memory then.
  void sum_pairs() {
    std::vector<Step>& steps = group_->steps_;
    std::vector<int> readers(steps.size(), 0);
    for (const Step& step : steps)
      for (std::uint32_t k = 0; k < step.num_in; ++k)
        if (step.maker[k] >= 0) ++readers[static_cast<std::size_t>(step.maker[k])];
    for (std::int32_t s : group_->output_step_) ++readers[static_cast<std::size_t>(s)];
    std::vector<char> taken(steps.size(), 0);
    // The step that produces operand k of `step`, if it computes that and nothing else reads it.
    auto made_for = [&](const Step& step, std::uint32_t k, int function) -> const Step* {
      if (step.maker[k] < 0) return nullptr;
      const auto maker = static_cast<std::size_t>(step.maker[k]);
      int reads = 0;
      for (std::uint32_t j = 0; j < step.num_in; ++j) reads += step.maker[j] == step.maker[k];
      if (!op_def(*steps[maker].node->op).computes(function) || steps[maker].level != Level::kElement ||
          readers[maker] != reads)
        return nullptr;
      taken[maker] = 1;
      return &steps[maker];
    };
    for (Step& sum : steps) {
      const auto reduction = op_def(*sum.node->op).facts.reduction;
      if (!sum.reduces || (reduction != kReduceSum && reduction != kReduceMean)) continue;
      auto kernel = [&](PairFunction f) { return kernel_table().array.pair_sum[f][slot(sum.dtype)]; };
      if (!kernel(kPairProduct)) continue;
      PairFunction function = kPairProduct;
      const Step* pair = made_for(sum, 0, id_of<functions::Mul>);
      if (!pair && (pair = made_for(sum, 0, id_of<functions::SquaredDifference>))) function = kPairSquaredDifference;
      if (!pair) pair = made_for(sum, 0, id_of<functions::Square>);
      if (!pair) continue;
      const bool square = pair->num_in == 1 || (pair->maker[0] == pair->maker[1] && pair->in[0] == pair->in[1]);
      if (function == kPairProduct && square) {
        if (const Step* difference = made_for(*pair, 0, id_of<functions::Sub>)) {
          pair = difference;
          function = kPairSquaredDifference;
        }
      }
      sum.pair_sum = kernel(function);
      sum.num_in = 2;
      for (std::uint32_t k = 0; k < 2; ++k) {
        const std::uint32_t from = k < pair->num_in ? k : 0;
        sum.maker[k] = pair->maker[from];
        sum.in[k] = pair->in[from];
      }
    }
    std::vector<std::int32_t> left;
    for (std::size_t s = 0; s < steps.size(); ++s)
      if (!taken[s]) left.push_back(static_cast<std::int32_t>(s));
    if (left.size() < steps.size()) group_->arrange(left);
  }

  std::unique_ptr<FusionGroup> group_ = std::make_unique<FusionGroup>();
  bool reduces_all_ = false;  // reductions are over all axes
};

std::unique_ptr<const FusionGroup> FusionGroup::compile(const Graph& function, const std::vector<Value>& results,
                                                        std::optional<Value> given, Parts parts) {
  return GroupCompiler().compile(function, results, given, parts);
}

}  // namespace tracefn
