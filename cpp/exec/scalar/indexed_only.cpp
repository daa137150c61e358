// Walks over uses, into bodies.
#include "exec/scalar/indexed_only.h"

#include "ops/node_kinds.h"

namespace tracefn {
namespace {

enum class Use : std::uint8_t { kNone, kByIndex, kOther };

Use both(Use a, Use b) { return a > b ? a : b; }

bool is_constant(const Graph& g, Value v) { return g.node(behind_identity(g, v).node).is(OpKind::kConst); }

Use use_of(const Graph& g, Value v, int depth);

Use use_by(const Graph& g, const Node& n, std::size_t operand, int depth) {
  switch (n.op->kind) {
    case OpKind::kLoop:
      return both(use_of(*n.attr("cond").func().body, n.attr("cond").func().body->inputs[operand], depth),
                  use_of(*n.attr("body").func().body, n.attr("body").func().body->inputs[operand], depth));
    case OpKind::kConditional:
    case OpKind::kCase: {
      if (operand == 0) return Use::kOther;
      Use use = Use::kNone;
      for (const Graph* branch : branches_of(n)) use = both(use, use_of(*branch, branch->inputs[operand - 1], depth));
      return use;
    }
    case OpKind::kCall:
      return use_of(*n.attr("f").func().body, n.attr("f").func().body->inputs[operand], depth);
    case OpKind::kListUnstack:
      return Use::kByIndex;
    default:
      break;
  }
  const Indexing indexing = op_def(*n.op).facts.indexing;
  if (operand != 0 || indexing == Indexing::kNone) return Use::kOther;
  return is_constant(g, n.inputs[1]) ? Use::kNone : Use::kByIndex;  // a constant index does for either
}

Use use_of(const Graph& g, Value v, int depth) {
  constexpr int kDeepest = 16;
  if (depth > kDeepest) return Use::kOther;
  Use use = Use::kNone;
  for (NodeId id : live_nodes(g)) {
    const Node& n = g.node(id);
    for (std::size_t k = 0; k < n.inputs.size() && use != Use::kOther; ++k) {
      if (!(n.inputs[k] == v)) continue;
      // What an update or an identity makes is used in the same way.
      const bool again = k == 0 && (is_alias(n) || op_def(*n.op).facts.indexing == Indexing::kUpdates);
      if (!is_alias(n)) use = both(use, use_by(g, n, k, depth + 1));
      if (again) use = both(use, use_of(g, {id, 0}, depth + 1));
      if (is_alias(n) && k != 0) use = Use::kOther;
    }
  }
  return use;
}

}  // namespace

bool indexed_only(const Node& loop, std::size_t i) {
  const Graph &condition = *loop.attr("cond").func().body, &body = *loop.attr("body").func().body;
  return both(use_of(condition, condition.inputs[i], 0), use_of(body, body.inputs[i], 0)) == Use::kByIndex;
}

std::optional<std::size_t> state_of(const Graph& graph, Value v) {
  for (;;) {
    for (std::size_t i = 0; i < graph.inputs.size(); ++i)
      if (graph.inputs[i] == v) return i;
    const Node& n = graph.node(v.node);
    if (is_alias(n) && v.output == 0) {
      v = n.inputs[0];
      continue;
    }
    switch (n.op->kind) {
      case OpKind::kListPush:
      case OpKind::kListPop:
      case OpKind::kListSet:
        if (v.output != 0) return std::nullopt;
        v = n.inputs[0];
        continue;
      case OpKind::kLoop: {
        const Graph& body = *n.attr("body").func().body;
        const auto j = static_cast<std::size_t>(v.output);
        if (state_of(body, body.outputs[j]) != j) return std::nullopt;
        v = n.inputs[j];
        continue;
      }
      case OpKind::kConditional:
      case OpKind::kCase: {
        const auto j = static_cast<std::size_t>(v.output);
        const std::vector<const Graph*> branches = branches_of(n);
        const std::optional<std::size_t> from = state_of(*branches[0], branches[0]->outputs[j]);
        for (const Graph* branch : branches)
          if (!from || from != state_of(*branch, branch->outputs[j])) return std::nullopt;
        v = n.inputs[*from + 1];
        continue;
      }
      case OpKind::kCall: {
        const Graph& f = *n.attr("f").func().body;
        const std::optional<std::size_t> from = state_of(f, f.outputs[static_cast<std::size_t>(v.output)]);
        if (!from) return std::nullopt;
        v = n.inputs[*from];
        continue;
      }
      default:
        if (op_def(*n.op).facts.indexing != Indexing::kUpdates || v.output != 0) return std::nullopt;
        v = n.inputs[0];
    }
  }
}

}  // namespace tracefn
