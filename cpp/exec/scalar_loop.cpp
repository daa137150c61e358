// Compiling of scalar loops to steps over cells, and the interpreter.
#include "exec/scalar_loop.h"

#include <cstring>
#include <optional>

#include "base/poll.h"
#include "ops/registry.h"

namespace tracefn {
namespace {
// Calls are inlined; code past this length is not worth it.
constexpr std::size_t kMostSteps = 20'000;
}  // namespace

// Appends the code of graphs to a loop's steps. A value is either in a slot or opaque: known only by a number, and
// handed on.
class ScalarCompiler {
 public:
  std::unique_ptr<const ScalarLoop> compile(const Node& node) {
    const Graph& body = *node.attr("body").func().body;
    std::vector<Where> variables;
    for (Value v : body.inputs) variables.push_back(new_variable(body.info(v)));
    if (!while_loop(node, variables)) return nullptr;
    for (std::size_t i = 0; i < variables.size(); ++i)
      loop_->variables_.push_back({!variables[i].opaque, variables[i].slot, body.info(body.inputs[i]).dtype});
    return std::move(loop_);
  }

 private:
  using Slot = ScalarLoop::Slot;
  using Step = ScalarLoop::Step;
  using Kind = ScalarLoop::Kind;
  struct Where {
    bool opaque = false;
    Slot slot = 0;  // or the opaque value's number
    bool operator==(const Where&) const = default;
  };
  using Places = std::vector<Where>;

  static bool fits(DType dtype) { return is_plain(dtype) && size_of(dtype) <= sizeof(ScalarLoop::Cell); }

  Slot new_slot() {
    loop_->initial_.emplace_back();
    return static_cast<Slot>(loop_->initial_.size() - 1);
  }
  // A variable of unknown shape is taken for a scalar: run() looks at what comes.
  Where new_variable(const OutputInfo& info) {
    bool scalar = fits(info.dtype) && (!info.shape.has_rank() || info.shape.rank() == 0);
    return scalar ? Where{false, new_slot()} : Where{true, opaque_++};
  }
  std::uint32_t here() const { return static_cast<std::uint32_t>(loop_->steps_.size()); }
  Step& add(Kind kind) {
    loop_->steps_.emplace_back();
    loop_->steps_.back().kind = kind;
    return loop_->steps_.back();
  }
  void move(Slot from, Slot to) {
    if (from == to) return;
    Step& step = add(Kind::kMove);
    step.in[0] = from;
    step.out = to;
  }
  std::uint32_t jump(Kind kind, Slot condition = 0) {
    std::uint32_t at = here();
    add(kind).in[0] = condition;
    return at;
  }
  void land(std::uint32_t jump) { loop_->steps_[jump].target = here(); }

  // from -> to, as if all at once. False when an opaque value would change.
  bool assign(const Places& from, const Places& to) {
    std::vector<std::pair<Slot, Slot>> moves, delayed;
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (from[i].opaque || to[i].opaque) {
        if (from[i] != to[i]) return false;
        continue;
      }
      if (from[i].slot == to[i].slot) continue;
      bool is_target = false;
      for (const Where& t : to) is_target |= !t.opaque && t.slot == from[i].slot;
      if (is_target) {
        Slot saved = new_slot();
        move(from[i].slot, saved);
        delayed.emplace_back(saved, to[i].slot);
      } else {
        moves.emplace_back(from[i].slot, to[i].slot);
      }
    }
    for (auto [a, b] : moves) move(a, b);
    for (auto [a, b] : delayed) move(a, b);
    return true;
  }

  // The code of a graph; nothing when it holds something else than scalars.
  std::optional<Places> graph(const Graph& g, const Places& args) {
    if (args.size() != g.inputs.size() || loop_->steps_.size() > kMostSteps) return std::nullopt;
    std::vector<Places> places(static_cast<std::size_t>(g.size()));
    for (std::size_t i = 0; i < args.size(); ++i) places[static_cast<std::size_t>(g.inputs[i].node)] = {args[i]};
    for (NodeId id : live_nodes(g)) {
      Places& made = places[static_cast<std::size_t>(id)];
      if (!made.empty()) continue;
      const Node& n = g.node(id);
      Places inputs;
      for (Value v : n.inputs)
        inputs.push_back(places[static_cast<std::size_t>(v.node)][static_cast<std::size_t>(v.output)]);
      std::optional<Places> outputs = node(g, n, inputs);
      if (!outputs) return std::nullopt;
      made = std::move(*outputs);
    }
    Places results;
    for (Value v : g.outputs)
      results.push_back(places[static_cast<std::size_t>(v.node)][static_cast<std::size_t>(v.output)]);
    return results;
  }

  std::optional<Places> node(const Graph& g, const Node& n, Places& inputs) {
    const std::string& name = n.op->name;
    if (name == "Const") return constant(n.attr("value").tensor());
    if (name == "Identity" || name == "StopGradient") return inputs;
    if (name == "StatelessIf" || name == "If") return conditional(n, g.info(n.inputs[0]), inputs);
    if (name == "StatelessWhile" || name == "While") return inner_loop(n, inputs);
    if (name == "PartitionedCall" || name == "StatefulPartitionedCall") return graph(*n.attr("f").func().body, inputs);
    return elementwise(g, n, inputs);
  }

