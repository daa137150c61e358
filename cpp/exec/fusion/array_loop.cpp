// Recognizes array loops; sets up their operands and results.
#include "exec/fusion/array_loop.h"

#include <algorithm>

#include "ops/control/counted_loop.h"

namespace tracefn {

std::unique_ptr<const ArrayLoop> ArrayLoop::compile(const Node& node) {
  const Graph& body = *node.attr("body").func().body;
  if (!is_counted(node) || !body.control_outputs.empty()) return nullptr;
  auto loop = std::make_unique<ArrayLoop>();
  std::vector<Value> results;
  for (std::uint32_t i = 2; i < body.outputs.size(); ++i) {
    if (body.outputs[i] == body.inputs[i]) continue;
    loop->changing_.push_back(i);
    results.push_back(body.outputs[i]);
  }
  loop->group_ = FusionGroup::compile(body, results);
  if (!loop->group_ || loop->group_->reads(0) || loop->group_->reads(1)) return nullptr;
  return loop;
}

bool ArrayLoop::run(std::span<TensorRef> inputs, std::span<Tensor> outputs, ShardRunner& shards,
                    const Node*& failed) const {
  const std::int64_t done = inputs[0].tensor->item<std::int64_t>(), all = inputs[1].tensor->item<std::int64_t>();
  if (all > done) {
    SmallVector<Tensor, 4> results(changing_.size());
    const FusionGroup::Iterations iterations{.number = all - done, .changing = changing_};
    if (!group_->run_iterations(inputs, {results.data(), results.size()}, shards, failed, &iterations)) return false;
    for (std::size_t j = 0; j < changing_.size(); ++j) outputs[changing_[j]] = std::move(results[j]);
  }
  for (std::size_t i = 1; i < inputs.size(); ++i)
    if (all <= done || std::find(changing_.begin(), changing_.end(), i) == changing_.end())
      outputs[i] = *inputs[i].tensor;
  outputs[0] = Tensor::scalar(std::max(done, all));
  return true;
}

}  // namespace tracefn
