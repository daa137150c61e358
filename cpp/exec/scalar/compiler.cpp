// Graphs, conditionals and loops; the compilation of whole loops and programs.
#include "exec/scalar/compiler.h"

#include <algorithm>

#include "base/concat.h"
#include "exec/compile_mode.h"
#include "exec/scalar/indexed_only.h"
#include "ops/node_kinds.h"
#include "ops/op_def.h"

namespace tracefn {
namespace {
// Calls are inlined; code longer than this does not pay off. Of small tensors less does: translating an instruction
// takes some microseconds, and their elements no longer fit into the first-level cache.
constexpr std::size_t kMaxInstructions = 20'000, kMaxOfElements = 4'000, kMaxOfScalar = 4;

// By node and output: how often it is read.
std::vector<SmallVector<int, 2>> uses_of_outputs(const Graph& g) {
  std::vector<SmallVector<int, 2>> uses(static_cast<std::size_t>(g.size()));
  for (NodeId id = 0; id < g.size(); ++id)
    uses[static_cast<std::size_t>(id)] = SmallVector<int, 2>(g.node(id).outputs.size(), 0);
  const auto count = [&](Value v) { ++uses[static_cast<std::size_t>(v.node)][static_cast<std::size_t>(v.output)]; };
  for (NodeId id : live_nodes(g))
    for (Value v : g.node(id).inputs) count(v);
  for (Value v : g.outputs) count(v);
  return uses;
}

}  // namespace

bool ScalarCompiler::compile(const Graph& graph, const Node& node, const LoopInputs* given, ScalarLoop& loop) {
  takes_arrays_ = true;
  const Graph& body = *node.attr("body").func().body;
  Places variables;
  std::vector<char> constants;
  for (std::size_t i = 0; i < body.inputs.size(); ++i) {
    const Node& from = graph.node(node.inputs[i].node);
    const bool is_constant = from.is(OpKind::kConst) && is_small(from.attr("value").tensor().shape()) &&
                             fits(from.attr("value").tensor().dtype()) && !indexed_only(node, i) &&
                             behind_identity(body, body.outputs[i]) == body.inputs[i];
    const OutputInfo& info = given ? given->infos[i] : body.info(body.inputs[i]);
    const bool has_value = given && given->values[i].defined() && info.dtype != DType::kVariant;
    variables.push_back(has_value     ? constant(given->values[i])
                        : is_constant ? constant(from.attr("value").tensor())
                                      : new_variable(info, indexed_only(node, i)));
    if (given && given->values[i].defined() && !has_value) arrays_[variables[i].number].element = given->values[i];
    constants.push_back(is_constant || has_value);
  }
  const Places at_first = variables;
  if (!while_loop(node, variables)) return false;
  // A list is loaded unless only the number of its elements matters.
  std::vector<char> used(routine_.arrays.size(), 0), counted = used;
  for (const scalar::BytecodeInstruction& s : routine_.instructions) {
    if (scalar::on_list(s.kind)) (s.kind == Kind::kRows ? counted : used)[s.target] = 1;
    if (s.kind == Kind::kTake || s.kind == Kind::kShare) used[s.offset] = 1;
    if (s.kind == Kind::kWork)
      for (const std::uint32_t array : s.work->arrays()) used[array] = 1;
  }
  for (std::size_t i = 0; i < at_first.size(); ++i) {
    const Place& p = at_first[i];
    ScalarLoop::Variable v;
    if (constants[i]) {
      // The value that is passed is the one in the code.
    } else if (const auto handle = handles_.find(p.number); p.kind == Place::kOpaque && handle != handles_.end()) {
      v.kind = ScalarLoop::Variable::kHandle;
      v.array = handle->second;
    } else if (p.kind == Place::kElements) {
      v.kind = ScalarLoop::Variable::kElements;
      v.slots = p.slots;
      v.bytes = size_of(p.dtype);
      for (Slot s : p.slots) routine_.variables.push_back(s);
    } else if (p.has_rows() && (used[p.number] || counted[p.number])) {
      if (p.kind == Place::kList && !arrays_[p.number].decided) return refuse("a list of unknown elements");
      v.kind = p.kind == Place::kArray                        ? ScalarLoop::Variable::kArray
               : used[p.number] || arrays_[p.number].accessed ? ScalarLoop::Variable::kList
                                                              : ScalarLoop::Variable::kCounted;
      v.array = p.number;
    }
    if (given) v.value = given->values[i];
    if (given) v.only_shape = given->infos[i].shape;
    v.shape = p.shape;
    v.dtype = p.has_rows() ? routine_.arrays[p.number].dtype : p.dtype;
    loop.variables_.push_back(std::move(v));
  }
  if (stale_) return refuse("an array that is used after it was updated");
  tighten();
  const std::vector<char> written = scalar::written(routine_.instructions, routine_.initial.size());
  for (ScalarLoop::Variable& v : loop.variables_)
    if (v.kind == ScalarLoop::Variable::kElements)
      v.written = std::ranges::any_of(v.slots, [&](Slot s) { return written[s] != 0; });
  return true;
}

bool ScalarCompiler::refuse(std::string reason) {
  if (findings_.reason.empty()) findings_.reason = std::move(reason);
  return false;
}

void ScalarCompiler::forget_since(std::pair<std::size_t, std::size_t> mark) {
  code_.forget_since(mark.first);
  stored_.resize(mark.second);
}

void ScalarCompiler::tighten() {
  for (const scalar::BytecodeInstruction& instruction : routine_.instructions)
    routine_.runs_often |= instruction.kind == Kind::kLoop;
  scalar::tighten(routine_.instructions, routine_.initial.size(), routine_.variables);
}

std::optional<Places> ScalarCompiler::graph(const Graph& g, const Places& args) {
  // Functions that do nothing produce no instructions, however often they are called.
  if (args.size() != g.inputs.size() || std::max<std::size_t>(code_.here(), nodes_seen_) > kMaxInstructions)
    return no("the code would be too long");
  nodes_seen_ += static_cast<std::size_t>(g.size());
  const std::size_t most = kMaxOfElements + kMaxOfScalar * nodes_seen_;
  std::vector<Places> places(static_cast<std::size_t>(g.size()));
  const std::vector<SmallVector<int, 2>> uses = uses_of_outputs(g);
  for (std::size_t i = 0; i < args.size(); ++i) {
    const auto id = static_cast<std::size_t>(g.inputs[i].node);
    if (args[i].kind == Place::kComputed) {
      args[i].expression->uses += uses[id][0] - 1;
      args[i].expression->left += uses[id][0];
    }
    places[id] = {args[i]};
  }
  auto place_of = [&](Value v) -> const Place& {
    return places[static_cast<std::size_t>(v.node)][static_cast<std::size_t>(v.output)];
  };
  for (NodeId id : live_nodes(g)) {
    Places& made = places[static_cast<std::size_t>(id)];
    if (!made.empty()) continue;
    const Node& n = g.node(id);
    Places inputs;
    for (Value v : n.inputs) inputs.push_back(place_of(v));
    const SmallVector<int, 2>& read = uses[static_cast<std::size_t>(id)];
    unread_outputs_ = 0;
    for (std::size_t j = 0; j < std::min<std::size_t>(read.size(), 64); ++j)
      unread_outputs_ |= std::uint64_t{read[j] == 0} << j;
    std::optional<Places> outputs = node(g, n, inputs);
    if (!outputs) return no(concat("node ", n.name, " (", n.op->name, ")"));
    if (code_.here() > std::min(most, kMaxInstructions)) return no("the code would be too long");
    made = std::move(*outputs);
    for (const Place& p : inputs)
      if (p.kind == Place::kComputed) --p.expression->left;
    for (std::size_t j = 0; j < made.size(); ++j)
      if (made[j].kind == Place::kComputed && !note_use(made[j], n, read[j])) return std::nullopt;
  }
  Places results;
  for (Value v : g.outputs) results.push_back(place_of(v));
  return results;
}

std::optional<Places> ScalarCompiler::node(const Graph& g, const Node& n, Places& inputs) {
  if (is_alias(n)) return inputs;
  code_.set_node(&n);
  const bool is_plain = n.op->kind == OpKind::kOther || n.is(OpKind::kCall);
  if (!is_plain && !sequences_in_memory(inputs)) return std::nullopt;
  switch (n.op->kind) {
    case OpKind::kConst:
      return Places{constant(n.attr("value").tensor())};
    case OpKind::kConditional:
    case OpKind::kCase:
      return branching(g, n, inputs);
    case OpKind::kLoop:
      return inner_loop(n, inputs);
    case OpKind::kCall:
      if (auto made = grouped(n, inputs)) return made;
      return call(*n.attr("f").func().body, inputs);
    case OpKind::kListPush:
    case OpKind::kListPop:
    case OpKind::kListGet:
    case OpKind::kListSet:
    case OpKind::kListEmpty:
    case OpKind::kListReserve:
    case OpKind::kListLength:
    case OpKind::kListStack:
    case OpKind::kListUnstack:
      return list_access(n, inputs);
    default:
      if (auto made = sequenced(g, n, inputs)) return made;
      if (!sequences_in_memory(inputs)) return std::nullopt;
      return plain(g, n, inputs);
  }
}

std::optional<Places> ScalarCompiler::call(const Graph& g, const Places& inputs) {
  std::optional<Places> results = graph(g, inputs);
  // That they are results was counted as a use.
  if (results)
    for (const Place& p : *results)
      if (p.kind == Place::kComputed) --p.expression->left;
  return results;
}

std::optional<Places> ScalarCompiler::inner_loop(const Node& n, const Places& inputs) {
  const Graph& body = *n.attr("body").func().body;
  Places variables, before = inputs;
  if (!in_memory(before)) return std::nullopt;
  std::set<std::uint32_t> passed;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Place& in = before[i];
    const bool constant = behind_identity(body, body.outputs[i]) == body.inputs[i];
    if (in.kind == Place::kOpaque) {
      variables.push_back(in);
      continue;
    }
    if (in.has_elements()) {
      if (in.shape.rank() > 0 && indexed_only(n, i)) {
        const std::optional<Place> array = as_array(in, !constant);
        if (!array) return std::nullopt;
        in = *array;
      } else {
        variables.push_back(constant ? in : new_elements(in.dtype, in.shape));
        continue;
      }
    }
    if (!is_latest(in)) return std::nullopt;
    // In place, unless it is another array after an iteration, or needed as it was.
    const bool in_place = constant || state_of(body, body.outputs[i]) == i;
    const bool alone = passed.insert(in.number).second;
    const bool copies = findings_.copying.contains(&n) || arrays_[in.number].given;
    if (in_place && alone && (constant || !copies)) {
      variables.push_back(in);
    } else {
      variables.push_back(like(in));
    }
  }
  if (!assign(before, variables, static_cast<std::uint32_t>(arrays_.size()))) return std::nullopt;
  // What is known of an array's elements holds for its first iteration only.
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (variables[i].has_rows() && behind_identity(body, body.outputs[i]) != body.inputs[i])
      variables[i] = next_state(variables[i], &n);
  if (!while_loop(n, variables)) return std::nullopt;
  return variables;
}

