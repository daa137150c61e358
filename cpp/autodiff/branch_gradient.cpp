// Gradients of If, Case and calls in graphs: the node returns extra results that the backward branches need, and a
// second node of its kind runs them.
#include <algorithm>

#include "autodiff/body_gradient.h"
#include "autodiff/saved_values.h"
#include "autodiff/tape.h"
#include "base/check.h"
#include "ops/node_kinds.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

// The source of a backward branch's input, as a value of the outer graph.
bool same_operand(const Operand& a, const Operand& b) {
  if (a.graph || b.graph) return a.graph == b.graph && a.value == b.value;
  return TensorIdentity(a) == TensorIdentity(b) && a.tensor.raw() == b.tensor.raw();
}

// The functions that a node holds.
class Branches {
 public:
  explicit Branches(const OpDef& op) : op_(op) {}

  std::vector<FuncRef> of(const AttrList& attrs) const {
    if (int at = op_.signature.attr_index("branches"); at >= 0) return attrs[static_cast<std::size_t>(at)].funcs();
    std::vector<FuncRef> functions;
    for (std::size_t i = 0; i < attrs.size(); ++i)
      if (op_.signature.attrs[i].kind == Attr::Kind::kFunc) functions.push_back(attrs[i].func());
    return functions;
  }
  void set(AttrList& attrs, const std::vector<FuncRef>& functions) const {
    if (int at = op_.signature.attr_index("branches"); at >= 0) {
      attrs[static_cast<std::size_t>(at)] = functions;
      return;
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < attrs.size(); ++i)
      if (op_.signature.attrs[i].kind == Attr::Kind::kFunc) attrs[i] = functions[next++];
  }

 private:
  const OpDef& op_;
};

Attr& attr_of(const OpDef& op, AttrList& attrs, std::string_view name) {
  return attrs[static_cast<std::size_t>(op.signature.attr_index(name))];
}

// A gradient as IndexedSlices; a dense one gets all rows.
Gradient as_rows(const Gradient& gradient, DType index_type) {
  if (gradient.is_indexed_slices())
    return Gradient(gradient.values, build::cast(gradient.indices, index_type), gradient.dense_shape);
  Operand shape = build::shape_of(gradient.values);
  Operand count =
      emit1("StridedSlice", {shape, build::ints({0}), build::ints({1}), build::ints({1})}, {{"shrink_axis_mask", 1}});
  Operand all =
      emit1("Range", {build::scalar(index_type, 0), build::cast(count, index_type), build::scalar(index_type, 1)});
  return Gradient(gradient.values, all, shape);
}

// A value of the same dtype, for a result that this branch does not use.
Value dummy(const std::shared_ptr<Graph>& graph, DType dtype, DType element) {
  GraphTarget target(graph);
  TargetScope scope(target);
  if (dtype == DType::kVariant) {
    Operand shape = build::constant(Tensor::scalar(std::int32_t{-1}));
    return emit1("EmptyTensorList", {shape, shape},
                 {{"element_dtype", element == DType::kInvalid ? DType::kFloat : element}})
        .value;
  }
  if (dtype == DType::kString) return build::constant(Tensor::zeros(DType::kString, Shape())).value;
  if (dtype == DType::kResource)
    fail(ErrorKind::kUnimplemented, "The gradient needs a variable that is made inside a branch.");
  return build::scalar(dtype, 0).value;
}

// The rule of a backward call some of whose inputs get zeros if no gradient flows.
class RelatedRule final : public GradientRule {
 public:
  explicit RelatedRule(std::vector<std::size_t> inputs) : inputs_(std::move(inputs)) {}
  void differentiate(GradContext& c) override {
    call_gradient(c);
    for (std::size_t i : inputs_)
      if (c.wanted(i) && !c.results()[i].defined()) c.to_input(i, zero_gradient(c.input(i)));
  }

 private:
  std::vector<std::size_t> inputs_;
};

class BranchGradient {
 public:
  // The branches receive the node's inputs from `first_input` on.
  BranchGradient(GradContext& c, std::size_t first_input)
      : c_(c), first_input_(first_input), graph_(c.output(0).graph), id_(c.output(0).value.node), access_(c.op()) {}

