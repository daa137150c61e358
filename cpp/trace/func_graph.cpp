// Captures, scopes and the order of side effects of a graph being traced.
#include "trace/func_graph.h"

#include <algorithm>
#include <mutex>

#include "base/check.h"
#include "ir/named_gradient.h"
#include "ops/gradient.h"
#include "ops/leaked.h"
#include "ops/lookup/table.h"
#include "ops/registry.h"
#include "ops/state/variable_resource.h"

namespace tracefn {
namespace {

// Eager tensors with up to this many elements are copied into the graph as constants, as in TensorFlow.
constexpr std::int64_t kConstantElements = 128;

TraceHooks hooks;

// Graph -> FuncGraph, for live ones.
struct Index {
  std::mutex mutex;
  std::unordered_map<const Graph*, FuncGraph*> graphs;
};
Index& index_of_graphs() {
  static auto* index = new Index();
  return *index;
}

std::string key_of(const Operand& operand) {
  const void* words[4] = {};
  if (operand.is_eager()) {
    const Tensor& t = operand.tensor;
    // A handle is identified by its object: every read of `v.handle` may be another Tensor.
    words[0] = is_plain(t.dtype()) || t.dtype() == DType::kString || t.rank() != 0 ? t.raw() : t.object().get();
    words[1] = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(slot(t.dtype())));
    words[2] = reinterpret_cast<const void*>(t.shape().hash());
  } else {
    words[0] = operand.graph.get();
    words[1] = reinterpret_cast<const void*>(static_cast<std::intptr_t>(operand.value.node));
    words[2] = reinterpret_cast<const void*>(static_cast<std::intptr_t>(operand.value.output));
    words[3] = &index_of_graphs();
  }
  return std::string(reinterpret_cast<const char*>(words), sizeof(words));
}

}  // namespace

void set_trace_hooks(const TraceHooks& given) { hooks = given; }

namespace {

bool may_own(const Node& node) {
  return std::any_of(node.attrs.begin(), node.attrs.end(), [](const Attr& attr) {
    return attr.host() || attr.kind() == Attr::Kind::kFunc || attr.kind() == Attr::Kind::kFuncs;
  });
}

}  // namespace

FuncGraph* current_func_graph() { return dynamic_cast<FuncGraph*>(&current_target()); }

FuncGraph::FuncGraph(std::string name, FuncGraph* outer, bool is_function)
    : GraphTarget(std::make_shared<Graph>(std::move(name))),
      outer_(outer),
      is_function_(is_function),
      orders_effects_(is_function) {
  if (outer_) graph()->outer = outer_->shared_graph();
  std::lock_guard lock(index_of_graphs().mutex);
  index_of_graphs().graphs[graph()] = this;
}

FuncGraph::~FuncGraph() {
  std::lock_guard lock(index_of_graphs().mutex);
  index_of_graphs().graphs.erase(graph());
}

std::shared_ptr<FuncGraph> FuncGraph::of(const Graph* graph) {
  std::lock_guard lock(index_of_graphs().mutex);
  auto found = index_of_graphs().graphs.find(graph);
  return found == index_of_graphs().graphs.end() ? nullptr : found->second->weak_from_this().lock();
}

Value FuncGraph::add_input(DType dtype, Shape shape, const std::string& name, DType handle_dtype, Shape handle_shape) {
  // A parameter may have a name that no op can have.
  const std::string usable = is_valid_name(name) ? name : "Placeholder";
  return add_placeholder(dtype, std::move(shape), graph()->unique_name(usable), handle_dtype, std::move(handle_shape));
}

Value FuncGraph::add_placeholder(DType dtype, Shape shape, std::string final_name, DType handle_dtype,
                                 Shape handle_shape) {
  static const OpDef& placeholder = Registry::get().at("Placeholder");
  Node node;
  node.op = &placeholder.signature;
  node.name = std::move(final_name);
  node.attrs.resize(placeholder.signature.attrs.size());
  node.attrs[static_cast<std::size_t>(placeholder.signature.attr_index("dtype"))] = dtype;
  node.attrs[static_cast<std::size_t>(placeholder.signature.attr_index("shape"))] = shape;
  node.outputs.push_back({dtype, std::move(shape), handle_dtype, std::move(handle_shape)});
  if (hooks.argument_source) node.source = hooks.argument_source();
  Value value{graph()->add(std::move(node)), 0};
  graph()->inputs.push_back(value);
  if (OpCallback* callback = op_callback()) {
    TargetScope scope(*this);
    Operand made(shared_graph(), value);
    callback->emitted(placeholder.signature, {}, std::span<const Operand>(&made, 1));
  }
  return value;
}

