// Compiling of scalar loops to steps over cells, and the interpreter.
#include "exec/scalar_loop.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/poll.h"
#include "ops/registry.h"

namespace tracefn {
namespace {
// Calls are inlined; code past this length is not worth it.
constexpr std::size_t kMostSteps = 20'000;
}  // namespace

// Appends the code of graphs to a loop's steps. A value is in a slot, or a state of a list, or opaque: known only by a
// number, and handed on.
class ScalarCompiler {
 public:
  std::unique_ptr<const ScalarLoop> compile(const Node& node) {
    const Graph& body = *node.attr("body").func().body;
    std::vector<Where> variables;
    for (Value v : body.inputs) variables.push_back(new_variable(body.info(v)));
    const std::vector<Where> at_first = variables;
    if (!while_loop(node, variables)) return nullptr;
    for (std::size_t i = 0; i < variables.size(); ++i) loop_->variables_.push_back(variable(body, i, at_first[i]));
    loop_->num_lists_ = lists_.size();
    return std::move(loop_);
  }

 private:
  using Slot = ScalarLoop::Slot;
  using Step = ScalarLoop::Step;
  using Kind = ScalarLoop::Kind;
  using Variable = ScalarLoop::Variable;
  struct Where {
    enum Kind : std::uint8_t { kSlot, kList, kOpaque } kind = kSlot;
    Slot slot = 0;              // or the list's or opaque value's number
    std::uint32_t version = 0;  // of a list: only its latest state exists
    bool operator==(const Where&) const = default;
    bool in_slot() const { return kind == kSlot; }
  };
  using Places = std::vector<Where>;
  struct List {
    std::uint32_t version = 0;
    DType dtype = DType::kInvalid;  // known once it is used
  };

  static bool fits(DType dtype) { return is_plain(dtype) && size_of(dtype) <= sizeof(ScalarLoop::Cell); }
  static Where in(Slot slot) { return {Where::kSlot, slot}; }

  Variable variable(const Graph& body, std::size_t i, const Where& where) const {
    if (where.kind == Where::kSlot) return {Variable::kScalar, where.slot, body.info(body.inputs[i]).dtype};
    if (where.kind == Where::kList && lists_[where.slot].dtype != DType::kInvalid)
      return {Variable::kList, where.slot, lists_[where.slot].dtype};
    return {};
  }

  Slot new_slot() {
    loop_->initial_.emplace_back();
    return static_cast<Slot>(loop_->initial_.size() - 1);
  }
  // A variable of unknown shape is taken for a scalar: run() looks at what comes.
  Where new_variable(const OutputInfo& info) {
    bool scalar = !info.shape.has_rank() || info.shape.rank() == 0;
    if (scalar && fits(info.dtype)) return in(new_slot());
    if (scalar && info.dtype == DType::kVariant) {
      lists_.emplace_back();
      return {Where::kList, static_cast<Slot>(lists_.size() - 1)};
    }
    return {Where::kOpaque, opaque_++};
  }
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

  // from -> to, as if all at once; of lists the state is not looked at beyond its being the latest. False when an
  // opaque value would change.
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
    if (name.starts_with("TensorList")) return list_access(name, g, n, inputs);
    if (name == "PartitionedCall" || name == "StatefulPartitionedCall") return graph(*n.attr("f").func().body, inputs);
    return elementwise(g, n, inputs);
  }

  std::optional<Places> constant(const Tensor& value) {
    if (value.rank() != 0 || !fits(value.dtype())) return Places{{Where::kOpaque, opaque_++}};
    Slot slot = new_slot();
    std::memcpy(loop_->initial_[slot].bytes, value.raw(), value.bytes());
    return Places{in(slot)};
  }

  std::optional<Places> elementwise(const Graph& g, const Node& n, const Places& inputs) {
    const OpDef& op = op_def(*n.op);
    if (!op.block || op.signature.stateful || inputs.empty() || inputs.size() > 3) return std::nullopt;
    DType dtype = g.info(n.inputs.back()).dtype;
    DType result = block_result(*op.block, dtype, op.signature, n.attrs);
    Block block = find_block(*op.block, dtype, result);
    if (!block || !fits(result)) return std::nullopt;
    for (const Where& w : inputs)
      if (!w.in_slot()) return std::nullopt;
    Slot out = new_slot();
    Step& step = add(inputs.size() == 1 ? Kind::kUnary : inputs.size() == 2 ? Kind::kBinary : Kind::kTernary);
    step.block = block;
    for (std::size_t i = 0; i < inputs.size(); ++i) step.in[i] = inputs[i].slot;
    step.out = out;
    step.node = &n;
    return Places{in(out)};
  }

