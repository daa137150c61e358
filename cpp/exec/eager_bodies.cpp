// The cache of bodies that eager control flow has met lately.
#include "exec/eager_bodies.h"

#include <deque>

#include "base/check.h"
#include "exec/executor.h"

namespace tracefn {

struct EagerBodies::Compiled {
  explicit Compiled(const FuncRef& f) : program(Program::compile(f.body, f.name)), state(*program) {}
  std::shared_ptr<const Program> program;
  ProgramState state;
};

namespace {

// A program keeps its graph alive; few, so that a dropped function's memory comes back soon.
constexpr std::size_t kMostKept = 16;

std::shared_ptr<EagerBodies::Compiled> compiled(const FuncRef& f) {
  static std::mutex mutex;
  static auto* kept = new std::deque<std::shared_ptr<EagerBodies::Compiled>>();
  TRACEFN_CHECK(f.body);
  // Destroyed after the lock is given back: dropping a graph may call into the host language.
  std::shared_ptr<EagerBodies::Compiled> dropped;
  std::lock_guard lock(mutex);
  for (const auto& body : *kept)
    if (&body->program->graph() == f.body.get()) return body;
  kept->push_back(std::make_shared<EagerBodies::Compiled>(f));
  auto made = kept->back();
  if (kept->size() > kMostKept) {
    dropped = std::move(kept->front());
    kept->pop_front();
  }
  return made;
}

HeardBodies heard_bodies = nullptr;

}  // namespace

void set_heard_bodies(HeardBodies runner) { heard_bodies = runner; }

bool run_heard_bodies(const OpDef& op, std::span<const Operand> inputs, const AttrList& attrs, Operands& outputs) {
  return heard_bodies && heard_bodies(op, inputs, attrs, outputs);
}

EagerBodies::EagerBodies(const AttrList& attrs) {
  for (const Attr& attr : attrs) {
    if (attr.kind() == Attr::Kind::kFunc) bodies_.push_back(compiled(attr.func()));
    if (attr.kind() == Attr::Kind::kFuncs)
      for (const FuncRef& f : attr.funcs()) bodies_.push_back(compiled(f));
  }
}

void EagerBodies::run(std::size_t index, std::span<Tensor> args, std::vector<Tensor>& results) {
  TRACEFN_CHECK(index < bodies_.size());
  Compiled& body = *bodies_[index];
  if (body.program->num_arguments() != args.size())
    invalid_argument("Function ", body.program->name(), " takes ", body.program->num_arguments(),
                     " arguments, but was called with ", args.size(), ".");
  run_plainly(*body.program, args, results, body.state);
}

void EagerBodies::run_shared(std::size_t index, std::span<const Tensor> args, std::vector<Tensor>& results) {
  SmallVector<Tensor, 8> copies(args.begin(), args.end());
  run(index, std::span(copies.data(), copies.size()), results);
}

}  // namespace tracefn
