// Forward-backward pairs of programs, and their calls.
#include "autodiff/call_gradient.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "autodiff/body_gradient.h"
#include "autodiff/saved_values.h"
#include "autodiff/tape.h"
#include "base/check.h"
#include "ops/leaked.h"
#include "ops/node_kinds.h"
#include "ops/registry.h"
#include "trace/constant_inputs.h"

namespace tracefn {
namespace {

// Rounds until a pair for higher orders needs nothing more; two are usual.
constexpr int kMostRounds = 32;

// A forward graph that returns the values its backward graph needs.
struct Pair {
  std::unique_ptr<const CompiledFunction> forward;
  std::size_t num_results = 0;  // the function's own; the others are saved values
  std::shared_ptr<const Graph> backward;
  CompiledOnce backward_compiled;
  std::vector<std::size_t> dy_outputs;
  // The sources of the backward graph's inputs after the dys.
  struct Saved {
    enum Kind : std::uint8_t { kInput, kOutput, kOutside } kind;
    std::size_t index = 0;
    Operand outside = {};
  };
  std::vector<Saved> saved;
  std::vector<std::size_t> constants;  // which of the function's constants are arguments of `forward`, after its own
  // The backward graph's results: for each source with a gradient one tensor, or the three of IndexedSlices.
  struct Given {
    std::size_t source;
    bool indexed_slices;
  };
  std::vector<Given> given;

  void visit_owned(OwnedVisitor& visitor) const {
    forward->visit_owned(visitor);
    visitor.shared(backward);
    backward_compiled.visit_owned(visitor);
    for (const Saved& value : saved) value.outside.visit_owned(visitor);
  }
};

struct PairKey {
  std::vector<char> tracked;
  bool higher = false;
  auto operator<=>(const PairKey&) const = default;
};

// The cache that a graph owns.
struct Pairs final : Derived::Kept {
  mutable std::mutex mutex;
  std::map<PairKey, std::shared_ptr<Pair>> by_key;

  // Never blocks on a thread that may wait for the lock that the caller holds.
  void visit_owned(OwnedVisitor& visitor) const override {
    std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock) return;
    for (const auto& [key, pair] : by_key) visitor.shared(pair);
  }
};

class PairBuilder {
 public:
  PairBuilder(const Graph& body, std::string name, std::vector<Value> sources)
      : body_(body), name_(std::move(name)), sources_(std::move(sources)), pair_(std::make_shared<Pair>()) {}

  // With `higher`, gradients of the saved values can be taken too, so that they are saved in turn.
  std::shared_ptr<Pair> build(bool higher) {
    pair_->num_results = body_.outputs.size();
    BodyGradient g;
    for (int round = 0;; ++round) {
      if (round == kMostRounds) fail(ErrorKind::kInternal, "The gradient of ", name_, " needs ever more values.");
      g = differentiate(round ? *g.forward : body_);
      if (!save(g) || !higher) break;
    }
    finish(g);
    return pair_;
  }

 private:
  BodyGradient differentiate(const Graph& graph) {
    pair_->dy_outputs.clear();
    auto shared = std::make_shared<Graph>(graph);
    for (std::size_t j = 0; j < graph.outputs.size(); ++j)
      if (is_differentiable(Operand(shared, graph.outputs[j])) &&
          graph.info(graph.outputs[j]).dtype != DType::kResource)
        pair_->dy_outputs.push_back(j);
    BodyGradient g =
        differentiate_body(graph, sources_, pair_->dy_outputs, derived_name("__backward_" + name_, "grad"));
    TapePause pause;
    TargetScope scope(*g.backward);
    pair_->given.clear();
    for (std::size_t k = 0; k < sources_.size(); ++k) {
      const Gradient& gradient = g.gradients[k];
      if (!gradient.defined()) continue;
      g.backward->add_output(gradient.values);
      if (gradient.is_indexed_slices()) {
        g.backward->add_output(gradient.indices);
        g.backward->add_output(gradient.dense_shape);
      }
      pair_->given.push_back({k, gradient.is_indexed_slices()});
    }
    return g;
  }

  // Decides the source of each capture. True if the forward graph got further results.
  bool save(BodyGradient& g) {
    pair_->saved.clear();
    arguments_.clear();
    bool more = false;
    Graph& forward = *g.forward;
    auto at_hand = [&](Value v) { return input_index(forward, v) >= 0 || output_index(forward, v) >= 0; };
    for (const FuncGraph::Capture& capture : choose_saved(g.forward, *g.backward, at_hand)) {
      arguments_.push_back(capture.inner);
      if (capture.outer.graph != g.forward) {
        if (!capture.outer.is_eager()) leaked_tensor(capture.outer, g.forward.get());
        pair_->saved.push_back({Pair::Saved::kOutside, 0, capture.outer});
        continue;
      }
      Value value = behind_identity(forward, capture.outer.value);
      if (std::int64_t i = input_index(forward, value); i >= 0) {
        pair_->saved.push_back({Pair::Saved::kInput, static_cast<std::size_t>(i)});
        continue;
      }
      std::int64_t j = output_index(forward, value);
      if (j < 0) {
        j = static_cast<std::int64_t>(forward.outputs.size());
        forward.outputs.push_back(value);
        more = true;
      }
      pair_->saved.push_back({Pair::Saved::kOutput, static_cast<std::size_t>(j)});
    }
    return more;
  }