  std::optional<Places> list_access(const std::string& name, const Graph& g, const Node& n, const Places& inputs) {
    Kind kind = Kind::kPush;
    if (name == "TensorListPopBack") {
      kind = Kind::kPop;
    } else if (name == "TensorListGetItem") {
      kind = Kind::kGet;
    } else if (name == "TensorListSetItem" && !n.attr("resize_if_index_out_of_bounds").b()) {
      kind = Kind::kSet;
    } else if (name != "TensorListPushBack") {
      return std::nullopt;
    }
    DType dtype = n.attr("element_dtype").type();
    if (inputs[0].kind != Where::kList || !is_latest(inputs[0]) || !fits(dtype)) return std::nullopt;
    List& list = lists_[inputs[0].slot];
    if (list.dtype != DType::kInvalid && list.dtype != dtype) return std::nullopt;
    list.dtype = dtype;
    bool indexed = kind == Kind::kGet || kind == Kind::kSet;
    bool takes_value = kind == Kind::kPush || kind == Kind::kSet;
    if (indexed && !inputs[1].in_slot()) return std::nullopt;
    if (takes_value && (!inputs.back().in_slot() || g.info(n.inputs.back()).dtype != dtype)) return std::nullopt;
    Slot out = takes_value ? 0 : new_slot();
    Step& step = add(kind);
    step.target = inputs[0].slot;
    if (indexed) step.in[0] = inputs[1].slot;
    if (takes_value) step.in[1] = inputs.back().slot;
    step.out = out;
    step.node = &n;
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
    for (const Where& w : *then_results) results.push_back(w.in_slot() ? in(new_slot()) : w);
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

  // Lists among these are given their latest state.
  void latest(Places& places) const {
    for (Where& w : places)
      if (w.kind == Where::kList) w.version = lists_[w.slot].version;
  }

  std::optional<Places> inner_loop(const Node& n, const Places& inputs) {
    Places variables;
    for (const Where& w : inputs) variables.push_back(w.in_slot() ? in(new_slot()) : w);
    if (!assign(inputs, variables) || !while_loop(n, variables)) return std::nullopt;
    return variables;
  }

  // Leaves the variables as they are after the loop.
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

  // A list that the body changes must be one of the loop's variables, or its next step would find another state.
  static bool changes_inside(std::size_t list, const Places& variables) {
    for (const Where& w : variables)
      if (w.kind == Where::kList && w.slot == list) return true;
    return false;
  }

  std::unique_ptr<ScalarLoop> loop_ = std::make_unique<ScalarLoop>();
  Slot opaque_ = 0;
  std::vector<List> lists_;
  std::uint32_t last_version_ = 0;
};

std::unique_ptr<const ScalarLoop> ScalarLoop::compile(const Node& loop) { return ScalarCompiler().compile(loop); }

class ScalarLoop::Elements {
 public:
  // Takes over the list in `handle`, its buffer too when nobody else needs it.
  void load(KernelContext::Operand& handle) {
    auto& list = static_cast<TensorList&>(*handle.tensor->object());
    dtype_ = list.element_dtype;
    shape_ = list.element_shape;
    most_ = list.max_num_elements;
    element_ = size_of(dtype_);
    size_ = list.size();
    if (list.is_packed()) {
      bool only_owner = handle.last_use && handle.tensor->writable() && list.unique();
      use(only_owner ? list.take_packed() : list.packed_values());
      return;
    }
    use(Tensor(dtype_, Shape({capacity_for(size_)})));
    for (std::int64_t i = 0; i < size_; ++i) {
      const Tensor& t = std::as_const(list).elements()[static_cast<std::size_t>(i)];
      if (t.defined()) {
        std::memcpy(at(i), t.raw(), element_);
      } else {
        std::memset(at(i), 0, element_);
      }
    }
  }
  // The list as it is now.
  Tensor handle() {
    auto list = make_ref<TensorList>(dtype_, std::move(shape_), most_);
    list->pack(std::move(values_), size_);
    return Tensor::handle(DType::kVariant, std::move(list));
  }

  void push(const Cell& value) {
    if (most_ != -1 && size_ >= most_)
      invalid_argument("Tried to push item into a full list list size: ", size_, " max_num_elements: ", most_);
    if (size_ == capacity_ || !own_) move_to(capacity_for(size_ + 1));
    std::memcpy(at(size_++), value.bytes, element_);
  }
  void pop(Cell& value) {
    if (size_ == 0) invalid_argument("Trying to pop from an empty list.");
    std::memcpy(value.bytes, at(--size_), element_);
  }
  void get(std::int32_t index, Cell& value) const {
    if (index < 0 || index >= size_)
      invalid_argument("Trying to access element ", index, " in a list with ", size_, " elements.");
    std::memcpy(value.bytes, at(index), element_);
  }
  void set(std::int32_t index, const Cell& value) {
    if (index < 0 || index >= size_)
      invalid_argument("Trying to modify element ", index, " in a list with ", size_, " elements.");
    if (!own_) move_to(capacity_);
    std::memcpy(at(index), value.bytes, element_);
  }

 private:
  unsigned char* at(std::int64_t i) const { return data_ + static_cast<std::size_t>(i) * element_; }