  void run() {
    if (!graph_) fail(ErrorKind::kUnimplemented, "The gradient of an eager ", c_.op().name(), " op is not supported.");
    functions_ = access_.of(c_.attrs());
    differentiate();
    if (given_.empty()) return;
    for (BodyGradient& branch : branches_) add_gradients(branch);
    for (std::size_t b = 0; b < branches_.size(); ++b) place_saved(b);
    add_related();
    extend_node();
    emit_backward();
  }

 private:
  void differentiate() {
    for (std::size_t j = 0; j < c_.num_outputs(); ++j)
      if (c_.has_dy(j)) dy_outputs_.push_back(j);
    std::vector<std::size_t> wanted;
    for (std::size_t i = first_input_; i < c_.num_inputs(); ++i)
      if (c_.wanted(i)) wanted.push_back(i - first_input_);
    for (const FuncRef& f : functions_) {
      std::vector<Value> sources;
      sources.reserve(wanted.size());
      for (std::size_t i : wanted) sources.push_back(f.body->inputs[i]);
      branches_.push_back(
          differentiate_body(*f.body, sources, dy_outputs_, derived_name(f.name, "grad"), current_scope()));
    }
    for (std::size_t k = 0; k < wanted.size(); ++k)
      if (std::any_of(branches_.begin(), branches_.end(), [&](auto& b) { return b.gradients[k].defined(); }))
        given_.push_back({wanted[k], k, index_type(k)});
  }

  // The gradient of a source is IndexedSlices if some branch has IndexedSlices, as in TensorFlow; with 64-bit indices
  // if they differ. Invalid: dense.
  DType index_type(std::size_t k) const {
    DType type = DType::kInvalid;
    for (const BodyGradient& branch : branches_) {
      if (!branch.gradients[k].is_indexed_slices()) continue;
      DType own = branch.gradients[k].indices.dtype();
      type = type == DType::kInvalid || type == own ? own : DType::kInt64;
    }
    return type;
  }

  // The backward branch's results: a gradient, or zeros, for each input that any branch has one for.
  void add_gradients(BodyGradient& branch) {
    TapePause pause;
    TargetScope scope(*branch.backward);
    for (const Given& given : given_) {
      Gradient gradient = branch.gradients[given.source];
      if (!gradient.defined()) gradient = zero_gradient(Operand(branch.forward, branch.forward->inputs[given.input]));
      if (given.index_type == DType::kInvalid) {
        branch.backward->add_output(gradient.values);
        continue;
      }
      Gradient rows = as_rows(gradient, given.index_type);
      branch.backward->add_output(rows.values);
      branch.backward->add_output(rows.indices);
      branch.backward->add_output(rows.dense_shape);
    }
  }

  // Finds or creates the input of the backward node for each capture of backward branch b.
  void place_saved(std::size_t b) {
    const BodyGradient& branch = branches_[b];
    std::vector<std::pair<std::size_t, Value>>& places = places_.emplace_back();
    const Graph& forward = *branch.forward;
    auto at_hand = [&](Value v) { return input_index(forward, v) >= 0 || output_index(forward, v) >= 0; };
    for (const FuncGraph::Capture& capture : choose_saved(branch.forward, *branch.backward, at_hand)) {
      Operand source = capture.outer;
      if (source.graph == branch.forward) source = in_graph_around(b, source.value);
      // A value captured under two names takes two inputs.
      auto taken = [&](std::size_t k) {
        return std::any_of(places.begin(), places.end(), [&](const auto& place) { return place.first == k; });
      };
      std::size_t at = 0;
      while (at < sources_.size() && (taken(at) || !same_operand(sources_[at], source))) ++at;
      if (at == sources_.size()) sources_.push_back(source);
      places.emplace_back(at, capture.inner);
    }
  }

