// Compiles scalar loops, and whole scalar programs, to bytecode.
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/small_vector.h"
#include "exec/scalar/scalar_loop.h"
#include "exec/scalar/scalar_program.h"
#include "ops/fusable.h"
#include "ops/node_kinds.h"
#include "ops/op_def.h"

namespace tracefn {
namespace {
// Calls are inlined; code longer than this does not pay off.
constexpr std::size_t kMaxInstructions = 20'000;
}  // namespace

// Appends the bytecode of graphs to a routine. A value is in a slot, or a state of a list, or opaque: known only by a
// number, and passed through.
class ScalarCompiler {
 public:
  explicit ScalarCompiler(ScalarRoutine& routine) : routine_(routine) {}

  // Compiles into the loop that owns the routine; false if it holds anything but scalars.
  bool compile(const Node& node, ScalarLoop& loop) {
    const Graph& body = *node.attr("body").func().body;
    Places variables;
    for (Value v : body.inputs) variables.push_back(new_variable(body.info(v)));
    const Places at_first = variables;
    if (!while_loop(node, variables)) return false;
    for (std::size_t i = 0; i < variables.size(); ++i) loop.variables_.push_back(variable(body, i, at_first[i]));
    loop.num_lists_ = lists_.size();
    for (const Variable& v : loop.variables_)
      if (v.kind == Variable::kScalar) routine_.variables.push_back(v.slot);
    tighten();
    const std::vector<char> written = scalar::written(routine_.instructions, routine_.initial.size());
    for (Variable& v : loop.variables_)
      if (v.kind == Variable::kScalar) v.written = written[v.slot] != 0;
    return true;
  }

  // Compiles into the program that owns the routine.
  bool compile(const Graph& g, std::span<const std::uint32_t> arguments, ScalarProgram& program) {
    Places inputs;
    for (Value v : g.inputs) {
      const OutputInfo& info = g.info(v);
      inputs.push_back(info.dtype == DType::kVariant ? opaque() : new_variable(info));
    }
    routine_.instructions.reserve(static_cast<std::size_t>(g.size()));
    routine_.initial.reserve(static_cast<std::size_t>(g.size()));
    const std::optional<Places> outputs = graph(g, inputs);
    if (!outputs) return false;
    for (std::size_t j = 0; j < outputs->size(); ++j) {
      std::optional<ScalarProgram::Result> found = result(g.info(g.outputs[j]).dtype, (*outputs)[j], inputs, arguments);
      if (!found) return false;
      program.results_.push_back(*found);
    }
    for (std::uint32_t k = 0; k < arguments.size(); ++k) {
      const Where& w = inputs[arguments[k]];
      if (!w.in_slot()) continue;
      program.arguments_.push_back(
          {arguments[k], w.slot, g.info(g.inputs[arguments[k]]).dtype, static_cast<std::uint8_t>(bytes_[w.slot])});
      routine_.variables.push_back(w.slot);
    }
    tighten();
    for (const BytecodeInstruction& instruction : routine_.instructions)
      program.floats_ |= may_float(instruction.operand) || may_float(instruction.result);
    return true;
  }

 private:
  using Slot = scalar::Slot;
  using BytecodeInstruction = scalar::BytecodeInstruction;
  using Kind = scalar::Kind;
  using Variable = ScalarLoop::Variable;
  struct Where {
    enum Kind : std::uint8_t { kSlot, kList, kOpaque } kind = kSlot;
    Slot slot = 0;              // or the list's or opaque value's number
    std::uint32_t version = 0;  // of a list: only its latest state exists
    bool operator==(const Where&) const = default;
    bool in_slot() const { return kind == kSlot; }
  };
  using Places = SmallVector<Where, 4>;
  struct List {
    std::uint32_t version = 0;
    DType dtype = DType::kInvalid;  // known once it is used
  };

  static bool fits(DType dtype) { return is_plain(dtype) && size_of(dtype) <= sizeof(scalar::Register); }
  static Where in(Slot slot) { return {Where::kSlot, slot}; }

