// Shape arithmetic that follows from the graph: vectors of known dimensions, reshapes and broadcasts to the shape
// already present, sum-to-shape axes of gradients that were not broadcast. Gradients of functions with an unknown batch
// size are full of it. Static shapes are inferred again where inputs became better known.
#include <algorithm>
#include <map>

#include "ops/build.h"
#include "ops/contents.h"
#include "passes/pass.h"
#include "passes/symbolic_shapes.h"

namespace tracefn {
namespace {

class Resolver {
 public:
  explicit Resolver(const Graph& graph) : rewriter_(graph), shapes_(rewriter_) {}

  std::shared_ptr<Graph> run() {
    return rewriter_.run([this](const Node& node, NodeId) {
      if (node.op->stateful || node.inputs.empty()) return Replacement();
      Replacement found = as_constant(node);
      if (found.empty()) found = by_op(node);
      if (found.empty()) found = rewriter_.again(node);
      return found;
    });
  }

 private:
  Replacement by_op(const Node& node) {
    const std::string& op = node.op->name;
    if (!node.control_inputs.empty()) return {};
    if (op == "Reshape" || op == "BroadcastTo") {
      Replacement same = unchanged(node);
      return same.empty() && op == "Reshape" ? with_axes_kept(node) : same;
    }
    if (op == "Sum") return unrepeated(node);
    if (op == "Shape") return first_of_shape(node);
    if (op == "AddN") return added_one_by_one(node);
    if (op == "RealDiv") return over_known_ratio(node);
    return {};
  }

  Replacement as_constant(const Node& node) {
    if (node.outputs.size() != 1 || !node.control_inputs.empty()) return {};
    const OutputInfo& info = node.outputs[0];
    if (!info.shape.is_fully_known() || !op_def(*node.op).facts.contents) return {};
    const Dims* elements = shapes_.contents_of_new(node);
    if (!elements) return {};
    // That there are none follows from the shape alone: computing the inputs may still fail.
    if (elements->empty() && !op_def(*node.op).facts.measures) return {};
    const Tensor value = tensor_of_contents(Shape(*elements), info.dtype, info.shape);
    if (!value.defined()) return {};
    return rewriter_.make([&] { return build::constant(value); });
  }

  // A result with the input's shape.
  Replacement unchanged(const Node& node) {
    const Dims* from = shapes_.shape(node.inputs[0]);
    if (!from) return {};
    const Dims dims = *from;
    const Dims* to = shapes_.contents(node.inputs[1]);
    if (to && SymbolicShapes::same(dims, *to)) return {node.inputs[0]};
    return {};
  }

  // A reduction's result reshaped to its keepdims shape.
  Replacement with_axes_kept(const Node& node) {
    const Node& reduction = rewriter_.producer(node.inputs[0]);
    const int keep_dims = reduction.op->attr_index("keep_dims");
    if (keep_dims < 0 || reduction.inputs.size() != 2 || reduction.attrs[static_cast<std::size_t>(keep_dims)].b())
      return {};
    const Dims* from = shapes_.shape(reduction.inputs[0]);
    Tensor axes = rewriter_.known(reduction.inputs[1]);
    if (!from || !axes.defined()) return {};
    Dims kept = *from;
    for (std::int64_t i = 0; i < axes.num_elements(); ++i) {
      std::int64_t axis = axes.int_at(i) < 0 ? axes.int_at(i) + static_cast<std::int64_t>(kept.size()) : axes.int_at(i);
      if (axis < 0 || axis >= static_cast<std::int64_t>(kept.size())) return {};
      kept[static_cast<std::size_t>(axis)] = 1;
    }
    const Dims* to = shapes_.contents(node.inputs[1]);
    if (!to || !SymbolicShapes::same(kept, *to)) return {};
    AttrList attrs = reduction.attrs;
    attrs[static_cast<std::size_t>(keep_dims)] = true;
    return rewriter_.again(node, op_def(*reduction.op), reduction.inputs, std::move(attrs));
  }

  // AddN of tensors of one shape becomes additions in AddN's order, which can be fused.
  Replacement added_one_by_one(const Node& node) {
    constexpr std::size_t kMost = 16;
    const DType dtype = node.outputs[0].dtype;
    if (node.inputs.size() < 2 || node.inputs.size() > kMost || (!is_floating(dtype) && !is_integer(dtype))) return {};
    for (std::size_t i = 1; i < node.inputs.size(); ++i)
      if (!shapes_.same_shape(node.inputs[0], node.inputs[i])) return {};
    return rewriter_.make([&] {
      Operand sum = rewriter_.operand(node.inputs[0]);
      for (std::size_t i = 1; i < node.inputs.size(); ++i) sum = build::add(sum, rewriter_.operand(node.inputs[i]));
      return sum;
    });
  }