  // A list that says how many elements it takes gets its room at once, but not more than this.
  std::int64_t capacity_for(std::int64_t n) const {
    constexpr std::int64_t kMostReserved = 1 << 20, kLeast = 16;
    if (most_ >= n && most_ <= kMostReserved) return most_;
    return std::max({kLeast, n, 2 * size_});
  }
  void use(Tensor values) {
    values_ = std::move(values);
    data_ = static_cast<unsigned char*>(values_.mutable_raw());
    capacity_ = values_.num_elements();
    own_ = values_.writable();
  }
  void move_to(std::int64_t capacity) {
    Tensor larger(dtype_, Shape({capacity}));
    std::memcpy(larger.mutable_raw(), data_, static_cast<std::size_t>(size_) * element_);
    use(std::move(larger));
  }

  DType dtype_ = DType::kInvalid;
  Shape shape_;
  std::int64_t most_ = -1, size_ = 0, capacity_ = 0;
  std::size_t element_ = 0;
  bool own_ = false;  // the buffer may be written to
  unsigned char* data_ = nullptr;
  Tensor values_;
};

namespace {

// Whether a list has only scalars; elements that are not set must read as such.
bool is_scalar_list(const Tensor& handle, DType dtype) {
  if (handle.rank() != 0) return false;
  auto* list = dynamic_cast<const TensorList*>(handle.object().get());
  if (!list || list->element_dtype != dtype || !list->element_shape.is_compatible_with(Shape())) return false;
  if (list->is_packed()) return true;
  bool known = list->element_shape.has_rank();
  for (const Tensor& t : list->elements())
    if (t.defined() ? t.rank() != 0 : !known) return false;
  return true;
}

}  // namespace

bool ScalarLoop::fits(std::span<KernelContext::Operand> inputs) const {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Tensor& t = *inputs[i].tensor;
    const Variable& variable = variables_[i];
    if (variable.kind == Variable::kScalar && (t.rank() != 0 || t.dtype() != variable.dtype)) return false;
    if (variable.kind == Variable::kList && !is_scalar_list(t, variable.dtype)) return false;
  }
  return true;
}

bool ScalarLoop::run(std::span<KernelContext::Operand> inputs, std::span<Tensor> outputs, Interrupt* interrupt,
                     const Node*& failed) const {
  if (!fits(inputs)) return false;
  std::vector<Cell> cells = initial_;
  std::vector<Elements> lists(num_lists_);
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Variable& variable = variables_[i];
    if (variable.kind == Variable::kScalar)
      std::memcpy(cells[variable.slot].bytes, inputs[i].tensor->raw(), inputs[i].tensor->bytes());
    if (variable.kind == Variable::kList) lists[variable.slot].load(inputs[i]);
  }
  execute(cells.data(), lists.data(), interrupt, failed);
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Variable& variable = variables_[i];
    if (variable.kind == Variable::kHandedOn) outputs[i] = *inputs[i].tensor;
    if (variable.kind == Variable::kList) outputs[i] = lists[variable.slot].handle();
    if (variable.kind != Variable::kScalar) continue;
    outputs[i] = Tensor(variable.dtype, Shape());
    std::memcpy(outputs[i].mutable_raw(), cells[variable.slot].bytes, outputs[i].bytes());
  }
  return true;
}

void ScalarLoop::execute(Cell* cells, Elements* lists, Interrupt* interrupt, const Node*& failed) const {
  const Step* const steps = steps_.data();
  const Step* const end = steps + steps_.size();
  const Step* step = steps;
  auto index = [&] {
    std::int32_t i;
    std::memcpy(&i, cells[step->in[0]].bytes, sizeof i);
    return i;
  };
  Poll poll;
  try {
    while (step != end) {
      int status = kBlockOk;
      switch (step->kind) {
        case Kind::kUnary:
          status = step->block.unary(&cells[step->in[0]], &cells[step->out], 1);
          break;
        case Kind::kBinary:
          status = step->block.binary(&cells[step->in[0]], &cells[step->in[1]], &cells[step->out], 1, 0);
          break;
        case Kind::kTernary:
          status = step->block.ternary(&cells[step->in[0]], &cells[step->in[1]], &cells[step->in[2]], &cells[step->out],
                                       1, 0);
          break;
        case Kind::kMove:
          cells[step->out] = cells[step->in[0]];
          break;
        case Kind::kPush:
          lists[step->target].push(cells[step->in[1]]);
          break;
        case Kind::kPop:
          lists[step->target].pop(cells[step->out]);
          break;
        case Kind::kGet:
          lists[step->target].get(index(), cells[step->out]);
          break;
        case Kind::kSet:
          lists[step->target].set(index(), cells[step->in[1]]);
          break;
        case Kind::kJump:
          step = steps + step->target;
          continue;
        case Kind::kJumpUnless:
          step = cells[step->in[0]].bytes[0] ? step + 1 : steps + step->target;
          continue;
        case Kind::kLoop:
          if (interrupt && poll.due()) interrupt->check();
          step = steps + step->target;
          continue;
      }
      if (status != kBlockOk) check_status(status);
      ++step;
    }
  } catch (const Error&) {
    if (step->node) failed = step->node;
    throw;
  }
}

}  // namespace tracefn