  Variable variable(const Graph& body, std::size_t i, const Where& where) const {
    if (where.kind == Where::kSlot)
      return {Variable::kScalar, where.slot, body.info(body.inputs[i]).dtype, bytes_[where.slot]};
    if (where.kind == Where::kList && lists_[where.slot].dtype != DType::kInvalid)
      return {Variable::kList, where.slot, lists_[where.slot].dtype};
    return {};
  }

  static bool may_float(DType dtype) { return dtype != DType::kInvalid && dtype != DType::kBool && !is_integer(dtype); }

  // An argument passed through stays that argument; anything else gets its own slot.
  std::optional<ScalarProgram::Result> result(DType dtype, const Where& where, const Places& inputs,
                                              std::span<const std::uint32_t> arguments) {
    ScalarProgram::Result made;
    for (std::uint32_t k = 0; k < arguments.size(); ++k)
      if (inputs[arguments[k]] == where) made.argument = arguments[k];
    if (made.argument != ScalarProgram::kNone) return made;
    if (!where.in_slot()) return std::nullopt;
    made.dtype = dtype;
    made.bytes = static_cast<std::uint8_t>(bytes_[where.slot]);
    made.slot = new_slot(made.bytes);
    move(where.slot, made.slot);
    routine_.variables.push_back(made.slot);
    return made;
  }

  void tighten() {
    for (const BytecodeInstruction& instruction : routine_.instructions)
      routine_.has_loop |= instruction.kind == Kind::kLoop;
    scalar::tighten(routine_.instructions, routine_.initial.size());
  }

  Slot new_slot(std::size_t bytes) {
    routine_.initial.emplace_back();
    bytes_.push_back(bytes);
    return static_cast<Slot>(routine_.initial.size() - 1);
  }
  // A variable of unknown shape is assumed to be a scalar: run() checks.
  Where new_variable(const OutputInfo& info) {
    bool scalar = !info.shape.has_rank() || info.shape.rank() == 0;
    if (scalar && fits(info.dtype)) return in(new_slot(size_of(info.dtype)));
    if (scalar && info.dtype == DType::kVariant) {
      lists_.emplace_back();
      return {Where::kList, static_cast<Slot>(lists_.size() - 1)};
    }
    return opaque();
  }
  Where opaque() { return {Where::kOpaque, opaque_++}; }
  bool is_latest(const Where& w) const { return w.kind != Where::kList || w.version == lists_[w.slot].version; }
  Where next_state(Slot list) {
    lists_[list].version = ++last_version_;
    return {Where::kList, list, last_version_};
  }
  std::vector<std::uint32_t> versions() const {
    std::vector<std::uint32_t> all;
    for (const List& list : lists_) all.push_back(list.version);
    return all;
  }
  std::uint32_t here() const { return static_cast<std::uint32_t>(routine_.instructions.size()); }
  BytecodeInstruction& add(Kind kind) {
    routine_.instructions.emplace_back();
    routine_.instructions.back().kind = kind;
    return routine_.instructions.back();
  }
  void move(Slot from, Slot to) {
    if (from == to) return;
    BytecodeInstruction& instruction = add(scalar::move_of(bytes_[from]));
    instruction.in[0] = from;
    instruction.out = to;
  }
  std::uint32_t jump(Kind kind, Slot condition = 0) {
    std::uint32_t at = here();
    add(kind).in[0] = condition;
    return at;
  }
  void land(std::uint32_t jump) { routine_.instructions[jump].target = here(); }

