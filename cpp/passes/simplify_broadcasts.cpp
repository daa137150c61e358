// Broadcast tensors (BroadcastTo, Fill, zeros and ones) as operands of elementwise ops. If another operand has the full
// shape, the op broadcasts implicitly: the full tensor is not made, and the op can be fused. Otherwise the op runs
// before the broadcast. Gradients of reductions produce many of these.
#include <algorithm>

#include "ops/build.h"
#include "passes/pass.h"
#include "passes/symbolic_shapes.h"

namespace tracefn {
namespace {

class Narrower {
 public:
  explicit Narrower(const Graph& graph) : rewriter_(graph), shapes_(rewriter_) {}

  std::shared_ptr<Graph> run() {
    return rewriter_.run([this](const Node& node, NodeId) {
      if (!op_def(*node.op).block || node.outputs.size() != 1 || !node.control_inputs.empty() ||
          node.op->name == "Select")
        return Replacement();
      Replacement found = narrowed(node);
      return found.empty() ? swapped(node) : found;
    });
  }

 private:
  // What a full tensor broadcasts: a value, or a number of the tensor's dtype.
  struct Repeated {
    std::optional<Value> value;
    double number = 0;
    bool as_scalar = false;  // a value of one element, of any rank
  };

  bool is_one_element(Value v) {
    const Dims* dims = shapes_.shape(v);
    return dims && std::all_of(dims->begin(), dims->end(), [](std::int64_t d) { return d == 1; });
  }

  std::optional<Repeated> repeated(Value v) {
    const Node* node = &rewriter_.producer(v);
    bool reshaped = false;
    while (node->op->name == "ExpandDims" || node->op->name == "Squeeze" || node->op->name == "Reshape") {
      node = &rewriter_.producer(node->inputs[0]);
      reshaped = true;
    }
    const std::string& op = node->op->name;
    if (op == "BroadcastTo" && is_one_element(node->inputs[0])) return Repeated{node->inputs[0], 0, true};
    if (op == "Fill") return Repeated{node->inputs[1], 0, true};
    if (op == "ZerosLike" || op == "OnesLike") {
      if (!is_plain(node->outputs[0].dtype)) return std::nullopt;
      return Repeated{std::nullopt, op == "OnesLike" ? 1.0 : 0.0, true};
    }
    if (op == "BroadcastTo" && !reshaped) return Repeated{node->inputs[0]};
    return std::nullopt;
  }

  Operand emitted(const Repeated& r, DType dtype) {
    if (!r.value) return build::scalar(dtype, r.number);
    Operand x = rewriter_.operand(*r.value);
    if (!r.as_scalar || x.shape().is_scalar()) return x;
    return build::reshape(x, build::constant(Tensor(DType::kInt32, Shape({0}))));
  }

  // Replaces one broadcast operand by its source.
  Replacement narrowed(const Node& node) {
    for (std::size_t i = 0; i < node.inputs.size() && node.inputs.size() > 1; ++i) {
      if (is_scalar(node.inputs[i])) continue;
      std::optional<Repeated> r = repeated(node.inputs[i]);
      if (!r || !another_is_full(node, i, *r)) continue;
      return rewriter_.make([&] { return with_operand(node, i, emitted(*r, rewriter_.info(node.inputs[i]).dtype)); });
    }
    return {};
  }

  bool is_scalar(Value v) const { return rewriter_.info(v).shape.is_scalar(); }

  bool another_is_full(const Node& node, std::size_t i, const Repeated& r) {
    const Dims* dims = shapes_.shape(node.inputs[i]);
    if (!dims) return false;
    const Dims full = *dims;
    Dims inner;
    if (r.value && !r.as_scalar) {
      const Dims* d = shapes_.shape(*r.value);
      if (!d) return false;
      inner = *d;
    }
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      if (k == i) continue;
      const Dims* other = shapes_.shape(node.inputs[k]);
      if (other && SymbolicShapes::repeats_to(full, *other) && SymbolicShapes::repeats_to(inner, *other)) return true;
    }
    return false;
  }

  // An op on a broadcast operand and scalars: runs on the source, and the result is broadcast. Not for integers: their
  // ops may fail, and must not if the full tensor is empty.
  Replacement swapped(const Node& node) {
    if (!is_floating(node.outputs[0].dtype)) return {};
    std::size_t at = node.inputs.size();
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (is_scalar(node.inputs[i])) continue;
      if (at < node.inputs.size() || rewriter_.producer(node.inputs[i]).op->name != "BroadcastTo" ||
          !is_floating(rewriter_.info(node.inputs[i]).dtype))
        return {};
      at = i;
    }
    if (at == node.inputs.size()) return {};
    return rewriter_.make([&] {
      const Node& broadcast = rewriter_.producer(node.inputs[at]);
      const Value inner = broadcast.inputs[0], shape = broadcast.inputs[1];
      Operand small = with_operand(node, at, rewriter_.operand(inner));
      return emit1("BroadcastTo", {small, rewriter_.operand(shape)});
    });
  }

  Operand with_operand(const Node& node, std::size_t i, Operand x) {
    Operands operands, outputs;
    for (Value v : node.inputs) operands.push_back(rewriter_.operand(v));
    operands[i] = std::move(x);
    emit(op_def(*node.op), operands, node.attrs, outputs);
    return outputs[0];
  }

  Rewriter rewriter_;
  SymbolicShapes shapes_;
};

std::shared_ptr<Graph> simplify_broadcasts(const Graph& graph) { return Narrower(graph).run(); }

}  // namespace

const Pass kSimplifyBroadcasts{"simplify_broadcasts",
                               "a tensor that an op repeats anyway need not be repeated in memory",
                               kArithmeticOptimization, simplify_broadcasts};

}  // namespace tracefn
