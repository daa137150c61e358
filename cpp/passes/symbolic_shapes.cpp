// Runs the rules of ops (shapes by OpDef::infer, elements of vectors by OpFacts::contents) on symbols.
#include "passes/symbolic_shapes.h"

#include <algorithm>

#include "ops/contents.h"
#include "ops/infer.h"
#include "ops/op_def.h"

namespace tracefn {

class SymbolicShapes::Contents final : public ContentsContext {
 public:
  Contents(SymbolicShapes& shapes, const Node& node, std::size_t j) : ContentsContext(node, j), shapes_(shapes) {}
  Shape shape(std::size_t input) const override { return as_shape(shapes_.output(node.inputs[input]).shape); }
  Shape contents(std::size_t input) const override { return as_shape(shapes_.output(node.inputs[input]).contents); }
  Tensor value(std::size_t input) const override { return shapes_.rewriter_.known(node.inputs[input]); }

 private:
  static Shape as_shape(const std::optional<Dims>& dims) { return dims ? Shape(*dims) : Shape::unknown(); }
  SymbolicShapes& shapes_;
};

class SymbolicShapes::PartialInputs final : public InferContext::PartialValues {
 public:
  PartialInputs(SymbolicShapes& shapes, const Node& node) : contents_(shapes, node, 0) {}
  Shape as_shape(std::size_t input) const override { return contents_.contents(input); }

 private:
  Contents contents_;
};

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
  const bool all_known = std::all_of(node.outputs.begin(), node.outputs.end(),
                                     [](const OutputInfo& info) { return info.shape.is_fully_known(); });
  const std::vector<Shape> found = all_known ? std::vector<Shape>() : inferred(node);
  for (std::size_t j = 0; j < node.outputs.size(); ++j) {
    const OutputInfo& info = node.outputs[j];
    Output& out = outputs[j];
    if (info.shape.is_fully_known()) {
      out.shape = info.shape.dims();
    } else {
      if (found[j].has_rank()) out.shape = found[j].dims();
      if (info.shape.has_rank() && (!out.shape || out.shape->size() != info.shape.dims().size()))
        out.shape = Dims(info.shape.dims().size(), kUnknownDim);
      for (std::size_t i = 0; out.shape && i < out.shape->size(); ++i) {
        Dim& d = (*out.shape)[i];
        if (info.shape.has_rank() && info.shape.dims()[i] >= 0) d = info.shape.dims()[i];
        if (d == kUnknownDim) d = new_symbol();
      }
    }
    if (op_def(*node.op).facts.contents || node.is(OpKind::kConst)) {
      const Tensor value = rewriter_.known({id, static_cast<std::int32_t>(j)});
      const Shape contents = value.defined() ? contents_of(value) : contents_of(Contents(*this, node, j), info);
      if (contents.has_rank()) out.contents = contents.dims();
    }
  }
  outputs_.push_back(std::move(outputs));
}

std::vector<Shape> SymbolicShapes::inferred(const Node& node) {
  std::vector<Shape> found(node.outputs.size(), Shape::unknown());
  const OpDef& op = op_def(*node.op);
  // For function calls only the node's static shapes are known.
  if (node.inputs.empty() || op.has_function_attr || op.signature.stateful) return found;
  SmallVector<Shape, 4> shapes;
  SmallVector<Tensor, 4> values;
  for (Value v : node.inputs) {
    const std::optional<Dims>& dims = output(v).shape;
    shapes.push_back(dims ? Shape(*dims) : Shape::unknown());
    // Rules read sizes and axes, not data.
    values.push_back(is_integer(rewriter_.info(v).dtype) ? rewriter_.known(v) : Tensor());
  }
  SmallVector<InferContext::Input, 4> inputs;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const OutputInfo& info = rewriter_.info(node.inputs[i]);
    inputs.push_back({&shapes[i], info.dtype, values[i].defined() ? &values[i] : nullptr, &info});
  }
  SmallVector<OutputInfo, 2> outputs;
  for (const OutputInfo& info : node.outputs) outputs.push_back({info.dtype, Shape::unknown()});
  PartialInputs partial(*this, node);
  InferContext context(*node.op, node.attrs, std::span<const InferContext::Input>(inputs.data(), inputs.size()),
                       std::span(outputs.data(), outputs.size()), &partial);
  try {
    op.infer(context);
  } catch (const Error& e) {
    if (e.reraise()) throw;
    return found;  // the inputs do not fit: the node reports it when it runs
  }
  for (std::size_t j = 0; j < outputs.size(); ++j) found[j] = std::move(outputs[j].shape);
  return found;
}

const Dims* SymbolicShapes::contents_of_new(const Node& node) {
  of_new_.reset();
  const Shape contents = contents_of(Contents(*this, node, 0), node.outputs[0]);
  if (contents.has_rank()) of_new_ = contents.dims();
  return of_new_ ? &*of_new_ : nullptr;
}

}  // namespace tracefn