  // The outer graph's name for a value of branch b's forward graph.
  Operand in_graph_around(std::size_t b, Value value) {
    const Graph& forward = *branches_[b].forward;
    value = behind_identity(forward, value);
    if (std::int64_t i = input_index(forward, value); i >= 0)
      return c_.input(first_input_ + static_cast<std::size_t>(i));
    std::size_t before = c_.num_outputs();
    if (std::int64_t j = output_index(forward, value); j >= 0)
      return Operand(graph_, {id_, static_cast<std::int32_t>(j)});
    // Lists share a slot only if gradients flow to both or neither: their element decides.
    const DType dtype = forward.info(value).dtype, element = forward.info(value).handle_dtype;
    std::size_t s = 0;
    for (; s < slots_.size(); ++s)
      if (slots_[s].values[b] == value ||
          (slots_[s].dtype == dtype && slots_[s].element == element && slots_[s].values[b].node < 0))
        break;
    if (s == slots_.size()) slots_.push_back({dtype, element, std::vector<Value>(branches_.size())});
    slots_[s].values[b] = value;
    return Operand(graph_, {id_, static_cast<std::int32_t>(before + s)});
  }

  // The node also returns the saved values.
  void extend_node() {
    Node& node = graph_->node(id_);
    if (slots_.empty()) {
      // Bodies may still have changed inside: a loop in a branch now saves more.
      std::vector<FuncRef> functions;
      for (std::size_t b = 0; b < branches_.size(); ++b) functions.push_back(rewritten(b));
      access_.set(node.attrs, functions);
      return;
    }
    std::vector<DType> types = attr_of(c_.op(), node.attrs, "Tout").types();
    for (const Slot& slot : slots_) {
      OutputInfo info;
      info.dtype = slot.dtype;
      bool first = true;
      for (std::size_t b = 0; b < branches_.size(); ++b) {
        Graph& forward = *branches_[b].forward;
        Value value = slot.values[b];
        if (value.node < 0) {
          forward.outputs.push_back(dummy(branches_[b].forward, slot.dtype, slot.element));
          info.shape = Shape::unknown();
          first = false;
          continue;
        }
        forward.outputs.push_back(value);
        const OutputInfo& own = forward.info(value);
        if (first) {
          info = own;
        } else if (!(info.shape == own.shape)) {
          info.shape = Shape::unknown();
        }
        if (info.handle_dtype == DType::kInvalid) {
          info.handle_dtype = own.handle_dtype;
          info.handle_shape = own.handle_shape;
        }
        first = false;
      }
      types.push_back(slot.dtype);
      node.outputs.push_back(std::move(info));
    }
    attr_of(c_.op(), node.attrs, "Tout") = std::move(types);
    if (int at = c_.op().signature.attr_index("output_shapes"); at >= 0) {
      Attr& attr = node.attrs[static_cast<std::size_t>(at)];
      if (!attr.shapes().empty()) {
        std::vector<Shape> shapes;
        for (const OutputInfo& info : node.outputs) shapes.push_back(info.shape);
        attr = std::move(shapes);
      }
    }
    std::vector<FuncRef> functions;
    for (std::size_t b = 0; b < branches_.size(); ++b) functions.push_back(rewritten(b));
    access_.set(node.attrs, functions);
  }

  FuncRef rewritten(std::size_t b) const {
    return {derived_name(functions_[b].name, "rewritten"), branches_[b].forward};
  }

