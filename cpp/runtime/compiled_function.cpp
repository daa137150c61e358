// Compiles graphs, and runs them with their captures.
#include "runtime/compiled_function.h"

#include "base/check.h"
#include "exec/placement.h"
#include "passes/pass.h"

namespace tracefn {
namespace {

std::shared_ptr<const Program> optimized_program(std::shared_ptr<const Graph> graph, const std::string& name) {
  check_placement(*graph, name);
  return Program::compile(optimize(std::move(graph)), name);
}

}  // namespace

CompiledFunction::CompiledFunction(std::shared_ptr<const Graph> graph, const std::string& name,
                                   std::vector<Tensor> captured)
    : program_(optimized_program(std::move(graph), name)), state_(*program_), captured_(std::move(captured)) {
  TRACEFN_CHECK(captured_.size() <= program_->num_arguments());
}

CompiledFunction::CompiledFunction(AsItIs, std::shared_ptr<const Graph> graph, const std::string& name,
                                   std::vector<Tensor> captured)
    : program_(Program::compile(std::move(graph), name)), state_(*program_), captured_(std::move(captured)) {
  TRACEFN_CHECK(captured_.size() <= program_->num_arguments());
}

void CompiledFunction::run(std::span<const TensorRef> args, std::span<Tensor> results) const {
  TRACEFN_CHECK(args.size() == num_args());
  SmallVector<TensorRef, 16> all;
  if (!captured_.empty()) {
    all.reserve(program_->num_arguments());
    for (const TensorRef& arg : args) all.push_back(arg);
    for (const Tensor& t : captured_) all.push_back(borrowed(t));
    args = {all.data(), all.size()};
  }
  const Node* failed = nullptr;
  try {
    tracefn::run(*program_, args, results, state_, failed);
  } catch (const Error& e) {
    rethrow_with_place(e, failed, program_->name());
  }
}

}  // namespace tracefn