Operand FuncGraph::capture(const Operand& outer, const std::string& name) {
  if (outer.graph && outer.graph.get() == graph()) return outer;
  std::string key = key_of(outer);
  if (auto found = captured_.find(key); found != captured_.end()) return found->second;
  Operand inner;
  if (outer.is_eager()) {
    const Tensor& t = outer.tensor;
    bool constant = (is_plain(t.dtype()) || t.dtype() == DType::kString) && t.num_elements() <= kConstantElements;
    // Gradients flow through captures, and through the constants of the outermost function only.
    if (outer_ && outer_->is_function() && is_differentiable(outer)) constant = false;
    if (constant || !is_function_) {
      if (!constant && !is_plain(t.dtype()))
        fail(ErrorKind::kType, "A tensor of type ", tracefn::name(t.dtype()),
             " cannot be used in a tf.Graph that is not a function's.");
      inner = GraphTarget::import(outer, name);
    } else {
      inner = add_capture(outer, graph()->unique_name(name.empty() ? "captured" : name));
    }
    // Kept alive also because the key is an address.
    if (constant) {
      constants_.push_back({outer, inner.value});
      constant_positions_.push_back(captures_.size());
    }
  } else {
    if (!is_function_) return GraphTarget::import(outer, name);  // refuses it
    bool inside = reaches(outer.graph.get());
    if (!inside && !captures_others()) leaked_tensor(outer, graph());
    // One placeholder per tensor, whether it is used directly or through the outer graph's capture.
    Operand around = inside ? known_around(outer) : outer;
    std::string around_key = key_of(around);
    if (auto found = captured_.find(around_key); found != captured_.end()) {
      inner = found->second;
    } else {
      const std::string& node = outer.graph->node(outer.value.node).name;
      inner = add_capture(around, graph()->unique_name(node.substr(node.rfind('/') + 1)));
      captures_.back().origin = outer;
      if (around_key != key) captured_.emplace(std::move(around_key), inner);
    }
  }
  captured_.emplace(std::move(key), inner);
  return inner;
}

Operand FuncGraph::capture_as_input(const Operand& outer) {
  const std::string key = key_of(outer);
  if (!outer.is_eager() || !is_function_ || captured_.contains(key)) return capture(outer);
  const Operand inner = add_capture(outer, graph()->unique_name("captured"));
  captures_.back().stays_input = true;
  captured_.emplace(key, inner);
  return inner;
}

void FuncGraph::pass_as(const Operand& outer, const Operand& inner) {
  std::string key = key_of(outer);
  if (captured_.emplace(key, inner).second) passed_.push_back(std::move(key));
}

bool FuncGraph::captures_others() const { return captures_others_ || (outer_ && outer_->captures_others()); }

bool FuncGraph::reaches(const Graph* other) const {
  return outer_ && (outer_->graph() == other || outer_->reaches(other));
}

Operand FuncGraph::passed_for(const Capture& capture) {
  if (capture.stays_input) return capture_as_input(capture.outer);
  const Graph* from = capture.outer.graph.get();
  return !from || from == graph() || reaches(from) || !capture.origin.graph ? capture.outer : capture.origin;
}

std::vector<FuncGraph::Capture> FuncGraph::captures_and_constants() const {
  std::vector<Capture> all;
  std::size_t next = 0;
  for (std::size_t i = 0; i <= captures_.size(); ++i) {
    for (; next < constants_.size() && constant_positions_[next] == i; ++next) all.push_back(constants_[next]);
    if (i < captures_.size()) all.push_back(captures_[i]);
  }
  return all;
}

Operand FuncGraph::add_capture(const Operand& outer, std::string final_name) {
  if (finished_) leaked_tensor(outer, graph());
  DType handle_dtype = DType::kInvalid;
  Shape handle_shape = Shape::unknown();
  if (!outer.is_eager()) {
    handle_dtype = outer.graph->info(outer.value).handle_dtype;
    handle_shape = outer.graph->info(outer.value).handle_shape;
  } else if (outer.dtype() == DType::kResource && outer.tensor.rank() == 0) {
    if (auto* variable = dynamic_cast<const VariableResource*>(outer.tensor.object().get())) {
      handle_dtype = variable->dtype();
      handle_shape = variable->shape();
    } else if (auto* table = dynamic_cast<const LookupTable*>(outer.tensor.object().get())) {
      if (table->key_shape().rank() == 0) handle_shape = table->value_shape();
    }
  }
  Value inner =
      add_placeholder(outer.dtype(), outer.shape(), std::move(final_name), handle_dtype, std::move(handle_shape));
  graph()->inputs.pop_back();  // captures follow the arguments; finish() adds them
  captures_.push_back({outer, inner, outer});
  return Operand(shared_graph(), inner);
}

