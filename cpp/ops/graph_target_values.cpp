// What is known of values in a graph under construction without running it: constants, and shape vectors of which some
// elements are known.
#include <algorithm>

#include "ops/graph_target.h"
#include "ops/infer.h"
#include "ops/slice_spec.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// Larger values are not worth computing twice, and no shape rule asks for them.
constexpr std::int64_t kMostElements = 4096;
// Longer chains of integers are left unknown. They are evaluated as they are built, so that a step is usually one node.
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

Tensor integers(DType dtype, const Shape& shape) {
  Tensor t(dtype, Shape({shape.rank()}));
  for (int i = 0; i < shape.rank(); ++i) {
    if (dtype == DType::kInt32) {
      t.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(shape[i]);
    } else {
      t.mutable_data<std::int64_t>()[i] = shape[i];
    }
  }
  return t;
}

Tensor integer(DType dtype, std::int64_t value) { return integers(dtype, Shape({value})).reshaped(Shape()); }

bool is_shape_dtype(DType d) { return d == DType::kInt32 || d == DType::kInt64; }

}  // namespace

Tensor GraphTarget::constant_value(const Operand& operand) {
  if (operand.is_eager()) return operand.tensor;
  if (operand.graph != graph_) return {};
  const Node& node = graph_->node(operand.value.node);
  if (node.op->name == "Const") return node.attr("value").tensor();
  if (node.op->stateful || op_def(*node.op).has_function_attr || node.inputs.empty() || depth_ >= kMostDepth) return {};
  const OutputInfo& info = graph_->info(operand.value);
  if (!is_plain(info.dtype) || !is_small(info.shape)) return {};
  if (auto found = known_.find(key_of(operand.value)); found != known_.end()) return found->second;
  Deeper deeper(depth_);
  Tensor value = evaluate_node(operand.value);
  known_.insert_or_assign(key_of(operand.value), value);
  return value;
}

// For shape rules: only values that such a rule can want and that are cheap to find.
Tensor GraphTarget::evaluate(Value value) {
  if (!is_shape_dtype(graph_->info(value).dtype) && graph_->node(value.node).op->name != "Const") return {};
  return constant_value(operand(value));
}

Tensor GraphTarget::evaluate_node(Value value) {
  const Node& node = graph_->node(value.node);
  DType dtype = graph_->info(value).dtype;
  const std::string& op = node.op->name;
  if (op == "Shape" || op == "ShapeN") {
    const Shape& shape = graph_->info(node.inputs[static_cast<std::size_t>(value.output)]).shape;
    return shape.is_fully_known() ? integers(dtype, shape) : Tensor();
  }
  if (op == "Rank") {
    const Shape& shape = graph_->info(node.inputs[0]).shape;
    return shape.has_rank() ? integer(dtype, shape.rank()) : Tensor();
  }
  if (op == "Size") {
    const Shape& shape = graph_->info(node.inputs[0]).shape;
    return is_small(shape) || shape.is_fully_known() ? integer(dtype, shape.num_elements()) : Tensor();
  }
  if (op == "StridedSlice" && is_shape_dtype(dtype)) {
    bool scalar = graph_->info(value).shape.is_scalar();
    if (auto part = sliced_vector(node, scalar); part && part->is_fully_known())
      return scalar ? integer(dtype, (*part)[0]) : integers(dtype, *part);
  }
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
    return {};  // the node may never run; if it does, it reports this itself
  }
  for (std::size_t j = 0; j < outputs.size(); ++j)
    known_.insert_or_assign(key_of({value.node, static_cast<std::int32_t>(j)}), outputs[j].tensor);
  return outputs[static_cast<std::size_t>(value.output)].tensor;
}

Shape GraphTarget::partial_vector(Value value) {
  const OutputInfo& info = graph_->info(value);
  if (!is_shape_dtype(info.dtype) || (info.shape.has_rank() && info.shape.rank() != 1)) return Shape::unknown();
  if (Tensor t = constant_value(operand(value)); t.defined()) {
    Dims dims;
    for (std::int64_t i = 0; i < t.num_elements(); ++i) dims.push_back(std::max(index_at(t, i), kUnknownDim));
    return Shape(std::move(dims));
  }
  const Node& node = graph_->node(value.node);
  const std::string& op = node.op->name;
  Deeper deeper(depth_);
  Shape known = Shape::unknown();
  if (depth_ >= kMostDepth) {
    // only the length, below
  } else if (op == "Shape" || op == "ShapeN") {
    known = graph_->info(node.inputs[static_cast<std::size_t>(value.output)]).shape;
  } else if (op == "Pack" && node.attr("axis").i() == 0 && info.shape.has_rank() && info.shape.rank() == 1) {
    known = Shape();
    for (Value in : node.inputs) known.push_back(partial_scalar(in));
  } else if (op == "ConcatV2") {
    known = Shape();
    for (std::size_t i = 0; i + 1 < node.inputs.size() && known.has_rank(); ++i) {
      Shape part = partial_vector(node.inputs[i]);
      if (part.has_rank()) {
        for (std::int64_t d : part.dims()) known.push_back(d);
      } else {
        known = Shape::unknown();
      }
    }
  } else if (op == "StridedSlice") {
    if (auto part = sliced_vector(node, false)) known = *part;
  } else if (op == "Cast" || op == "Identity") {
    known = partial_vector(node.inputs[0]);
  }
  if (!known.has_rank() && info.shape.has_rank() && info.shape.rank() == 1 && info.shape[0] >= 0 &&
      info.shape[0] <= kMaxRank)
    return Shape::of_rank(static_cast<int>(info.shape[0]));
  return known;
}

std::int64_t GraphTarget::partial_scalar(Value value) {
  if (Tensor t = constant_value(operand(value)); t.defined() && is_shape_dtype(t.dtype()) && t.num_elements() == 1)
    return index_at(t, 0) < 0 ? kUnknownDim : index_at(t, 0);
  return kUnknownDim;
}

// The elements of a partly known vector that a StridedSlice node takes out; one element when it takes a scalar.
std::optional<Shape> GraphTarget::sliced_vector(const Node& node, bool scalar) {
  Shape source = partial_vector(node.inputs[0]);
  if (!source.has_rank()) return std::nullopt;
  Tensor bounds[3];
  for (std::size_t i = 0; i < 3; ++i) bounds[i] = constant_value(operand(node.inputs[i + 1]));
  auto slice = slice_of_vector(bounds[0], bounds[1], bounds[2], slice_masks(node), source.rank());
  if (!slice || slice->shrunk != scalar) return std::nullopt;
  Shape out;
  for (std::int64_t i = 0; i < slice->size; ++i)
    out.push_back(source[static_cast<int>(slice->begin + i * slice->stride)]);
  return out;
}

}  // namespace tracefn