bool ScalarCompiler::while_loop(const Node& n, Places& variables) {
  const Graph &condition = *n.attr("cond").func().body, &body = *n.attr("body").func().body;
  const std::uint32_t start = code_.here();
  const auto known_before = mark();
  const std::vector<std::uint32_t> before = versions();
  auto unchanged = [&](std::size_t i) { return arrays_[i].version == before[i]; };
  std::optional<Places> go_on = graph(condition, variables);
  if (!go_on || go_on->size() != 1 || !(*go_on)[0].is_scalar()) return false;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (!unchanged(i)) return refuse("a condition that changes an array");
  if (condition.info(condition.outputs[0]).dtype != DType::kBool) return false;
  const std::uint32_t to_end = code_.jump(Kind::kJumpUnless, (*go_on)[0].slot());
  const auto locals = static_cast<std::uint32_t>(arrays_.size());
  std::optional<Places> results = graph(body, variables);
  if (!results || results->size() != variables.size() || !sequences_in_memory(*results) ||
      !assign(*results, variables, locals))
    return false;
  code_.loop(start);
  code_.land(to_end);
  forget_since(known_before);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (unchanged(i)) continue;
    // The next iteration would find another state unless it is a loop variable.
    const bool is_variable =
        std::ranges::any_of(variables, [&](const Place& p) { return p.has_rows() && p.number == i; });
    if (!is_variable) return refuse("an array that changes but is not a loop variable");
  }
  latest(variables);
  return true;
}