Operand FuncGraph::add_output(const Operand& value) {
  Operand inside = capture(value);
  TargetScope scope(*this);
  Operand output = emit1("Identity", {inside});
  graph()->info(output.value) = graph()->info(inside.value);
  graph()->outputs.push_back(output.value);
  return output;
}

void FuncGraph::finish() {
  if (finished_) return;
  std::vector<Value> captured;
  for (const Capture& capture : captures_) captured.push_back(capture.inner);
  finish_with(captured);
}

void FuncGraph::finish_with(const std::vector<Value>& captured) {
  TRACEFN_CHECK(!finished_);
  for (const std::string& key : passed_) captured_.erase(key);
  graph()->inputs.insert(graph()->inputs.end(), captured.begin(), captured.end());
  // Side effects that results depend on happen even if the results are known without them.
  for (NodeId id : orders_effects_ ? std::vector<NodeId>() : live_nodes(*graph())) {
    const OpSignature& op = *graph()->node(id).op;
    const bool has_effect = op.stateful && !op_def(op).facts.reads_variable;
    if (has_effect && std::ranges::count(graph()->control_outputs, id) == 0) graph()->control_outputs.push_back(id);
  }
  finished_ = true;
  outer_ = nullptr;
}

// The first character of a whole name is a letter, a digit or a dot.
bool FuncGraph::is_valid_name(std::string_view name) const {
  const auto is_first = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
  };
  const auto is_later = [&](char c) {
    return is_first(c) || std::string_view("_\\/>-").find(c) != std::string_view::npos;
  };
  return std::ranges::all_of(name, is_later) && (name.empty() || !scope_.empty() || is_first(name[0]));
}

void FuncGraph::check_scope(std::string_view name) const {
  if (is_valid_name(name)) return;
  const bool is_root = scope_.empty();
  fail(ErrorKind::kValue, "'", name, "' is not a valid ", is_root ? "root " : "", "scope name. A ",
       is_root ? "root " : "", "scope name has to match the following pattern: ^", is_root ? "[A-Za-z0-9.]" : "",
       "[A-Za-z0-9_.\\\\/>-]*$");
}

void FuncGraph::check_name(const OpDef& op, std::string_view name) const {
  if (name.ends_with('/')) return;  // made of names that were checked
  if (op.signature.kind != OpKind::kConst) return check_scope(name);
  if (!is_valid_name(name))
    fail(ErrorKind::kValue, "`", scope_, name,
         "` is not a valid node name. Accepted names conform to Regex "
         "/re.compile('^[A-Za-z0-9.][A-Za-z0-9_.\\\\\\\\/>-]*$')/");
}

std::string FuncGraph::enter_scope(const std::string& name) {
  check_scope(name);
  std::string previous = scope_;
  if (name.empty()) {
    scope_.clear();
  } else if (name.back() == '/') {
    scope_ = name;
  } else {
    scope_ = graph()->unique_name(scope_ + name) + "/";
  }
  return previous;
}

std::string FuncGraph::scoped_name(std::string_view name) {
  if (finalized_) fail(ErrorKind::kRuntime, "Graph is finalized and cannot be modified.");
  return GraphTarget::scoped_name(name.ends_with('/') ? name : scope_ + std::string(name));
}

std::uint64_t FuncGraph::enter_control_dependencies(std::vector<NodeId> nodes, bool clear) {
  control_stack_.push_back({++last_control_frame_, std::move(nodes), clear, {}});
  return last_control_frame_;
}

void FuncGraph::leave_control_dependencies(std::uint64_t number) {
  std::erase_if(control_stack_, [&](const ControlFrame& frame) { return frame.number == number; });
}

