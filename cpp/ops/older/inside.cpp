// Runs, infers and differentiates an op by the record of another one.
#include "base/check.h"
#include "ops/gradient.h"
#include "ops/older/older_families.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

AttrList given_attrs(const OpDef& op, std::initializer_list<NamedAttr> named) {
  AttrList attrs(op.signature.attrs.size());
  for (const NamedAttr& attr : named) {
    const int i = op.signature.attr_index(attr.name);
    TRACEFN_CHECK(i >= 0);
    attrs[static_cast<std::size_t>(i)] = attr.value;
  }
  return attrs;
}

std::vector<Shape> shapes_of(const OpDef& op, const AttrList& attrs, const std::vector<InferContext::Input>& inputs,
                             std::size_t outputs, bool running) {
  std::vector<OutputInfo> infos(outputs);
  InferContext context(op.signature, attrs, inputs, infos);
  context.running_ = running;
  op.infer(context);
  std::vector<Shape> shapes;
  for (OutputInfo& info : infos) shapes.push_back(std::move(info.shape));
  return shapes;
}

}  // namespace

std::vector<Tensor> run_inside(const KernelContext& c, std::string_view name, const std::vector<Tensor>& inputs,
                               std::initializer_list<NamedAttr> named) {
  const OpDef& op = Registry::get().at(name);
  TRACEFN_CHECK(!op.block);
  Operands operands;
  std::vector<TensorRef> refs;
  for (const Tensor& t : inputs) {
    operands.push_back(Operand(t));
    refs.push_back(borrowed(t));
  }
  const AttrList attrs = complete_attrs(op, std::span(operands.data(), operands.size()), given_attrs(op, named));
  const SmallVector<DType, 2> dtypes = output_dtypes(op.signature, attrs);
  std::vector<Tensor> outputs(dtypes.size());
  KernelContext inner(op, attrs, refs, outputs);
  inner.shards_ = c.shards_;
  inner.node_name_ = c.node_name_;
  if (op.allocation == Allocation::kByShapeRule) {
    if (op.check) op.check(inner);
    std::vector<InferContext::Input> known;
    for (const Tensor& t : inputs) known.push_back({&t.shape(), t.dtype(), &t, nullptr});
    std::vector<Shape> shapes = shapes_of(op, attrs, known, outputs.size(), true);
    for (std::size_t j = 0; j < outputs.size(); ++j) outputs[j] = Tensor(dtypes[j], std::move(shapes[j]));
  }
  op.kernel(inner);
  return outputs;
}

std::vector<Shape> infer_inside(std::string_view name, const std::vector<InferContext::Input>& inputs,
                                std::initializer_list<NamedAttr> named) {
  const OpDef& op = Registry::get().at(name);
  AttrList attrs = given_attrs(op, named);
  for (std::size_t i = 0; i < attrs.size(); ++i)
    if (attrs[i].kind() == Attr::Kind::kNone) attrs[i] = op.signature.attrs[i].default_value;
  return shapes_of(op, attrs, inputs, op.signature.outputs.size(), false);
}

std::vector<Gradient> differentiate_inside(const GradContext& c, std::string_view name,
                                           const std::vector<Operand>& inputs, std::initializer_list<NamedAttr> named) {
  const OpDef& op = Registry::get().at(name);
  const AttrList attrs = complete_attrs(op, inputs, given_attrs(op, named));
  std::vector<Operand> outputs;
  std::vector<Gradient> gradients;
  for (std::size_t j = 0; j < c.num_outputs(); ++j) {
    outputs.push_back(c.output(j));
    gradients.push_back(c.raw_dy(j));
  }
  GradContext inner(op, attrs, inputs, outputs, gradients);
  op.grad(inner);
  return inner.results();
}

}  // namespace tracefn