  // Parallel move from -> to; list states are only checked for being the latest. False if an opaque value would change.
  bool assign(const Places& from, const Places& to) {
    std::vector<std::pair<Slot, Slot>> moves, delayed;
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (!from[i].in_slot() || !to[i].in_slot()) {
        if (from[i].kind != to[i].kind || from[i].slot != to[i].slot || !is_latest(from[i])) return false;
        continue;
      }
      if (from[i].slot == to[i].slot) continue;
      bool is_target = false;
      for (const Where& t : to) is_target |= t.in_slot() && t.slot == from[i].slot;
      if (is_target) {
        Slot saved = new_slot(bytes_[from[i].slot]);
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

  // Compiles a graph; nothing if it holds anything but scalars.
  std::optional<Places> graph(const Graph& g, const Places& args) {
    // Functions that do nothing produce no instructions, however often they are called.
    if (args.size() != g.inputs.size() || std::max(routine_.instructions.size(), nodes_seen_) > kMaxInstructions)
      return std::nullopt;
    nodes_seen_ += static_cast<std::size_t>(g.size());
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
    if (is_alias(n)) return inputs;
    switch (n.op->kind) {
      case OpKind::kConst:
        return constant(n.attr("value").tensor());
      case OpKind::kConditional:
        return conditional(n, g.info(n.inputs[0]), inputs);
      case OpKind::kLoop:
        return inner_loop(n, inputs);
      case OpKind::kCall:
        return graph(*n.attr("f").func().body, inputs);
      case OpKind::kListPush:
        return list_access(Kind::kPush, g, n, inputs);
      case OpKind::kListPop:
        return list_access(Kind::kPop, g, n, inputs);
      case OpKind::kListGet:
        return list_access(Kind::kGet, g, n, inputs);
      case OpKind::kListSet:
        if (n.attr("resize_if_index_out_of_bounds").b()) return std::nullopt;
        return list_access(Kind::kSet, g, n, inputs);
      default:
        return elementwise(g, n, inputs);
    }
  }

  std::optional<Places> constant(const Tensor& value) {
    if (value.rank() != 0 || !fits(value.dtype())) return Places{opaque()};
    Slot slot = new_slot(value.bytes());
    std::memcpy(routine_.initial[slot].bytes, value.raw(), value.bytes());
    return Places{in(slot)};
  }

  std::optional<Places> elementwise(const Graph& g, const Node& n, const Places& inputs) {
    std::optional<NodeBlock> found = node_block(g, n);
    if (!found || n.op->stateful || !fits(found->result)) return std::nullopt;
    for (const Where& w : inputs)
      if (!w.in_slot()) return std::nullopt;
    Slot out = new_slot(size_of(found->result));
    const BlockSpec& spec = *op_def(*n.op).block;
    const DType operand = g.info(n.inputs.back()).dtype;
    BytecodeInstruction& instruction = add(scalar::kind_of(spec, operand));
    instruction.function =
        spec.arity == BlockArity::kCast ? scalar::kCastFunction : static_cast<std::uint8_t>(spec.function);
    instruction.operand = operand;
    instruction.result = found->result;
    if (inputs.size() == 1) {
      instruction.unary = found->block.kernel.unary;
    } else if (inputs.size() == 2) {
      instruction.binary = found->block.kernel.binary;
    } else {
      instruction.ternary = found->block.kernel.ternary;
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) instruction.in[i] = inputs[i].slot;
    instruction.out = out;
    instruction.node = &n;
    return Places{in(out)};
  }

  std::optional<Places> list_access(Kind kind, const Graph& g, const Node& n, const Places& inputs) {
    DType dtype = n.attr("element_dtype").type();
    if (inputs[0].kind != Where::kList || !is_latest(inputs[0]) || !fits(dtype)) return std::nullopt;
    List& list = lists_[inputs[0].slot];
    if (list.dtype != DType::kInvalid && list.dtype != dtype) return std::nullopt;
    list.dtype = dtype;
    bool indexed = kind == Kind::kGet || kind == Kind::kSet;
    bool takes_value = kind == Kind::kPush || kind == Kind::kSet;
    if (indexed && !inputs[1].in_slot()) return std::nullopt;
    if (takes_value && (!inputs.back().in_slot() || g.info(n.inputs.back()).dtype != dtype)) return std::nullopt;
    Slot out = takes_value ? 0 : new_slot(size_of(dtype));
    BytecodeInstruction& instruction = add(kind);
    instruction.target = inputs[0].slot;
    instruction.operand = dtype;
    if (indexed) instruction.in[0] = inputs[1].slot;
    if (takes_value) instruction.in[indexed ? 1 : 0] = inputs.back().slot;
    instruction.out = out;
    instruction.node = &n;
    if (kind == Kind::kGet) return Places{in(out)};
    Places results{next_state(inputs[0].slot)};
    if (kind == Kind::kPop) results.push_back(in(out));
    return results;
  }

  std::optional<Places> conditional(const Node& n, const OutputInfo& condition, const Places& inputs) {
    if (condition.dtype != DType::kBool || !inputs[0].in_slot()) return std::nullopt;
    Places args(inputs.begin() + 1, inputs.end());
    const std::vector<std::uint32_t> before = versions();
    std::uint32_t to_else = jump(Kind::kJumpUnless, inputs[0].slot);
    std::optional<Places> then_results = graph(*n.attr("then_branch").func().body, args);
    if (!then_results) return std::nullopt;
    Places results;
    for (const Where& w : *then_results) results.push_back(w.in_slot() ? in(new_slot(bytes_[w.slot])) : w);
    if (!assign(*then_results, results)) return std::nullopt;
    std::uint32_t to_end = jump(Kind::kJump);
    land(to_else);
    const std::vector<std::uint32_t> after_then = versions();
    for (std::size_t i = 0; i < before.size(); ++i) lists_[i].version = before[i];
    std::optional<Places> else_results = graph(*n.attr("else_branch").func().body, args);
    if (!else_results || !assign(*else_results, results)) return std::nullopt;
    land(to_end);
    for (std::size_t i = 0; i < before.size(); ++i)
      if (after_then[i] != before[i] || lists_[i].version != before[i]) next_state(static_cast<Slot>(i));
    latest(results);
    return results;
  }

  // Updates lists among these to their latest state.
  void latest(Places& places) const {
    for (Where& w : places)
      if (w.kind == Where::kList) w.version = lists_[w.slot].version;
  }

  std::optional<Places> inner_loop(const Node& n, const Places& inputs) {
    Places variables;
    for (const Where& w : inputs) variables.push_back(w.in_slot() ? in(new_slot(bytes_[w.slot])) : w);
    if (!assign(inputs, variables) || !while_loop(n, variables)) return std::nullopt;
    return variables;
  }

  // Sets the variables to their values after the loop.
  bool while_loop(const Node& n, Places& variables) {
    for (std::size_t i = 0; i < variables.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (variables[i].kind == Where::kList && variables[i] == variables[j]) return false;
    const Graph& condition = *n.attr("cond").func().body;
    std::uint32_t start = here();
    const std::vector<std::uint32_t> before = versions();
    std::optional<Places> go_on = graph(condition, variables);
    if (!go_on || go_on->size() != 1 || !(*go_on)[0].in_slot() || versions() != before) return false;
    if (condition.info(condition.outputs[0]).dtype != DType::kBool) return false;
    std::uint32_t to_end = jump(Kind::kJumpUnless, (*go_on)[0].slot);
    std::optional<Places> results = graph(*n.attr("body").func().body, variables);
    if (!results || results->size() != variables.size() || !assign(*results, variables)) return false;
    add(Kind::kLoop).target = start;
    land(to_end);
    for (std::size_t i = 0; i < before.size(); ++i)
      if (lists_[i].version != before[i] && !changes_inside(i, variables)) return false;
    latest(variables);
    return true;
  }

  // A list that the body changes must be a loop variable, or the next iteration would find another state.
  static bool changes_inside(std::size_t list, const Places& variables) {
    for (const Where& w : variables)
      if (w.kind == Where::kList && w.slot == list) return true;
    return false;
  }

  ScalarRoutine& routine_;
  std::vector<std::size_t> bytes_;  // by slot
  Slot opaque_ = 0;
  std::size_t nodes_seen_ = 0;
  std::vector<List> lists_;
  std::uint32_t last_version_ = 0;
};

std::unique_ptr<ScalarLoop> ScalarLoop::compile(const Node& loop) {
  auto made = std::make_unique<ScalarLoop>();
  return ScalarCompiler(made->routine_).compile(loop, *made) ? std::move(made) : nullptr;
}

std::unique_ptr<const ScalarProgram> ScalarProgram::compile(const Graph& graph,
                                                            std::span<const std::uint32_t> arguments) {
  auto made = std::make_unique<ScalarProgram>();
  return ScalarCompiler(made->routine_).compile(graph, arguments, *made) ? std::move(made) : nullptr;
}

}  // namespace tracefn