  void emit_backward() {
    const std::size_t num_dys = dy_outputs_.size();
    std::vector<FuncRef> functions;
    bool effects = false;
    std::vector<Shape> shapes;
    std::vector<DType> types;
    for (std::size_t b = 0; b < branches_.size(); ++b) {
      GradientGraph& backward = *branches_[b].backward;
      Graph& graph = *backward.graph();
      std::vector<Value> captured(sources_.size());
      for (auto [at, inner] : places_[b]) captured[at] = inner;
      for (std::size_t k = 0; k < sources_.size(); ++k)
        if (captured[k].node < 0) captured[k] = add_argument(graph, unused_info(sources_[k]), "unused");
      TRACEFN_CHECK(graph.inputs.size() == num_dys);
      backward.finish_with(captured);
      effects = effects || backward.has_effects();
      functions.push_back({graph.name(), backward.shared_graph()});
      for (std::size_t j = 0; j < graph.outputs.size(); ++j) {
        const OutputInfo& info = graph.info(graph.outputs[j]);
        if (b == 0) {
          shapes.push_back(info.shape);
          types.push_back(info.dtype);
        } else {
          shapes[j] = most_specific_common_supertype(shapes[j], info.shape);
        }
      }
    }
    Operands inputs;
    for (std::size_t i = 0; i < first_input_; ++i) inputs.push_back(c_.input(i));
    for (std::size_t j : dy_outputs_) inputs.push_back(c_.dy(j));
    for (const Operand& source : sources_) inputs.push_back(source);
    const OpDef& op = backward_op(effects);
    AttrList attrs(op.signature.attrs.size());
    attr_of(op, attrs, "Tout") = std::move(types);
    if (op.signature.attr_index("output_shapes") >= 0) attr_of(op, attrs, "output_shapes") = std::move(shapes);
    // Function attributes must exist before Branches can fill them.
    for (std::size_t i = 0; i < attrs.size(); ++i) {
      if (op.signature.attrs[i].kind == Attr::Kind::kFuncs) attrs[i] = functions;
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < attrs.size(); ++i)
      if (op.signature.attrs[i].kind == Attr::Kind::kFunc) attrs[i] = functions[next++];
    Operands outputs;
    emit(op, inputs, std::move(attrs), outputs);
    std::size_t at = 0;
    for (const Given& given : given_) {
      bool rows = given.index_type != DType::kInvalid;
      c_.to_input(first_input_ + given.input,
                  rows ? Gradient(outputs[at], outputs[at + 1], outputs[at + 2]) : Gradient(outputs[at]));
      at += rows ? 3 : 1;
    }
    if (!related_.empty())
      outputs[0].graph->node(outputs[0].value.node).gradient = make_ref<RelatedRule>(std::move(related_));
  }

  // As in TensorFlow, the gradient of a call depends on its input, even where it is constant.
  void add_related() {
    if (first_input_ != 0) return;
    for (const Given& given : given_) {
      const Operand& x = c_.input(given.input);
      if (x.dtype() == DType::kVariant) continue;
      std::size_t k = 0;
      while (k < sources_.size() && !same_operand(sources_[k], x)) ++k;
      if (k == sources_.size()) sources_.push_back(x);
      related_.push_back(dy_outputs_.size() + k);
    }
  }

  static OutputInfo unused_info(const Operand& x) {
    OutputInfo info = info_of(x);
    info.shape = Shape::unknown();
    return info;
  }

  const OpDef& backward_op(bool effects) const {
    switch (c_.op().signature.kind) {
      case OpKind::kCall:
        return Registry::get().at(effects ? "StatefulPartitionedCall" : "PartitionedCall");
      case OpKind::kCase:
        return Registry::get().at(effects ? "Case" : "StatelessCase");
      default:
        return Registry::get().at(effects ? "If" : "StatelessIf");
    }
  }

  // A gradient that the backward branches return.
  struct Given {
    std::size_t input;   // of the branches
    std::size_t source;  // index among the sources
    DType index_type;    // of IndexedSlices
  };

  // A result added for the backward branches; a branch without a value for it has node -1 there.
  struct Slot {
    DType dtype;
    DType element;  // for lists
    std::vector<Value> values;
  };

  GradContext& c_;
  std::size_t first_input_;
  std::shared_ptr<Graph> graph_;
  NodeId id_;
  Branches access_;
  std::vector<FuncRef> functions_;
  std::vector<BodyGradient> branches_;
  std::vector<std::size_t> dy_outputs_;
  std::vector<Given> given_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> related_;                                // inputs of the backward node
  std::vector<Operand> sources_;                                    // inputs of the backward node, after the dys
  std::vector<std::vector<std::pair<std::size_t, Value>>> places_;  // by branch: index into sources_, its placeholder
};

}  // namespace

void conditional_gradient(GradContext& c) { BranchGradient(c, 1).run(); }
void call_gradient(GradContext& c) { BranchGradient(c, 0).run(); }

}  // namespace tracefn
