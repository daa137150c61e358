// Compiles and runs traced functions.
#include "trace/concrete.h"

#include "base/check.h"
#include "base/poll.h"
#include "ops/leaked.h"
#include "spec/tensor_type.h"
#include "trace/constant_inputs.h"

namespace tracefn {

Concrete::Concrete(std::string name, std::shared_ptr<FuncGraph> graph, CallKey key, TraceTypePtr output)
    : name_(std::move(name)), graph_(std::move(graph)), key_(std::move(key)), output_(std::move(output)) {
  TRACEFN_CHECK(graph_->finished());
  num_args_ = graph_->graph()->inputs.size() - graph_->captures().size();
}

FunctionTypePtr Concrete::type() const {
  std::vector<Capture> captures;
  for (const FuncGraph::Capture& c : graph_->captures_and_constants())
    captures.push_back({static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(
                            c.outer.is_eager() ? c.outer.tensor.raw() : static_cast<const void*>(c.outer.graph.get()))),
                        TraceTypePtr(make_ref<TensorType>(c.outer.dtype(), c.outer.shape()))});
  return make_ref<FunctionType>(key_, std::move(captures), output_);
}

const Concrete::Callee& Concrete::callee() {
  std::call_once(callee_made_, [this] {
    WithoutPolls whole;
    callee_.constants = differentiable_constants(graph_->constants());
    callee_.graph = callee_.constants.empty() ? graph_->shared_graph()
                                              : with_constants_as_inputs(*graph_->graph(), callee_.constants);
  });
  return callee_;
}

const CompiledFunction& Concrete::compiled() {
  return compiled_.get(
      [this] { return std::make_unique<CompiledFunction>(graph_->shared_graph(), name_, captured_tensors()); });
}

std::vector<Tensor> Concrete::captured_tensors() const {
  std::vector<Tensor> captured;
  for (const FuncGraph::Capture& c : graph_->captures()) {
    if (!c.outer.is_eager()) leaked_tensor(c.outer, nullptr);
    captured.push_back(c.outer.tensor);
  }
  return captured;
}

void Concrete::run_only(std::vector<NodeId> nodes, std::span<Tensor> args, bool has_args) const {
  auto part = std::make_shared<Graph>(*graph_->graph());
  part->outputs.clear();
  part->control_outputs = std::move(nodes);
  for (NodeId id = 0; id < part->size(); ++id) part->node(id).control_inputs.clear();
  std::vector<char> needed(static_cast<std::size_t>(part->size()), 0);
  for (NodeId id : live_nodes(*part)) needed[static_cast<std::size_t>(id)] = 1;
  std::vector<TensorRef> refs(num_args_);
  for (std::size_t i = 0; i < num_args_; ++i) {
    if (has_args) {
      refs[i] = {&args[i], true};
    } else if (needed[static_cast<std::size_t>(part->inputs[i].node)]) {
      fail(ErrorKind::kValue, "The initial value of a Variable made in ", graph_->name(),
           " depends on an argument; call the function once before asking for a concrete function.");
    }
  }
  CompiledFunction(CompiledFunction::AsItIs{}, part, name_, captured_tensors()).run(refs, {});
}

void Concrete::visit_owned(OwnedVisitor& visitor) const {
  visitor.shared(graph_);
  visitor.shared(callee_.graph);
  compiled_.visit_owned(visitor);
}

}  // namespace tracefn
