// Runs such an op as the call of a graph with this one node: then tapes record the call, with its backward function.
#include "autodiff/recorded_bodies.h"

#include <memory>

#include "autodiff/body_gradient.h"
#include "autodiff/call_gradient.h"
#include "autodiff/tape.h"
#include "base/kept_few.h"
#include "exec/eager.h"
#include "exec/eager_bodies.h"
#include "ops/graph_target.h"

namespace tracefn {
namespace {

// Each keeps the graphs of its functions alive; only a few, so that a dropped function's memory is freed soon.
constexpr std::size_t kMostKept = 16;

struct Wrapped {
  const OpDef* op;
  AttrList attrs;
  std::shared_ptr<const Graph> graph;

  bool serves(const OpDef& wanted, std::span<const Operand> inputs, const AttrList& wanted_attrs) const {
    if (op != &wanted || graph->inputs.size() != inputs.size() || !(attrs == wanted_attrs)) return false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const OutputInfo &info = graph->info(graph->inputs[i]), given = info_of(inputs[i]);
      if (info.dtype != given.dtype || !(info.shape == given.shape) || info.handle_dtype != given.handle_dtype ||
          !(info.handle_shape == given.handle_shape))
        return false;
    }
    return true;
  }
};

std::shared_ptr<const Graph> wrap(const OpDef& op, std::span<const Operand> inputs, const AttrList& attrs) {
  TapePause pause;
  auto graph = std::make_shared<Graph>(derived_name(op.name(), "eager"));
  Operands arguments, outputs;
  for (const Operand& in : inputs) {
    graph->inputs.push_back(add_argument(*graph, info_of(in), "x"));
    arguments.emplace_back(graph, graph->inputs.back());
  }
  GraphTarget target(graph);
  target.emit(op, std::span<const Operand>(arguments.data(), arguments.size()), attrs, "", outputs);
  for (const Operand& out : outputs) graph->outputs.push_back(out.value);
  if (op.signature.stateful) graph->control_outputs.push_back(graph->size() - 1);
  return graph;
}

std::shared_ptr<const Graph> wrapped(const OpDef& op, std::span<const Operand> inputs, const AttrList& attrs) {
  static auto* kept = new KeptFew<const Wrapped>(kMostKept);
  return kept
      ->find_or_make([&](const Wrapped& known) { return known.serves(op, inputs, attrs); },
                     [&] {
                       return std::make_shared<const Wrapped>(Wrapped{&op, attrs, wrap(op, inputs, attrs)});
                     })
      ->graph;
}

}  // namespace

bool record_bodies(const OpDef& op, std::span<const Operand> inputs, const AttrList& attrs, Operands& outputs) {
  ActiveTapes& tapes = ActiveTapes::of_thread();
  if (op.grad == not_differentiable || !tapes.listening()) return false;
  bool tracked = false;
  for (const Operand& in : inputs) {
    if (in.dtype() == DType::kResource) tapes.variable_accessed(in);
    tracked = tracked || tapes.track(in);
  }
  if (!tracked) return false;
  std::shared_ptr<const Graph> graph = wrapped(op, inputs, attrs);
  auto never = []() -> const CompiledFunction& { fail(ErrorKind::kInternal, "A tape tracks an input."); };
  std::vector<Operand> results = call_under_tapes(graph, op.name(), inputs, {}, never);
  outputs.clear();
  for (Operand& result : results) outputs.push_back(std::move(result));
  return true;
}

}  // namespace tracefn
