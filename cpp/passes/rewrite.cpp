// Starts the copy; the target that rules emit to.
#include "passes/rewrite.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "ir/node_name.h"
#include "ops/registry.h"

namespace tracefn {

class Rewriter::Target final : public GraphTarget {
 public:
  Target(Rewriter& rewriter, std::shared_ptr<Graph> graph) : GraphTarget(std::move(graph)), rewriter_(rewriter) {}

 protected:
  std::string scoped_name(std::string_view) override { return rewriter_.new_name(); }
  NodeId place(Node node) override {
    node.source = rewriter_.looked_at_->source;
    node.device = rewriter_.looked_at_->device;
    node.control_inputs = rewriter_.looked_at_->control_inputs;
    NodeId id = GraphTarget::place(std::move(node));
    rewriter_.made_.resize(static_cast<std::size_t>(id) + 1, 0);
    rewriter_.made_.back() = 1;
    return id;
  }

 private:
  Rewriter& rewriter_;
};

Rewriter::Scope::Scope(Rewriter& rewriter) : target_(exchange_target(rewriter.target_.get())) {}

Rewriter::Scope::~Scope() { exchange_target(target_); }

Rewriter::Rewriter(const Graph& from)
    : from_(from), order_(from.order()), arguments_(static_cast<std::size_t>(from.size()), 0) {
  for (Value v : from.inputs) arguments_[static_cast<std::size_t>(v.node)] = 1;
  // Ids match in both graphs only if they follow the order.
  for (std::size_t i = 0; i < order_.size(); ++i)
    if (order_[i] != static_cast<NodeId>(i)) {
      begin(0);
      break;
    }
}

Rewriter::~Rewriter() = default;

void Rewriter::begin(std::size_t copied) {
  copy_ = std::make_unique<GraphCopy>(from_);
  target_ = std::make_unique<Target>(*this, copy_->shared());
  for (std::size_t i = 0; i < copied; ++i) copy_->add(order_[i], copy_->moved(order_[i]));
}

Tensor Rewriter::known(Value v) {
  if (!graph().node(v.node).control_inputs.empty()) return {};  // its replacement would not run after those
  // The old graph's target only reads it.
  if (!target_)
    target_ =
        std::make_unique<Target>(*this, std::shared_ptr<Graph>(std::shared_ptr<void>(), const_cast<Graph*>(&from_)));
  return target_->constant_value(Operand(target_->shared_graph(), v));
}

Replacement Rewriter::again(const Node& node) {
  if (!copy_) return {};
  auto is_made = [&](Value v) {
    return static_cast<std::size_t>(v.node) < made_.size() && made_[static_cast<std::size_t>(v.node)];
  };
  if (std::none_of(node.inputs.begin(), node.inputs.end(), is_made)) return {};
  for (const OutputInfo& info : node.outputs)
    if (!info.shape.is_fully_known()) return again(node, node.inputs);
  return {};
}

Replacement Rewriter::again(const Node& node, const OpDef& op, const SmallVector<Value, 3>& inputs, AttrList attrs) {
  if (!copy_) return {Value{}};
  Scope scope(*this);
  Operands operands, outputs;
  for (Value v : inputs) operands.push_back(operand(v));
  const bool name_taken = name_taken_;
  try {
    target_->emit(op, operands, std::move(attrs), {}, outputs);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kValue) throw;
    name_taken_ = name_taken;  // it may never run; if it does, it reports the error itself
    return {};
  }
  Replacement values;
  for (std::size_t j = 0; j < outputs.size(); ++j) {
    values.push_back(outputs[j].value);
    if (j >= node.outputs.size()) continue;
    OutputInfo& info = copy_->to().info(outputs[j].value);
    const OutputInfo& before = node.outputs[j];
    if (info.shape.is_compatible_with(before.shape)) info.shape = merge(info.shape, before.shape);
    if (info.handle_dtype == DType::kInvalid) {
      info.handle_dtype = before.handle_dtype;
      info.handle_shape = before.handle_shape;
    }
  }
  return values;
}

Replacement Rewriter::add(const Node& node, bool infer) {
  const Node* replaced = std::exchange(looked_at_, &node);
  name_taken_ = true;
  Replacement values;
  if (infer && !node.outputs.empty()) values = again(node, node.inputs);
  if (values.empty()) {
    Node copy = node;
    copy.name = new_name();
    NodeId id = copy_->to().add(std::move(copy));
    made_.resize(static_cast<std::size_t>(id) + 1, 0);
    made_.back() = infer;
    for (std::size_t j = 0; j < node.outputs.size(); ++j) values.push_back({id, static_cast<std::int32_t>(j)});
  }
  looked_at_ = replaced;
  return values;
}

const Node& Rewriter::producer(Value v) const {
  static const Node* const barrier = [] {
    auto* node = new Node;
    node->op = &Registry::get().at("NoOp").signature;
    return node;
  }();
  const Node& node = graph().node(v.node);
  return node.control_inputs.empty() ? node : *barrier;
}

void Rewriter::put(NodeId old, const Replacement& values) {
  for (std::size_t j = 0; j < from_.node(old).outputs.size(); ++j)
    copy_->replace_output({old, static_cast<std::int32_t>(j)}, values[j]);
  if (controls_) copy_->replace_control(old, std::move(*controls_));
  controls_.reset();
}

std::shared_ptr<Graph> Rewriter::finish() { return copy_ ? copy_->finish() : nullptr; }

std::string Rewriter::new_name() {
  if (!std::exchange(name_taken_, true)) return looked_at_->name;
  if (names_.empty())
    for (NodeId id : order_) names_.insert(from_.node(id).name);
  std::string name = internal_name(shown_name(looked_at_->name), std::to_string(copy_->to().size()));
  while (!names_.insert(name).second) name += '_';
  return name;
}

}  // namespace tracefn