bool ScalarCompiler::assign(const Places& from, const Places& to, std::uint32_t locals) {
  if (from.size() != to.size()) return false;
  std::vector<std::pair<Slot, Slot>> moves, delayed;
  std::vector<std::pair<Place, Place>> arrays, in_place;
  std::set<std::uint32_t> array_targets, kept;
  std::set<Slot> targets;
  for (const Place& t : to)
    if (t.has_elements()) targets.insert(t.slots.begin(), t.slots.end());
  for (std::size_t i = 0; i < to.size(); ++i) {
    Place source = from[i];
    if (to[i].kind == Place::kOpaque) {
      if (source.kind != to[i].kind || source.number != to[i].number) return refuse("a value that is not small");
      continue;
    }
    if (to[i].has_rows()) {
      if (is_in_place(from, i, to[i])) {
        if (!array_targets.insert(to[i].number).second) return refuse("two values of one array");
        kept.insert(to[i].number);
        in_place.emplace_back(std::move(source), to[i]);
        continue;
      }
      if ((source.has_elements() || source.kind == Place::kComputed) && to[i].kind == Place::kArray) {
        std::optional<Place> made = as_array(source, true);
        if (!made) return false;
        source = std::move(*made);
      }
      if (source.kind != to[i].kind || !is_latest(source)) return refuse("an array of another kind or state");
      if (!array_targets.insert(to[i].number).second) return refuse("two values of one array");
      if (source.number == to[i].number) {
        kept.insert(source.number);
      } else {
        arrays.emplace_back(std::move(source), to[i]);
      }
      continue;
    }
    const std::optional<Place> elements = as_elements(source);
    if (!elements || elements->dtype != to[i].dtype || !(elements->shape == to[i].shape))
      return refuse("a loop variable or branch with another shape");
    for (std::size_t k = 0; k < to[i].slots.size(); ++k) {
      const Slot a = elements->slots[k], b = to[i].slots[k];
      if (a == b) continue;
      if (targets.contains(a)) {
        const Slot saved = code_.new_slot(code_.bytes(a));
        code_.move(a, saved);
        delayed.emplace_back(saved, b);
      } else {
        moves.emplace_back(a, b);
      }
    }
  }
  for (const auto& [value, array] : in_place)
    if (!compute_in_place(value, array)) return false;
  for (auto [a, b] : moves) code_.move(a, b);
  for (auto [a, b] : delayed) code_.move(a, b);
  return assign_arrays(std::move(arrays), kept, locals);
}