void FuncGraph::visit_owned(OwnedVisitor& visitor) const {
  visitor.shared(shared_graph());
  for (const std::vector<Capture>* captures : {&captures_, &constants_})
    for (const Capture& capture : *captures) {
      capture.outer.visit_owned(visitor);
      capture.origin.visit_owned(visitor);
    }
  for (const auto& [key, inner] : captured_) inner.visit_owned(visitor);
}

Tensor FuncGraph::constant_value(const Operand& operand) {
  if (operand.graph.get() == graph() && outer_)
    for (const Capture& capture : captures_)
      if (capture.inner == operand.value)
        return capture.outer.is_eager() || !looks_outside() ? Tensor() : outer_->constant_value(capture.outer);
  // It may be used here without having been captured yet.
  if (outer_ && !operand.is_eager() && operand.graph.get() != graph()) return outer_->constant_value(operand);
  return GraphTarget::constant_value(operand);
}

Shape FuncGraph::contents(Value value) {
  if (outer_ && looks_outside())
    for (const Capture& capture : captures_)
      if (capture.inner == value && !capture.outer.is_eager() && capture.outer.graph.get() == outer_->graph())
        return outer_->contents(capture.outer.value);
  return GraphTarget::contents(value);
}

void FuncGraph::order_by_frames(NodeId id, Node& node) {
  auto uses = [&node](auto&& is) {
    return std::any_of(node.inputs.begin(), node.inputs.end(), [&](Value v) { return is(v.node); });
  };
  std::size_t first = control_stack_.size() - 1;
  while (first > 0 && !control_stack_[first].clear) --first;
  for (std::size_t i = first; i < control_stack_.size(); ++i) {
    ControlFrame& frame = control_stack_[i];
    frame.inside.insert(id);
    if (!uses([&](NodeId n) { return n != id && frame.inside.count(n) > 0; })) {
      auto& known = node.control_inputs;
      for (NodeId before : frame.before)
        if (before != id && !uses([&](NodeId n) { return n == before; }) &&
            std::find(known.begin(), known.end(), before) == known.end())
          known.push_back(before);
    }
  }
}

void FuncGraph::added(NodeId id) {
  Node& node = graph()->node(id);
  if (hooks.source) node.source = hooks.source();
  node.device = device_;
  if (auto found = gradient_names_.find(node.op->name); found != gradient_names_.end())
    node.gradient = gradient_of_name(found->second);
  if (!control_stack_.empty()) order_by_frames(id, node);
  if (node.op->stateful && orders_effects_) order_effects(id);
  if (hooks.owner && may_own(node)) hooks.owner(shared_graph(), node);
  // The function may add nodes and leave its context, so nothing is read after it. If it fails, the node stays.
  if (const std::shared_ptr<DeviceFunction> function = device_function_) function->place(*this, id);
}

namespace {

// They have state, but whether they run shows only in their results.
bool is_random(const Node& node) {
  for (const char* name :
       {"RandomUniform", "RandomUniformInt", "RandomStandardNormal", "ParameterizedTruncatedNormal", "TruncatedNormal",
        "RandomShuffle", "Multinomial", "RandomGamma", "RandomGammaGrad", "RandomPoisson", "RandomCrop"})
    if (node.op->name == name) return true;
  return false;
}

}  // namespace

void FuncGraph::add_control_output() {
  static const OpDef& op = Registry::get().at("NoOp");
  std::vector<NodeId> before;
  for (NodeId id : graph()->control_outputs)
    if (!is_random(graph()->node(id))) before.push_back(id);
  if (before.empty()) return;
  struct After {
    FuncGraph& graph;
    std::uint64_t number;
    ~After() { graph.leave_control_dependencies(number); }
  } after{*this, enter_control_dependencies(std::move(before), true)};
  Operands none;
  emit(op, {}, {}, "NoOp", none);
}

void FuncGraph::order_effects(NodeId id) {
  Node& node = graph()->node(id);
  auto after = [&](NodeId before) {
    if (before < 0 || before == id) return;
    for (NodeId c : node.control_inputs)
      if (c == before) return;
    node.control_inputs.push_back(before);
  };
  bool on_resource = false;
  for (Value v : node.inputs) {
    if (graph()->info(v).dtype != DType::kResource) continue;
    on_resource = true;
    auto [last, fresh] = last_on_resource_.try_emplace(v.node, id);
    if (!fresh) after(std::exchange(last->second, id));
  }
  if (!on_resource) after(std::exchange(last_effect_, id));
  graph()->control_outputs.push_back(id);
}

}  // namespace tracefn
