// Graphs for the tests of the executor, made through GraphTarget.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exec/executor.h"
#include "ops/build.h"
#include "ops/graph_target.h"
#include "ops/registry.h"
#include "passes/pass_options.h"

namespace tracefn::test {

// Builds a graph: construct, emit inside its scope, name the outputs, take graph().
class GraphMaker {
 public:
  explicit GraphMaker(std::string name = "f")
      : graph_(std::make_shared<Graph>(std::move(name))), target_(graph_), scope_(target_) {}

  Operand input(DType dtype, Shape shape, const std::string& name = "x") {
    Operands outputs;
    emit(Registry::get().at("Placeholder"), {}, {Attr(dtype), Attr(std::move(shape))}, outputs, name);
    graph_->inputs.push_back(outputs[0].value);
    return outputs[0];
  }
  void output(const Operand& value) { graph_->outputs.push_back(value.value); }
  GraphTarget& target() { return target_; }
  const std::shared_ptr<Graph>& graph() { return graph_; }

 private:
  std::shared_ptr<Graph> graph_;
  GraphTarget target_;
  TargetScope scope_;
};

using Args = std::vector<Operand>;
using ArgTypes = std::vector<std::pair<DType, Shape>>;

// The graph of make_outputs(Args&), which gives Args.
template <typename F>
FuncRef function(const std::string& name, const ArgTypes& inputs, F make_outputs) {
  GraphMaker make(name);
  Args args;
  for (const auto& [dtype, shape] : inputs) args.push_back(make.input(dtype, shape));
  for (const Operand& out : make_outputs(args)) make.output(out);
  return {name, make.graph()};
}

// Moves the arguments in; errors are as users see them.
inline void run(const Program& program, std::span<Tensor> args, std::vector<Tensor>& results, ProgramState& state) {
  std::vector<TensorRef> refs;
  for (Tensor& t : args) refs.push_back({&t, true});
  results.resize(program.num_results());
  const Node* failed = nullptr;
  try {
    tracefn::run(program, refs, results, state, failed);
  } catch (const Error& e) {
    rethrow_with_place(e, failed, program.name());
  }
}

inline std::vector<Tensor> run_graph(const std::shared_ptr<Graph>& graph, std::vector<Tensor> args) {
  auto program = Program::compile(graph);
  ProgramState state(*program);
  std::vector<Tensor> results;
  run(*program, args, results, state);
  return results;
}

// All passes, with the verifier between them.
inline constexpr PassOptions kVerified{.off = 0, .min_graph_nodes = 0, .verified = true};

inline Tensor f32(float value) { return Tensor::scalar(value); }
inline Tensor i32(std::int32_t value) { return Tensor::scalar(value); }
inline Operand number(std::int32_t value) { return build::constant(i32(value)); }
inline const std::pair<DType, Shape> kInt{DType::kInt32, Shape()}, kFloat{DType::kFloat, Shape()};

}  // namespace tracefn::test
