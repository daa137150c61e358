// Compiles a function with effects into one of values, and runs that on locked variables.
#include "exec/fusion/variable_update.h"

#include <algorithm>
#include <unordered_map>

#include "exec/fusion/fusion_group_run.h"
#include "ops/op_def.h"
#include "ops/registry.h"
#include "ops/state/variable_resource.h"
#include "passes/graph_copy.h"

namespace tracefn {

class UpdateCompiler {
 public:
  explicit UpdateCompiler(const Graph& function) : function_(function) {}

  std::unique_ptr<const UpdateGroup> compile() {
    if (!add_arguments()) return nullptr;
    for (NodeId id : function_.order())
      if (!add(id)) return nullptr;
    std::vector<Value> results;
    auto result = [&](Value v) {
      auto found = std::find(results.begin(), results.end(), v);
      if (found == results.end()) found = results.insert(results.end(), v);
      return static_cast<std::uint32_t>(found - results.begin());
    };
    for (std::size_t k = 0; k < current_.size(); ++k)
      if (!(current_[k] == values_->inputs[k]))
        group_->variables_[k].result = static_cast<std::int32_t>(result(current_[k]));
    for (Value v : function_.outputs) group_->results_.push_back(result(inner_.at(v.node)));
    group_->num_results_ = results.size();
    group_->group_ = FusionGroup::compile(*values_, results);
    group_->values_ = values_;
    return group_->group_ && !group_->group_->reduces() ? std::move(group_) : nullptr;
  }

 private:
  // The variables' values, then the arguments that are no handles.
  bool add_arguments() {
    for (std::size_t i = 0; i < function_.inputs.size(); ++i) {
      const Value v = function_.inputs[i];
      if (function_.info(v).dtype != DType::kResource) continue;
      OutputInfo info;
      for (NodeId id = 0; id < function_.size() && info.dtype == DType::kInvalid; ++id) {
        const Node& node = function_.node(id);
        if (node.inputs.empty() || !(node.inputs[0] == v)) continue;
        info = op_def(*node.op).facts.reads_variable ? node.outputs[0] : function_.info(node.inputs[1]);
      }
      if (info.dtype == DType::kInvalid) return false;
      variable_of_[v.node] = group_->variables_.size();
      group_->variables_.push_back({.input = static_cast<std::uint32_t>(i), .dtype = info.dtype});
      current_.push_back(argument(info));
    }
    for (std::size_t i = 0; i < function_.inputs.size(); ++i) {
      const Value v = function_.inputs[i];
      if (variable_of_.contains(v.node)) continue;
      group_->others_.push_back(static_cast<std::uint32_t>(i));
      inner_[v.node] = argument(function_.info(v));
    }
    return true;
  }

  Value argument(const OutputInfo& info) {
    const Value made{values_->add(placeholder(info, "arg" + std::to_string(values_->inputs.size()))), 0};
    values_->inputs.push_back(made);
    return made;
  }

  bool add(NodeId id) {
    const Node& node = function_.node(id);
    if (inner_.contains(id) || variable_of_.contains(id)) return true;
    const OpFacts& facts = op_def(*node.op).facts;
    if (facts.reads_variable || facts.update) {
      auto found = variable_of_.find(node.inputs[0].node);
      if (found == variable_of_.end()) return false;
      Value& current = current_[found->second];
      if (facts.update) {
        const Value x = inner_.at(node.inputs[1].node);
        current = facts.update == VariableUpdate::kSet ? x : combined(node, current, x);
      } else {
        inner_[id] = current;
      }
      return true;
    }
    if (node.op->stateful || node.outputs.size() != 1) return false;
    Node made = node;
    for (Value& v : made.inputs) v = inner_.at(v.node);
    made.control_inputs.clear();
    inner_[id] = {values_->add(std::move(made)), 0};
    return true;
  }

  // The sum or difference that an update leaves.
  Value combined(const Node& update, Value current, Value x) {
    const bool adds = op_def(*update.op).facts.update == VariableUpdate::kAdd;
    const OpDef& op = Registry::get().at(adds ? "AddV2" : "Sub");
    Node node;
    node.op = &op.signature;
    node.name = update.name;
    node.source = update.source;
    node.inputs = {current, x};
    node.attrs.resize(op.signature.attrs.size());
    node.attrs[static_cast<std::size_t>(op.signature.attr_index("T"))] = values_->info(x).dtype;
    node.outputs.push_back(values_->info(x));
    return {values_->add(std::move(node)), 0};
  }

  const Graph& function_;
  std::shared_ptr<Graph> values_ = std::make_shared<Graph>(function_.name());
  std::unique_ptr<UpdateGroup> group_ = std::make_unique<UpdateGroup>();
  std::unordered_map<NodeId, std::size_t> variable_of_;  // by handle
  std::unordered_map<NodeId, Value> inner_;              // by node of the function, which have one output
  std::vector<Value> current_;                           // by variable: its value at this point
};

std::unique_ptr<const UpdateGroup> UpdateGroup::compile(const Graph& function) {
  return UpdateCompiler(function).compile();
}

bool UpdateGroup::run(std::span<TensorRef> inputs, std::span<Tensor> outputs, ShardRunner& shards,
                      const Node*& failed) const {
  SmallVector<VariableResource*, 4> variables;
  for (const Variable& v : variables_) {
    const Tensor& handle = *inputs[v.input].tensor;
    auto* variable = handle.rank() == 0 ? dynamic_cast<VariableResource*>(handle.object().get()) : nullptr;
    // What is updated under two names must be so in order.
    if (!variable || variable->dtype() != v.dtype ||
        std::find(variables.begin(), variables.end(), variable) != variables.end())
      return false;
    variables.push_back(variable);
  }
  SmallVector<Tensor, 4> made(num_results_);
  const std::span<Tensor> results(made.data(), made.size());
  SmallVector<Tensor, 4> before(variables.size());  // dropped when nothing is locked any more
  const auto change = [&](std::span<Tensor> values) {
    if (!compute(inputs, values, results, shards, failed)) return false;
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (variables_[k].result < 0) continue;
      before[k] = std::move(values[k]);
      values[k] = made[static_cast<std::size_t>(variables_[k].result)];
    }
    return true;
  };
  const bool ran = VariableResource::exchange_together({variables.data(), variables.size()}, change);
  if (!ran) return false;
  for (std::size_t j = 0; j < outputs.size(); ++j) outputs[j] = made[results_[j]];
  return true;
}

bool UpdateGroup::compute(std::span<TensorRef> inputs, std::span<Tensor> values, std::span<Tensor> results,
                          ShardRunner& shards, const Node*& failed) const {
  const Shape* shape = nullptr;
  SmallVector<TensorRef, 8> given;
  SmallVector<const void*, 4> memory;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const bool changes = variables_[k].result >= 0;
    if (!values[k].defined()) return false;
    if (changes && shape && !(values[k].shape() == *shape)) return false;
    if (changes) shape = &values[k].shape();
    given.push_back({&values[k], changes});
    memory.push_back(values[k].raw());
  }
  for (std::uint32_t i : others_) given.push_back(inputs[i]);
  FusionGroup::Run run(*group_, {given.data(), given.size()}, nullptr);
  if (!shape || !run.fits() || !(run.shape() == *shape)) return false;
  try {
    run.make_outputs(results);
    run.execute(shards, failed);
  } catch (...) {
    // A variable keeps a value: that of its memory.
    for (std::size_t k = 0; k < values.size(); ++k)
      for (const Tensor& result : results)
        if (!values[k].defined() && result.raw() == memory[k]) values[k] = result;
    throw;
  }
  return true;
}

}  // namespace tracefn
