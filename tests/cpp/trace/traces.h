// Functions traced in C++, and tensors and variables for them to use.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "check.h"
#include "exec/graphs.h"
#include "ops/state/variable_resource.h"
#include "trace/func_graph.h"

namespace tracefn::test {

// A graph being traced: ops go to it while this lives. It starts inside the one being traced now.
class Trace {
 public:
  explicit Trace(const std::string& name = "f", bool is_function = true)
      : graph_(std::make_shared<FuncGraph>(name, current_func_graph(), is_function)), scope_(*graph_) {}

  Operand input(DType dtype, Shape shape, const std::string& name = "x") {
    return Operand(graph_->shared_graph(), graph_->add_input(dtype, std::move(shape), name));
  }
  FuncGraph* operator->() const { return graph_.get(); }
  FuncGraph& operator*() const { return *graph_; }
  const std::shared_ptr<FuncGraph>& shared() const { return graph_; }
  const std::shared_ptr<Graph>& graph() const { return graph_->shared_graph(); }
  const Node& node(const Operand& x) const { return graph()->node(x.value.node); }

 private:
  std::shared_ptr<FuncGraph> graph_;
  TargetScope scope_;
};

// The body made by make_outputs(Args&), traced inside the current graph; finished.
template <typename F>
std::shared_ptr<FuncGraph> traced(const std::string& name, const ArgTypes& inputs, F make_outputs) {
  Trace trace(name);
  Args args;
  for (const auto& [dtype, shape] : inputs) args.push_back(trace.input(dtype, shape));
  for (const Operand& out : make_outputs(args)) trace->add_output(out);
  trace->finish();
  return trace.shared();
}

// Its call, from the graph being traced: the arguments, then what it captured.
inline Operands call(const FuncGraph& f, std::vector<Operand> args) {
  std::vector<DType> types;
  for (Value v : f.graph()->outputs) types.push_back(f.graph()->info(v).dtype);
  for (const FuncGraph::Capture& c : f.captures()) args.push_back(c.outer);
  return emit_all(f.has_effects() ? "StatefulPartitionedCall" : "PartitionedCall", args,
                  {{"f", FuncRef{f.name(), f.shared_graph()}}, {"Tout", types}});
}

inline Tensor f64(double value) { return Tensor::scalar(value); }
inline Tensor doubles(const std::vector<double>& values) { return Tensor::vector(std::span<const double>(values)); }
inline const std::pair<DType, Shape> kDouble{DType::kDouble, Shape()};

// A trainable variable, with its value.
inline Operand variable(const Tensor& value) {
  Operand handle = emit1("VarHandleOp", {}, {{"dtype", value.dtype()}, {"shape", value.shape()}});
  static_cast<VariableResource&>(*handle.tensor.object()).set_trainable(true);
  Operand assign[] = {handle, value};
  emit_all("AssignVariableOp", assign);
  return handle;
}
inline Operand read(const Operand& handle, DType dtype) {
  return emit1("ReadVariableOp", {handle}, {{"dtype", dtype}});
}

}  // namespace tracefn::test
