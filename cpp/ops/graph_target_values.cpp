// Static values in a graph under construction: constants, and partly known shape vectors.
#include <algorithm>

#include "base/error.h"
#include "ops/contents.h"
#include "ops/graph_target.h"
#include "ops/op_def.h"

namespace tracefn {
namespace {

// Larger values are not worth computing twice, and no shape rule reads them.
constexpr std::int64_t kMostElements = 4096;
// Longer chains of integers are left unknown. Values are evaluated as nodes are added, so one node at a time is usual.
constexpr int kMostDepth = 200;

struct Deeper {
  explicit Deeper(int& d) : depth(d) { ++depth; }
  ~Deeper() { --depth; }
  int& depth;
};

std::uint64_t key_of(Value v) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(v.node)) << 32 | static_cast<std::uint32_t>(v.output);
}

bool is_small(const Shape& shape) {
  if (!shape.is_fully_known()) return false;
  std::int64_t n = 1;
  for (std::int64_t d : shape.dims())
    if (__builtin_mul_overflow(n, d, &n)) return false;
  return n <= kMostElements;
}

}  // namespace

// What is known of a node's inputs, for the rules of ops/contents.h.
class GraphTarget::Contents final : public ContentsContext {
 public:
  Contents(GraphTarget& target, Value value)
      : ContentsContext(target.graph_->node(value.node), static_cast<std::size_t>(value.output)), target_(target) {}
  Shape shape(std::size_t input) const override { return target_.graph_->info(node.inputs[input]).shape; }
  Shape contents(std::size_t input) const override { return target_.contents(node.inputs[input]); }
  Tensor value(std::size_t input) const override { return target_.constant_value(target_.operand(node.inputs[input])); }

 private:
  GraphTarget& target_;
};

Tensor GraphTarget::constant_value(const Operand& operand) {
  if (operand.is_eager()) return operand.tensor;
  if (operand.graph != graph_) return {};
  const Node& node = graph_->node(operand.value.node);
  if (node.is(OpKind::kConst)) return node.attr("value").tensor();
  if (node.op->stateful || op_def(*node.op).has_function_attr || node.inputs.empty() || depth_ >= kMostDepth) return {};
  if (op_def(*node.op).facts.fed) return {};
  const OutputInfo& info = graph_->info(operand.value);
  if (!is_plain(info.dtype) || !is_small(info.shape)) return {};
  if (auto found = known_.find(key_of(operand.value)); found != known_.end()) return found->second;
  Deeper deeper(depth_);
  Tensor value = evaluate_node(operand.value);
  known_.insert_or_assign(key_of(operand.value), value);
  return value;
}

// For shape rules: only values that such a rule can read and that are cheap to find.
Tensor GraphTarget::evaluate(Value value) {
  if (!is_size_dtype(graph_->info(value).dtype) && !graph_->node(value.node).is(OpKind::kConst)) return {};
  return constant_value(operand(value));
}

Tensor GraphTarget::evaluate_node(Value value) {
  const Node& node = graph_->node(value.node);
  const OutputInfo& info = graph_->info(value);
  if (op_def(*node.op).facts.contents)
    if (Tensor known = tensor_of_contents(contents_of(Contents(*this, value), info), info.dtype, info.shape);
        known.defined())
      return known;
  Operands inputs;
  for (Value in : node.inputs) {
    if (!is_small(graph_->info(in).shape)) return {};
    Tensor t = constant_value(operand(in));
    if (!t.defined()) return {};
    inputs.push_back(Operand(std::move(t)));
  }
  Operands outputs;
  try {
    eager_target().emit(op_def(*node.op), inputs, node.attrs, {}, outputs);
  } catch (const Error& e) {
    if (e.reraise()) throw;
    return {};  // the node may never run; if it does, it reports the error itself
  }
  for (std::size_t j = 0; j < outputs.size(); ++j)
    known_.insert_or_assign(key_of({value.node, static_cast<std::int32_t>(j)}), outputs[j].tensor);
  return outputs[static_cast<std::size_t>(value.output)].tensor;
}

Shape GraphTarget::contents(Value value) {
  const OutputInfo& info = graph_->info(value);
  if (!is_size_dtype(info.dtype)) return Shape::unknown();
  if (Tensor t = constant_value(operand(value)); t.defined()) return contents_of(t);
  if (depth_ >= kMostDepth) return Shape::unknown();
  Deeper deeper(depth_);
  return contents_of(Contents(*this, value), info);
}

}  // namespace tracefn
