// The cache of bodies that eager control flow ran recently.
#include "exec/eager_bodies.h"

#include "base/check.h"
#include "base/kept_few.h"
#include "base/poll.h"
#include "exec/executor.h"
#include "ir/functions_of.h"

namespace tracefn {

struct EagerBodies::Compiled {
  explicit Compiled(const FuncRef& f) : program(Program::compile(f.body, f.name)), state(*program) {}
  std::shared_ptr<const Program> program;
  ProgramState state;
};

namespace {

// A program keeps its graph alive; only a few, so that a dropped function's memory is freed soon.
constexpr std::size_t kMostKept = 16;

std::shared_ptr<EagerBodies::Compiled> compiled(const FuncRef& f) {
  static auto* kept = new KeptFew<EagerBodies::Compiled>(kMostKept);
  TRACEFN_CHECK(f.body);
  WithoutPolls whole;  // the cache is locked
  return kept->find_or_make([&](const EagerBodies::Compiled& known) { return &known.program->graph() == f.body.get(); },
                            [&] { return std::make_shared<EagerBodies::Compiled>(f); });
}

RecordedBodies recorded_bodies = nullptr;

}  // namespace

RecordedBodies set_recorded_bodies(RecordedBodies runner) { return std::exchange(recorded_bodies, runner); }

bool run_recorded_bodies(const OpDef& op, std::span<const Operand> inputs, const AttrList& attrs, Operands& outputs) {
  return recorded_bodies && recorded_bodies(op, inputs, attrs, outputs);
}

EagerBodies::EagerBodies(const AttrList& attrs) {
  for_each_function(attrs, [&](const FuncRef& f) { bodies_.push_back(compiled(f)); });
}

void EagerBodies::run(std::size_t index, std::span<const TensorRef> args, std::vector<Tensor>& results) {
  TRACEFN_CHECK(index < bodies_.size());
  Compiled& body = *bodies_[index];
  if (body.program->num_arguments() != args.size())
    invalid_argument("Function ", body.program->name(), " takes ", body.program->num_arguments(),
                     " arguments, but was called with ", args.size(), ".");
  results.resize(body.program->num_results());
  const Node* failed = nullptr;
  tracefn::run(*body.program, args, results, body.state, failed);
}

}  // namespace tracefn
