// Appends nodes: imports, shape rule, names, errors.
#include "ops/graph_target.h"

#include "base/check.h"
#include "ops/build.h"
#include "ops/infer.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

// "5", "1 2 3", "[1 2][3 4]": integers and booleans as TensorFlow summarizes them in shape errors.
std::string summary(const Tensor& t, int axis, std::int64_t& at) {
  if (axis == t.rank()) {
    std::int64_t i = at++;
    if (t.dtype() == DType::kBool) return t.data<bool>()[i] ? "1" : "0";
    return concat(t.int_at(i));
  }
  std::string out;
  for (std::int64_t i = 0; i < t.shape()[axis]; ++i) {
    std::string element = summary(t, axis + 1, at);
    out += axis + 1 < t.rank() ? "[" + element + "]" : (i ? " " : "") + element;
  }
  return out;
}

bool can_summarise(const Tensor& t) {
  return (t.dtype() == DType::kInt32 || t.dtype() == DType::kInt64 || t.dtype() == DType::kBool) &&
         t.num_elements() <= 256;
}

// " with input shapes: [3], [2] and with computed input tensors: input[1] = <0>."
std::string inputs_text(const InferContext& c) {
  std::string shapes, values, partial;
  for (std::size_t i = 0; i < c.num_inputs(); ++i) {
    shapes += concat(i ? ", " : "", c.shape(i).has_rank() ? c.shape(i).text() : "?");
    if (c.asked_shape(i)) {
      Shape shape;
      try {
        shape = c.shape_value(i, true);
      } catch (const Error&) {
        continue;  // not a shape at all: that is the error being reported
      }
      if (shape.has_rank()) partial += concat(partial.empty() ? "" : ", ", "input[", i, "] = ", shape.text());
    } else if (c.asked_value(i) && c.input(i).value && can_summarise(*c.input(i).value)) {
      std::int64_t at = 0;
      values += concat(values.empty() ? "" : ", ", "input[", i, "] = <", summary(*c.input(i).value, 0, at), ">");
    }
  }
  std::string out = " with input shapes: " + shapes;
  if (!values.empty()) out += " and with computed input tensors: " + values;
  if (!partial.empty()) out += " and with input tensors computed as partial shapes: " + partial;
  return out + ".";
}

// TensorFlow's name for the node of a captured input: "add/y", "concat/values_0".
std::string input_name(const Node& node, std::size_t input) {
  std::size_t left = input;
  for (const ArgDef& arg : node.op->inputs) {
    std::size_t n = 1;
    if (!arg.number_attr.empty()) n = static_cast<std::size_t>(node.attr(arg.number_attr).i());
    if (!arg.type_list_attr.empty()) n = node.attr(arg.type_list_attr).types().size();
    if (left < n) return arg.is_list() ? concat(node.name, "/", arg.name, "_", left) : concat(node.name, "/", arg.name);
    left -= n;
  }
  fail(ErrorKind::kInternal, "node ", node.name, " has no input ", input);
}

}  // namespace

class GraphTarget::PartialInputs final : public InferContext::PartialValues {
 public:
  PartialInputs(GraphTarget& target, const Node& node) : target_(target), node_(node) {}
  Shape as_shape(std::size_t input) const override { return target_.contents(node_.inputs[input]); }

 private:
  GraphTarget& target_;
  const Node& node_;
};

void GraphTarget::emit(const OpDef& op, std::span<const Operand> inputs, AttrList attrs, std::string_view name,
                       Operands& outputs) {
  Node node;
  node.op = &op.signature;
  node.attrs = std::move(attrs);
  if (!name.empty()) check_name(op, name);
  node.name = scoped_name(name.empty() ? std::string_view(op.name()) : name);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Operand& in = inputs[i];
    if (in.graph == graph_) {
      node.inputs.push_back(in.value);
    } else {
      Operand inside = import(in, in.is_eager() ? input_name(node, i) : "");
      TRACEFN_CHECK(inside.graph == graph_);
      node.inputs.push_back(inside.value);
    }
  }
  infer(node);
  std::size_t n = node.outputs.size();
  NodeId id = place(std::move(node));
  added(id);
  last_emitted_ = id;
  outputs.clear();
  for (std::size_t j = 0; j < n; ++j) outputs.push_back(operand({id, static_cast<std::int32_t>(j)}));
}

void GraphTarget::infer(Node& node) {
  for (DType dtype : output_dtypes(*node.op, node.attrs)) node.outputs.push_back({dtype, Shape::unknown()});
  const std::string problem = infer_shapes(node);
  if (problem.empty()) return;
  if (lies_within()) {
    // A value of a graph around may be wrong for a branch that never runs. If it runs, the op reports that itself.
    struct Inside {
      explicit Inside(GraphTarget& t) : target(t) { set(false); }
      ~Inside() { set(true); }
      void set(bool looks_outside) {
        target.looks_outside_ = looks_outside;
        target.known_.swap(known);
      }
      GraphTarget& target;
      std::unordered_map<std::uint64_t, Tensor> known;
    } inside(*this);
    for (OutputInfo& output : node.outputs) output = {output.dtype, Shape::unknown()};
    if (infer_shapes(node).empty()) return;
  }
  fail(ErrorKind::kValue, problem);
}

std::string GraphTarget::infer_shapes(Node& node) {
  SmallVector<InferContext::Input, 4> known;
  SmallVector<Tensor, 4> values(node.inputs.size());
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const OutputInfo& info = graph_->info(node.inputs[i]);
    values[i] = evaluate(node.inputs[i]);
    known.push_back({&info.shape, info.dtype, values[i].defined() ? &values[i] : nullptr, &info});
  }
  PartialInputs partial(*this, node);
  InferContext context(*node.op, node.attrs, std::span<const InferContext::Input>(known.data(), known.size()),
                       std::span(node.outputs.data(), node.outputs.size()), &partial);
  try {
    op_def(*node.op).infer(context);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kInvalidArgument) throw;
    return concat(e.message(), " for '", node_text(*graph_, node), "'", inputs_text(context));
  }
  return {};
}

Operand GraphTarget::import(const Operand& outer, const std::string& name) {
  if (!outer.is_eager())
    fail(ErrorKind::kValue, "Tensor \"", outer.graph->value_name(outer.value), "\" of graph '", outer.graph->name(),
         "' must be from the same graph as the op, which is in graph '", graph_->name(), "'.");
  TargetScope scope(*this);
  EmitListener* listener = set_listener(nullptr);
  struct Restore {
    EmitListener* listener;
    ~Restore() { set_listener(listener); }
  } restore{listener};
  if (name.empty()) return build::constant(outer.tensor);
  static const OpDef& op = Registry::get().at("Const");
  AttrList attrs(op.signature.attrs.size());
  attrs[static_cast<std::size_t>(op.signature.attr_index("value"))] = outer.tensor;
  attrs[static_cast<std::size_t>(op.signature.attr_index("dtype"))] = outer.dtype();
  Operands outputs;
  emit(op, {}, std::move(attrs), graph_->unique_name(name) + "/", outputs);  // a name that ends in '/' is final
  return std::move(outputs[0]);
}

std::string GraphTarget::scoped_name(std::string_view name) {
  // A name that ends in '/' is complete already (a re-entered scope).
  if (name.ends_with('/')) return std::string(name.substr(0, name.size() - 1));
  return graph_->unique_name(std::string(name));
}

}  // namespace tracefn