  std::optional<Places> constant(const Tensor& value) {
    if (value.rank() != 0 || !fits(value.dtype())) return Places{{true, opaque_++}};
    Slot slot = new_slot();
    std::memcpy(loop_->initial_[slot].bytes, value.raw(), value.bytes());
    return Places{{false, slot}};
  }

  std::optional<Places> elementwise(const Graph& g, const Node& n, const Places& inputs) {
    const OpDef& op = op_def(*n.op);
    if (!op.block || op.signature.stateful || inputs.empty() || inputs.size() > 3) return std::nullopt;
    DType dtype = g.info(n.inputs.back()).dtype;
    DType result = block_result(*op.block, dtype, op.signature, n.attrs);
    Block block = find_block(*op.block, dtype, result);
    if (!block || !fits(result)) return std::nullopt;
    for (const Where& w : inputs)
      if (w.opaque) return std::nullopt;
    Slot out = new_slot();
    Step& step = add(Kind::kBlock);
    step.block = block;
    for (std::size_t i = 0; i < inputs.size(); ++i) step.in[i] = inputs[i].slot;
    step.out = out;
    step.node = &n;
    return Places{{false, out}};
  }

  std::optional<Places> conditional(const Node& n, const OutputInfo& condition, const Places& inputs) {
    if (condition.dtype != DType::kBool || inputs[0].opaque) return std::nullopt;
    Places args(inputs.begin() + 1, inputs.end());
    std::uint32_t to_else = jump(Kind::kJumpUnless, inputs[0].slot);
    std::optional<Places> then_results = graph(*n.attr("then_branch").func().body, args);
    if (!then_results) return std::nullopt;
    Places results;
    for (const Where& w : *then_results) results.push_back(w.opaque ? w : Where{false, new_slot()});
    if (!assign(*then_results, results)) return std::nullopt;
    std::uint32_t to_end = jump(Kind::kJump);
    land(to_else);
    std::optional<Places> else_results = graph(*n.attr("else_branch").func().body, args);
    if (!else_results || !assign(*else_results, results)) return std::nullopt;
    land(to_end);
    return results;
  }

  std::optional<Places> inner_loop(const Node& n, const Places& inputs) {
    Places variables;
    for (const Where& w : inputs) variables.push_back(w.opaque ? w : Where{false, new_slot()});
    if (!assign(inputs, variables) || !while_loop(n, variables)) return std::nullopt;
    return variables;
  }

  bool while_loop(const Node& n, const Places& variables) {
    const Graph& condition = *n.attr("cond").func().body;
    std::uint32_t start = here();
    std::optional<Places> go_on = graph(condition, variables);
    if (!go_on || go_on->size() != 1 || (*go_on)[0].opaque) return false;
    if (condition.info(condition.outputs[0]).dtype != DType::kBool) return false;
    std::uint32_t to_end = jump(Kind::kJumpUnless, (*go_on)[0].slot);
    std::optional<Places> results = graph(*n.attr("body").func().body, variables);
    if (!results || results->size() != variables.size() || !assign(*results, variables)) return false;
    add(Kind::kLoop).target = start;
    land(to_end);
    return true;
  }

  std::unique_ptr<ScalarLoop> loop_ = std::make_unique<ScalarLoop>();
  Slot opaque_ = 0;
};

std::unique_ptr<const ScalarLoop> ScalarLoop::compile(const Node& loop) { return ScalarCompiler().compile(loop); }

bool ScalarLoop::run(std::span<KernelContext::Operand> inputs, std::span<Tensor> outputs, Interrupt* interrupt,
                     const Node*& failed) const {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Tensor& t = *inputs[i].tensor;
    if (variables_[i].in_slot && (t.rank() != 0 || t.dtype() != variables_[i].dtype)) return false;
  }
  std::vector<Cell> cells = initial_;
  for (std::size_t i = 0; i < variables_.size(); ++i)
    if (variables_[i].in_slot)
      std::memcpy(cells[variables_[i].slot].bytes, inputs[i].tensor->raw(), inputs[i].tensor->bytes());
  execute(cells.data(), interrupt, failed);
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    if (!variables_[i].in_slot) {
      outputs[i] = *inputs[i].tensor;
      continue;
    }
    outputs[i] = Tensor(variables_[i].dtype, Shape());
    std::memcpy(outputs[i].mutable_raw(), cells[variables_[i].slot].bytes, outputs[i].bytes());
  }
  return true;
}

void ScalarLoop::execute(Cell* cells, Interrupt* interrupt, const Node*& failed) const {
  const Step* const steps = steps_.data();
  const Step* const end = steps + steps_.size();
  Poll poll;
  for (const Step* step = steps; step != end;) {
    switch (step->kind) {
      case Kind::kBlock: {
        const void* operands[3] = {&cells[step->in[0]], &cells[step->in[1]], &cells[step->in[2]]};
        int status = step->block.run(operands, &cells[step->out], 1, 0);
        if (status != kBlockOk) {
          failed = step->node;
          check_status(status);
        }
        ++step;
        break;
      }
      case Kind::kMove:
        cells[step->out] = cells[step->in[0]];
        ++step;
        break;
      case Kind::kJump:
        step = steps + step->target;
        break;
      case Kind::kJumpUnless:
        step = cells[step->in[0]].bytes[0] ? step + 1 : steps + step->target;
        break;
      case Kind::kLoop:
        if (interrupt && poll.due()) interrupt->check();
        step = steps + step->target;
        break;
    }
  }
}

}  // namespace tracefn