  // x / cast(size(a) // max(size(b), 1)), from the gradient of a mean, where one size is a multiple of the other: the
  // ratio is that number unless b is empty. Then x, whose shape holds b's unknown dimensions, is empty, too.
  Replacement over_known_ratio(const Node& node) {
    const Node& cast = rewriter_.producer(node.inputs[1]);
    if (cast.op->name != "Cast") return {};
    const Node& ratio = rewriter_.producer(cast.inputs[0]);
    if (ratio.op->name != "FloorDiv") return {};
    const Node& whole = rewriter_.producer(ratio.inputs[0]);
    const Node& at_least_one = rewriter_.producer(ratio.inputs[1]);
    if (whole.op->name != "Size" || at_least_one.op->name != "Maximum") return {};
    const Node& part = rewriter_.producer(at_least_one.inputs[0]);
    Tensor one = rewriter_.known(at_least_one.inputs[1]);
    if (part.op->name != "Size" || !one.defined() || !one.shape().is_scalar() || one.int_at(0) != 1) return {};
    std::optional<Count> a = count(whole.inputs[0]), b = count(part.inputs[0]);
    if (!a || !b || a->symbols != b->symbols || b->number <= 0 || a->number <= 0 || a->number % b->number != 0)
      return {};
    const Dims* x = shapes_.shape(node.inputs[0]);
    if (!x) return {};
    for (std::int64_t symbol : b->symbols)
      if (std::find(x->begin(), x->end(), symbol) == x->end()) return {};
    const std::int64_t number = a->number / b->number;
    return rewriter_.make([&] {
      Operand rounded = build::constant(Tensor::scalar(number));
      return build::div(rewriter_.operand(node.inputs[0]), build::cast(rounded, node.outputs[0].dtype));
    });
  }

  // The number of elements: a number times unknown dimensions.
  struct Count {
    std::int64_t number = 1;
    std::vector<std::int64_t> symbols;
  };
  std::optional<Count> count(Value v) {
    const Dims* dims = shapes_.shape(v);
    if (!dims) return std::nullopt;
    Count n;
    for (std::int64_t d : *dims) {
      if (SymbolicShapes::is_symbol(d)) {
        n.symbols.push_back(d);
      } else if (d < 0 || __builtin_mul_overflow(n.number, d, &n.number)) {
        return std::nullopt;
      }
    }
    std::sort(n.symbols.begin(), n.symbols.end());
    return n;
  }

  // A sum-to-shape of one of two broadcast operands, where the axes are certain.
  Replacement unrepeated(const Node& node) {
    const Node& axes = rewriter_.producer(node.inputs[1]);
    if (axes.op->name != "BroadcastGradientArgs") return {};
    const std::size_t j = static_cast<std::size_t>(node.inputs[1].output);
    const Dims* a = shapes_.contents(axes.inputs[j]);
    if (!a) return {};
    const Dims own = *a;
    const Dims* b = shapes_.contents(axes.inputs[1 - j]);
    if (!b) return {};
    std::vector<std::int32_t> repeated;
    const std::size_t rank = std::max(own.size(), b->size());
    for (std::size_t i = 0; i < rank; ++i) {
      std::int64_t mine = i + own.size() < rank ? 1 : own[i + own.size() - rank];
      std::int64_t other = i + b->size() < rank ? 1 : (*b)[i + b->size() - rank];
      if (mine == 1) {
        if (other != 1) repeated.push_back(static_cast<std::int32_t>(i));
      } else if (mine < 0 && other != 1 && (mine == kUnknownDim || mine != other)) {
        return {};  // may be 1
      }
    }
    if (repeated.empty()) return {node.inputs[0]};
    return rewriter_.make([&] {
      return build::sum(rewriter_.operand(node.inputs[0]), build::ints(repeated), node.attr("keep_dims").b());
    });
  }

  // Queries of equal shapes read one tensor, so that the others need not be kept alive.
  Replacement first_of_shape(const Node& node) {
    const Value origin = origin_of_shape(node.inputs[0]);
    const Dims* dims = shapes_.shape(origin);
    if (!dims || std::find(dims->begin(), dims->end(), kUnknownDim) != dims->end()) return {};
    std::vector<std::int64_t> key(dims->begin(), dims->end());
    key.push_back(static_cast<std::int64_t>(node.outputs[0].dtype));
    const auto first = first_.try_emplace(std::move(key), origin).first;
    if (first->second == node.inputs[0]) return {};
    return rewriter_.again(node, {first->second});
  }

  // The first of several elementwise ops that have the shape.
  Value origin_of_shape(Value v) {
    constexpr int kMostSteps = 64;
    for (int step = 0; step < kMostSteps; ++step) {
      const Node& node = rewriter_.producer(v);
      if (!op_def(*node.op).block) break;
      auto same = std::find_if(node.inputs.begin(), node.inputs.end(),
                               [&](Value input) { return shapes_.same_shape(input, v); });
      if (same == node.inputs.end()) break;
      v = *same;
    }
    return v;
  }

  Rewriter rewriter_;
  SymbolicShapes shapes_;
  std::map<std::vector<std::int64_t>, Value> first_;  // by shape and dtype of the answer
};

std::shared_ptr<Graph> simplify_shapes(const Graph& graph) { return Resolver(graph).run(); }

}  // namespace

const Pass kSimplifyShapes{"simplify_shapes", "shapes that follow from the graph need not be computed in every call",
                           kShapeOptimization, simplify_shapes};

}  // namespace tracefn