  void finish(BodyGradient& g) {
    g.backward->finish_with(arguments_);
    pair_->backward = g.backward->shared_graph();
    pair_->forward = std::make_unique<CompiledFunction>(g.forward, derived_name("__forward_" + name_, "grad"));
  }

  const Graph& body_;
  std::string name_;
  std::vector<Value> sources_;
  std::shared_ptr<Pair> pair_;
  std::vector<Value> arguments_;  // of the backward graph, after the dys
};

std::vector<Operand> run_eagerly(const CompiledFunction& function, std::span<const Operand> inputs) {
  std::vector<TensorRef> args;
  for (const Operand& in : inputs) args.push_back(borrowed(in.tensor));
  std::vector<Tensor> results(function.num_results());
  function.run(args, results);
  std::vector<Operand> outputs;
  for (Tensor& t : results) outputs.emplace_back(std::move(t));
  return outputs;
}

// The gradient rule of a recorded call: a call of the backward graph.
class CallRule final : public GradientRule {
 public:
  // `related` says which inputs get zeros if no gradient flows. Without a pair there is nothing else.
  CallRule(std::shared_ptr<Pair> pair, std::vector<char> related)
      : pair_(std::move(pair)), related_(std::move(related)) {}

  void visit_owned(OwnedVisitor& visitor) const override { visitor.shared(pair_); }
  void differentiate(GradContext& c) override {
    if (!pair_) return zeros_to_related(c);
    std::vector<Operand> inputs;
    for (std::size_t j : pair_->dy_outputs) inputs.push_back(c.dy(j));
    for (const Pair::Saved& saved : pair_->saved) {
      if (saved.kind == Pair::Saved::kInput) inputs.push_back(c.input(saved.index));
      if (saved.kind == Pair::Saved::kOutput) inputs.push_back(c.output(saved.index));
      if (saved.kind == Pair::Saved::kOutside) inputs.push_back(saved.outside);
    }
    std::vector<Operand> results;
    if (std::all_of(inputs.begin(), inputs.end(), [](const Operand& x) { return x.is_eager(); }) &&
        current_target().is_eager()) {
      results = call_under_tapes(
          pair_->backward, pair_->backward->name(), inputs, {},
          [&]() -> const CompiledFunction& {
            return pair_->backward_compiled.get(
                [&] { return std::make_unique<CompiledFunction>(pair_->backward, pair_->backward->name()); });
          },
          forward_inputs(c));
    } else {
      results = emit_call(inputs);
    }
    std::size_t next = 0;
    for (const Pair::Given& given : pair_->given) {
      if (given.indexed_slices) {
        c.to_input(given.source, Gradient(results[next], results[next + 1], results[next + 2]));
      } else {
        c.to_input(given.source, results[next]);
      }
      next += given.indexed_slices ? 3 : 1;
    }
    zeros_to_related(c);
  }

 private:
  void zeros_to_related(GradContext& c) const {
    for (std::size_t i = 0; i < c.num_inputs(); ++i)
      if (related_[i] && c.wanted(i) && !c.results()[i].defined()) c.to_input(i, zero_gradient(c.input(i)));
  }

  // A call recorded eagerly, differentiated while a function is traced.
  std::vector<Operand> emit_call(const std::vector<Operand>& inputs) const {
    const Graph& body = *pair_->backward;
    const OpDef& op = Registry::get().at(body.control_outputs.empty() ? "PartitionedCall" : "StatefulPartitionedCall");
    AttrList attrs(op.signature.attrs.size());
    std::vector<DType> types;
    for (Value v : body.outputs) types.push_back(body.info(v).dtype);
    attrs[static_cast<std::size_t>(op.signature.attr_index("Tout"))] = std::move(types);
    attrs[static_cast<std::size_t>(op.signature.attr_index("f"))] = FuncRef{body.name(), pair_->backward};
    Operands outputs;
    emit(op, inputs, std::move(attrs), outputs);
    return {outputs.begin(), outputs.end()};
  }

  // As in TensorFlow, a gradient depends on its input, even where it is constant.
  std::vector<Operand> forward_inputs(const GradContext& c) const {
    std::vector<Operand> inputs;
    for (const Pair::Given& given : pair_->given)
      if (c.input(given.source).dtype() != DType::kVariant) inputs.push_back(c.input(given.source));
    return inputs;
  }