bool ScalarCompiler::assign_arrays(std::vector<std::pair<Place, Place>> moves, const std::set<std::uint32_t>& kept,
                                   std::uint32_t locals) {
  auto count = [&](std::uint32_t number, bool as_target) {
    return std::ranges::count_if(moves,
                                 [&](const auto& m) { return (as_target ? m.second : m.first).number == number; });
  };
  for (const auto& [from, to] : moves) {
    const scalar::ListType &a = routine_.arrays[from.number], &b = routine_.arrays[to.number];
    if (from.kind == Place::kList && (!arrays_[from.number].decided || !decide(to, a.dtype, a.row)))
      return refuse("a list of unknown elements");
    if (arrays_[to.number].given) return refuse("a constant that changes");
    if (a.dtype != b.dtype || !(a.row == b.row)) return refuse("an array whose rows change their shape");
    if (to.kind == Place::kArray && to.shape[0] >= 0 && to.shape[0] != from.shape[0])
      return refuse("an array that changes its size");
  }
  // Those that are overwritten here are put aside first.
  std::vector<char> takes(moves.size(), 0);
  for (std::size_t i = 0; i < moves.size(); ++i) {
    Place& from = moves[i].first;
    const bool only_use = count(from.number, false) == 1;
    takes[i] = only_use && from.number >= locals && !arrays_[from.number].given && !kept.contains(from.number);
    if (count(from.number, true) == 0) continue;
    const Place aside = like(from);
    code_.on_array(only_use ? Kind::kTake : Kind::kShare, aside.number, from.number);
    from = aside;
    takes[i] = 1;
  }
  for (std::size_t i = 0; i < moves.size(); ++i) {
    auto& [from, to] = moves[i];
    code_.on_array(takes[i] ? Kind::kTake : Kind::kShare, to.number, from.number);
    if (takes[i]) arrays_[from.number].version = ++last_version_;
    arrays_[to.number].version = ++last_version_;
  }
  return true;
}

std::unique_ptr<ScalarLoop> ScalarLoop::compile(const Graph& graph, const Node& loop, const LoopInputs* given,
                                                std::string* reason) {
  if (compile_mode() == CompileMode::kOff) {
    if (reason) *reason = "TRACEFN_COMPILE=off";
    return nullptr;
  }
  std::string why;
  std::unique_ptr<ScalarLoop> made = ScalarCompiler::best<ScalarLoop>(
      [&](ScalarLoop& loop_made, ScalarRoutine& routine, ScalarFindings& findings) {
        return ScalarCompiler(routine, findings).compile(graph, loop, given, loop_made);
      },
      why);
  if (!made && reason) *reason = std::move(why);
  return made;
}

std::unique_ptr<ScalarLoop> ScalarLoop::compile(const Graph& graph, const Node& loop, std::string* reason) {
  return compile(graph, loop, nullptr, reason);
}

}  // namespace tracefn
