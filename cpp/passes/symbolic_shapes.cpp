// What each op says of its result's shape in terms of its inputs'.
#include "passes/symbolic_shapes.h"

#include <algorithm>
#include <unordered_map>

#include "ops/infer.h"
#include "ops/op_def.h"
#include "ops/slice_spec.h"

namespace tracefn {
namespace {

// Longer vectors are not shapes.
constexpr std::int64_t kLongestVector = 32;

enum class Kind {
  kNone,
  kForwarded,  // output j has the shape of input j
  kFirst,
  kLabels,  // a loss per row, then the gradient of the logits
  kMatMul,
  kReduction,
  kReshape,
  kTarget,  // the shape is the last input
  kFill,
  kExpand,
  kPermute,
  kBroadcast,
};

Kind kind_of(const std::string& op) {
  static const std::unordered_map<std::string_view, Kind> kinds = {
      {"Identity", Kind::kForwarded},
      {"IdentityN", Kind::kForwarded},
      {"StopGradient", Kind::kForwarded},
      {"PreventGradient", Kind::kForwarded},
      {"Snapshot", Kind::kForwarded},
      {"AddN", Kind::kFirst},
      {"Softmax", Kind::kFirst},
      {"LogSoftmax", Kind::kFirst},
      {"BiasAdd", Kind::kFirst},
      {"SparseSoftmaxCrossEntropyWithLogits", Kind::kLabels},
      {"MatMul", Kind::kMatMul},
      {"Sum", Kind::kReduction},
      {"Mean", Kind::kReduction},
      {"Max", Kind::kReduction},
      {"Min", Kind::kReduction},
      {"Prod", Kind::kReduction},
      {"All", Kind::kReduction},
      {"Any", Kind::kReduction},
      {"Reshape", Kind::kReshape},
      {"BroadcastTo", Kind::kTarget},
      {"Fill", Kind::kFill},
      {"ExpandDims", Kind::kExpand},
      {"Transpose", Kind::kPermute},
      {"SelectV2", Kind::kBroadcast},
      {"Equal", Kind::kBroadcast},
      {"NotEqual", Kind::kBroadcast},
  };
  auto found = kinds.find(op);
  return found == kinds.end() ? Kind::kNone : found->second;
}

bool is_index(DType dtype) { return dtype == DType::kInt32 || dtype == DType::kInt64; }

// Whether a value can be read as a shape or as a dimension: a list of elements says nothing of how a matrix holds them.
bool has_contents(const OutputInfo& info) {
  return is_index(info.dtype) && info.shape.has_rank() && info.shape.rank() <= 1 && info.shape.is_fully_known() &&
         info.shape.num_elements() <= kLongestVector;
}

// What is negative in a vector of dimensions is left to be found out.
Dims elements(const Tensor& t) {
  Dims dims;
  for (std::int64_t i = 0; i < t.num_elements(); ++i) dims.push_back(std::max(t.int_at(i), kUnknownDim));
  return dims;
}

}  // namespace

const Dims* SymbolicShapes::shape(Value v) {
  const Output& out = output(v);
  return out.shape ? &*out.shape : nullptr;
}

const Dims* SymbolicShapes::contents(Value v) {
  const Output& out = output(v);
  return out.contents ? &*out.contents : nullptr;
}

bool SymbolicShapes::same_shape(Value a, Value b) {
  const Dims* left = shape(a);
  if (!left) return false;
  const Dims copy = *left;
  const Dims* right = shape(b);
  return right && same(copy, *right);
}

bool SymbolicShapes::same(const Dims& a, const Dims& b) {
  if (!(a == b)) return false;
  return std::find(a.begin(), a.end(), kUnknownDim) == a.end();
}

bool SymbolicShapes::repeats_to(const Dims& a, const Dims& b) {
  if (a.size() > b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    Dim from = a[a.size() - 1 - i], to = b[b.size() - 1 - i];
    if (from != 1 && (from != to || from == kUnknownDim)) return false;
  }
  return true;
}

const SymbolicShapes::Output& SymbolicShapes::output(Value v) {
  while (outputs_.size() <= static_cast<std::size_t>(v.node)) look_at(static_cast<NodeId>(outputs_.size()));
  return outputs_[static_cast<std::size_t>(v.node)][static_cast<std::size_t>(v.output)];
}

void SymbolicShapes::look_at(NodeId id) {
  const Node& node = rewriter_.graph().node(id);
  SmallVector<Output, 1> outputs(node.outputs.size());
  for (std::size_t j = 0; j < node.outputs.size(); ++j) {
    const OutputInfo& info = node.outputs[j];
    Output& out = outputs[j];
    if (info.shape.is_fully_known()) {
      out.shape = info.shape.dims();
    } else {
      out.shape = shape_of(node, j);
      if (info.shape.has_rank() && (!out.shape || out.shape->size() != info.shape.dims().size()))
        out.shape = Dims(info.shape.dims().size(), kUnknownDim);
      for (std::size_t i = 0; out.shape && i < out.shape->size(); ++i) {
        Dim& d = (*out.shape)[i];
        if (info.shape.has_rank() && info.shape.dims()[i] >= 0) d = info.shape.dims()[i];
        if (d == kUnknownDim) d = new_symbol();
      }
    }
    if (has_contents(info)) {
      const Value v{id, static_cast<std::int32_t>(j)};
      Tensor value = rewriter_.known(v);
      out.contents = value.defined() ? elements(value) : contents_of(node, j);
    }
  }
  outputs_.push_back(std::move(outputs));
}

std::optional<Dims> SymbolicShapes::shape_at(const Node& node, std::size_t input) {
  return output(node.inputs[input]).shape;
}

std::optional<Dims> SymbolicShapes::contents_at(const Node& node, std::size_t input) {
  return output(node.inputs[input]).contents;
}

std::optional<Dims> SymbolicShapes::shape_of(const Node& node, std::size_t j) {
  if (node.inputs.empty()) return std::nullopt;
  switch (kind_of(node.op->name)) {
    case Kind::kForwarded:
      return shape_at(node, j);
    case Kind::kFirst:
      return shape_at(node, 0);
    case Kind::kLabels: {
      auto logits = shape_at(node, 0);
      if (j == 0 && logits && !logits->empty()) return Dims{logits->front()};
      return j == 0 ? std::nullopt : logits;
    }
    case Kind::kMatMul:
      return product(node);
    case Kind::kReduction:
      return reduced(node);
    case Kind::kReshape:
      return reshaped(node);
    case Kind::kTarget:
      return contents_at(node, node.inputs.size() - 1);
    case Kind::kFill:
      return contents_at(node, 0);
    case Kind::kExpand: {
      auto dims = shape_at(node, 0);
      Tensor axis = rewriter_.known(node.inputs[1]);
      if (!dims || !axis.defined() || axis.num_elements() != 1) return std::nullopt;
      std::int64_t rank = static_cast<std::int64_t>(dims->size()) + 1;
      std::int64_t at = axis.int_at(0) < 0 ? axis.int_at(0) + rank : axis.int_at(0);
      if (at < 0 || at >= rank) return std::nullopt;
      Dims out;
      for (std::int64_t i = 0; i < rank; ++i)
        out.push_back(i == at ? 1 : (*dims)[static_cast<std::size_t>(i > at ? i - 1 : i)]);
      return out;
    }
    case Kind::kPermute:
      return permuted(node);
    case Kind::kBroadcast:
      return broadcast_of(node);
    case Kind::kNone:
      break;
  }
  const OpDef& op = op_def(*node.op);
  if (op.infer == infer::same_as_first || (op.block && node.inputs.size() == 1)) return shape_at(node, 0);
  if (op.infer == infer::broadcast_all) return broadcast_of(node);
  return std::nullopt;
}

std::optional<Dims> SymbolicShapes::broadcast_of(const Node& node) {
  // A comparison of shapes that do not fit may be one scalar.
  if (int i = node.op->attr_index("incompatible_shape_error"); i >= 0 && !node.attrs[static_cast<std::size_t>(i)].b())
    return std::nullopt;
  std::optional<Dims> all = shape_at(node, 0);
  for (std::size_t i = 1; all && i < node.inputs.size(); ++i) {
    auto next = shape_at(node, i);
    if (!next) return std::nullopt;
    all = broadcast_dims(*all, *next);
  }
  return all;
}

Dims SymbolicShapes::broadcast_dims(const Dims& a, const Dims& b) {
  Dims out(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 1; i <= out.size(); ++i) {
    Dim x = i <= a.size() ? a[a.size() - i] : 1, y = i <= b.size() ? b[b.size() - i] : 1;
    Dim& to = out[out.size() - i];
    if (x == y || y == 1) {
      to = x;
    } else if (x == 1) {
      to = y;
    } else {
      // Where one is a number, the other can only be that or 1.
      to = x >= 0 ? x : y >= 0 ? y : kUnknownDim;
    }
  }
  return out;
}

std::optional<Dims> SymbolicShapes::product(const Node& node) {
  auto a = shape_at(node, 0), b = shape_at(node, 1);
  if (!a || !b || a->size() != 2 || b->size() != 2) return std::nullopt;
  return Dims{(*a)[node.attr("transpose_a").b() ? 1 : 0], (*b)[node.attr("transpose_b").b() ? 0 : 1]};
}

std::optional<Dims> SymbolicShapes::reduced(const Node& node) {
  auto dims = shape_at(node, 0);
  Tensor axes = rewriter_.known(node.inputs[1]);
  if (!dims || !axes.defined()) return std::nullopt;
  std::vector<char> drop(dims->size(), 0);
  for (std::int64_t i = 0; i < axes.num_elements(); ++i) {
    std::int64_t axis = axes.int_at(i);
    if (axis < 0) axis += static_cast<std::int64_t>(drop.size());
    if (axis < 0 || axis >= static_cast<std::int64_t>(drop.size())) return std::nullopt;
    drop[static_cast<std::size_t>(axis)] = 1;
  }
  Dims out;
  for (std::size_t i = 0; i < drop.size(); ++i)
    if (!drop[i] || node.attr("keep_dims").b()) out.push_back(drop[i] ? 1 : (*dims)[i]);
  return out;
}

std::optional<Dims> SymbolicShapes::permuted(const Node& node) {
  auto dims = shape_at(node, 0);
  Tensor order = rewriter_.known(node.inputs[1]);
  if (!dims || !order.defined() || order.num_elements() != static_cast<std::int64_t>(dims->size())) return std::nullopt;
  Dims out;
  for (std::int64_t i = 0; i < order.num_elements(); ++i) {
    std::int64_t from = order.int_at(i) < 0 ? order.int_at(i) + order.num_elements() : order.int_at(i);
    if (from < 0 || from >= order.num_elements()) return std::nullopt;
    out.push_back((*dims)[static_cast<std::size_t>(from)]);
  }
  return out;
}

// With one dimension to be found out: it is the symbol that is left when the numbers are equal.
std::optional<Dims> SymbolicShapes::reshaped(const Node& node) {
  auto target = contents_at(node, 1);
  auto dims = shape_at(node, 0);
  if (!target) return std::nullopt;
  auto open = std::find(target->begin(), target->end(), kUnknownDim);
  if (open == target->end() || !dims || std::count(target->begin(), target->end(), kUnknownDim) > 1) return target;
  std::int64_t numbers = 1;
  std::vector<Dim> symbols;
  for (Dim d : *dims) {
    if (is_symbol(d)) {
      symbols.push_back(d);
    } else if (__builtin_mul_overflow(numbers, d, &numbers)) {
      return target;
    }
  }
  std::int64_t wanted = 1;
  for (Dim d : *target) {
    if (d == kUnknownDim) continue;
    if (auto same = std::find(symbols.begin(), symbols.end(), d); is_symbol(d) && same != symbols.end()) {
      symbols.erase(same);
    } else if (is_symbol(d) || __builtin_mul_overflow(wanted, d, &wanted)) {
      return target;
    }
  }
  if (wanted <= 0 || numbers <= 0) return target;
  if (symbols.empty() && numbers % wanted == 0) *open = numbers / wanted;
  if (symbols.size() == 1 && numbers == wanted) *open = symbols[0];
  return target;
}

const Dims* SymbolicShapes::contents_of_new(const Node& node) {
  of_new_.reset();
  if (has_contents(node.outputs[0])) of_new_ = contents_of(node, 0);
  return of_new_ ? &*of_new_ : nullptr;
}

std::optional<Dims> SymbolicShapes::contents_of(const Node& node, std::size_t j) {
  const std::string& op = node.op->name;
  if (op == "Shape" || op == "ShapeN") return shape_at(node, j);
  if (op == "Identity" || op == "Cast" || op == "Reshape" || op == "ExpandDims" || op == "Squeeze")
    return contents_at(node, 0);
  if (op == "StridedSlice") return sliced(node);
  if (op == "DynamicStitch") return stitched(node, static_cast<std::size_t>(node.outputs[0].shape.num_elements()));
  if (op == "BroadcastArgs") {
    auto a = contents_at(node, 0), b = contents_at(node, 1);
    if (!a || !b) return std::nullopt;
    return broadcast_dims(*a, *b);
  }
  if (op != "Pack" && op != "ConcatV2") return std::nullopt;
  Dims out;
  for (std::size_t i = 0; i < node.inputs.size() - (op == "ConcatV2" ? 1 : 0); ++i) {
    auto part = contents_at(node, i);
    const Shape& shape = rewriter_.info(node.inputs[i]).shape;
    if (!part && !shape.is_fully_known()) return std::nullopt;
    if (part) {
      for (Dim d : *part) out.push_back(d);
    } else {
      for (std::int64_t k = shape.num_elements(); k > 0; --k) out.push_back(kUnknownDim);
    }
  }
  if (static_cast<std::int64_t>(out.size()) != node.outputs[0].shape.num_elements()) return std::nullopt;
  return out;
}

std::optional<Dims> SymbolicShapes::sliced(const Node& node) {
  auto from = contents_at(node, 0);
  if (!from || rewriter_.info(node.inputs[0]).shape.rank() != 1) return std::nullopt;
  Tensor bounds[3];
  for (std::size_t i = 0; i < 3; ++i) bounds[i] = rewriter_.known(node.inputs[i + 1]);
  auto slice = slice_of_vector(bounds[0], bounds[1], bounds[2], slice_masks(node),
                               static_cast<std::int64_t>(from->size()));
  if (!slice) return std::nullopt;
  Dims out;
  for (std::int64_t i = 0; i < slice->size; ++i)
    out.push_back((*from)[static_cast<std::size_t>(slice->begin + i * slice->stride)]);
  return out;
}

std::optional<Dims> SymbolicShapes::stitched(const Node& node, std::size_t length) {
  const std::size_t n = node.inputs.size() / 2;
  Dims out(length, kUnknownDim);
  for (std::size_t k = 0; k < n; ++k) {
    auto indices = contents_at(node, k), data = contents_at(node, n + k);
    if (!indices || !data || indices->size() != data->size()) return std::nullopt;
    for (std::size_t i = 0; i < indices->size(); ++i) {
      Dim at = (*indices)[i];
      if (at < 0 || at >= static_cast<Dim>(length)) return std::nullopt;
      out[static_cast<std::size_t>(at)] = (*data)[i];
    }
  }
  return out;
}

}  // namespace tracefn