  std::shared_ptr<Pair> pair_;
  std::vector<char> related_;
};

std::shared_ptr<Pair> pair_for(const Graph& body, const std::string& name, const PairKey& key,
                               std::span<const FuncGraph::Capture> constants) {
  std::shared_ptr<Pairs> kept = body.derived().find<Pairs>();
  if (!kept) kept = body.derived().keep(std::make_shared<Pairs>());
  Pairs& pairs = *kept;
  {
    std::lock_guard lock(pairs.mutex);
    if (auto found = pairs.by_key.find(key); found != pairs.by_key.end()) return found->second;
  }
  // Built without the lock: a gradient rule may call into the host language. Of several results the first one is kept.
  std::vector<Value> sources = body.inputs;
  for (const FuncGraph::Capture& c : constants) sources.push_back(c.inner);
  // Sources that no tape tracks are moved out: the backward function does not need them.
  std::vector<Value> tracked;
  // For higher orders the backward graph must not hold them as constants.
  std::vector<std::size_t> of_tracked, constants_tracked;
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (key.tracked[i]) {
      tracked.push_back(sources[i]);
      of_tracked.push_back(i);
      if (i >= body.inputs.size()) constants_tracked.push_back(i - body.inputs.size());
    }
  if (!key.higher) constants_tracked.clear();
  std::shared_ptr<Graph> with_inputs;
  if (!constants_tracked.empty()) {
    std::vector<FuncGraph::Capture> as_inputs;
    for (std::size_t k : constants_tracked) as_inputs.push_back(constants[k]);
    with_inputs = with_constants_as_inputs(body, as_inputs);
  }
  std::shared_ptr<Pair> made = PairBuilder(with_inputs ? *with_inputs : body, name, tracked).build(key.higher);
  for (Pair::Given& given : made->given) given.source = of_tracked[given.source];
  const std::size_t num_inputs = body.inputs.size();
  for (Pair::Saved& saved : made->saved)
    if (saved.kind == Pair::Saved::kInput && saved.index >= num_inputs)
      saved.index = num_inputs + constants_tracked[saved.index - num_inputs];
  made->constants = std::move(constants_tracked);
  std::lock_guard lock(pairs.mutex);
  return pairs.by_key.emplace(key, std::move(made)).first->second;
}

// Whether higher-order gradients are possible: several tapes record, or one that can be used inside its context.
bool wants_higher(const ActiveTapes& tapes, std::span<const Operand> tracked) {
  std::size_t listening = 0;
  for (const auto& tape : tapes.tapes()) {
    bool tracks = std::any_of(tracked.begin(), tracked.end(), [&](const Operand& x) { return tape->tracks(x); });
    if (tracks) listening += tape->persistent() ? 2 : 1;
  }
  return listening > 1;
}

}  // namespace

std::vector<Operand> call_under_tapes(const std::shared_ptr<const Graph>& body, const std::string& name,
                                      std::span<const Operand> inputs, std::span<const FuncGraph::Capture> constants,
                                      const std::function<const CompiledFunction&()>& compiled,
                                      std::span<const Operand> related) {
  ActiveTapes& tapes = ActiveTapes::of_thread();
  std::vector<Operand> outputs;
  std::vector<Operand> all(inputs.begin(), inputs.end());
  for (const FuncGraph::Capture& c : constants) all.push_back(c.outer);
  PairKey key;
  std::vector<Operand> tracked;
  if (tapes.listening()) {
    for (const Operand& in : inputs)
      if (in.dtype() == DType::kResource) tapes.variable_accessed(in);
    for (const Operand& x : all) {
      key.tracked.push_back(tapes.track(x));
      if (key.tracked.back()) tracked.push_back(x);
    }
  }
  std::vector<char> is_related(all.size(), 0);
  if (tapes.listening())
    for (const Operand& x : related) {
      if (!tapes.track(x)) continue;
      std::size_t i = 0;
      while (i < all.size() && TensorIdentity(all[i]) != TensorIdentity(x)) ++i;
      if (i == all.size()) {
        all.push_back(x);
        is_related.push_back(1);
      }
      is_related[i] = 1;
    }
  if (tracked.empty()) {
    const CompiledFunction& function = compiled();
    outputs = run_eagerly(function, inputs.first(function.num_args()));
    if (all.size() > key.tracked.size())
      tapes.record(nullptr, {}, all, outputs, make_ref<CallRule>(nullptr, is_related));
    return outputs;
  }
  key.higher = wants_higher(tapes, tracked);
  std::shared_ptr<Pair> pair = pair_for(*body, name, key, constants);
  std::vector<Operand> args(inputs.begin(), inputs.end());
  for (std::size_t k : pair->constants) args.push_back(constants[k].outer);
  {
    TapePause pause;
    outputs = run_eagerly(*pair->forward, args);
  }
  tapes.record(nullptr, {}, all, outputs, make_ref<CallRule>(pair, is_related));
  outputs.resize(pair->num_results);
  return outputs;
}

}  // namespace tracefn
