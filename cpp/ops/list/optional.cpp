// Optionals: variants that hold some tensors, or nothing. What tf.experimental.Optional is made of.
#include "ops/list/optional.h"

#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/state/effect_records.h"
#include "ops/variant_object.h"

namespace tracefn {
namespace {

// Immutable.
class OptionalValue final : public VariantObject {
 public:
  OptionalValue() = default;
  explicit OptionalValue(std::vector<Tensor> components) : has_value_(true), components_(std::move(components)) {}

  bool has_value() const { return has_value_; }
  const std::vector<Tensor>& components() const { return components_; }

  std::string type_name() const override { return "OptionalVariant"; }
  Ref<VariantObject> zeros_like() const override;
  Ref<VariantObject> add(const VariantObject& other) const override;

 private:
  bool has_value_ = false;
  std::vector<Tensor> components_;
};

Ref<VariantObject> OptionalValue::zeros_like() const {
  if (!has_value_) return make_ref<OptionalValue>();
  std::vector<Tensor> zeros;
  for (const Tensor& t : components_)
    zeros.push_back(t.dtype() == DType::kVariant ? variant_zeros_like(t) : Tensor::zeros(t.dtype(), t.shape()));
  return make_ref<OptionalValue>(std::move(zeros));
}

Ref<VariantObject> OptionalValue::add(const VariantObject& other) const {
  auto* that = dynamic_cast<const OptionalValue*>(&other);
  if (!that) invalid_argument("Cannot add an optional and another kind of variant.");
  if (has_value_ != that->has_value_)
    invalid_argument("Cannot add optionals because one has a value and the other doesn't.");
  if (!has_value_) return make_ref<OptionalValue>();
  if (components_.size() != that->components_.size())
    invalid_argument("Cannot add optionals because they have different numbers of components: ", components_.size(),
                     " and ", that->components_.size(), ".");
  std::vector<Tensor> sums;
  for (std::size_t i = 0; i < components_.size(); ++i) {
    const Tensor &a = components_[i], &b = that->components_[i];
    if (a.dtype() != b.dtype() || !(a.shape() == b.shape()))
      invalid_argument("Cannot add optionals whose components ", i,
                       " differ in type or shape: ", runtime_name(a.dtype()), a.shape().text(), " and ",
                       runtime_name(b.dtype()), b.shape().text());
    sums.push_back(add_held(a, b));
  }
  return make_ref<OptionalValue>(std::move(sums));
}

const OptionalValue& optional_input(const KernelContext& c) {
  const Tensor& handle = c.input(0);
  if (handle.rank() != 0)
    invalid_argument("Input to ", c.op().name(), " must be a scalar tensor containing an OptionalVariant object.");
  auto* optional = dynamic_cast<const OptionalValue*>(handle.object().get());
  if (!optional) invalid_argument("Input to ", c.op().name(), " must be an OptionalVariant object.");
  return *optional;
}

void from_value(KernelContext& c) {
  std::vector<Tensor> components;
  for (std::size_t i = 0; i < c.num_inputs(); ++i) components.push_back(c.take_input(i));
  c.set_output(0, Tensor::handle(DType::kVariant, make_ref<OptionalValue>(std::move(components))));
}

void from_value_grad(GradContext& g) {
  std::vector<DType> types;
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < g.num_inputs(); ++i) {
    types.push_back(g.input(i).dtype());
    shapes.push_back(g.input(i).shape());
  }
  Operand dy = g.dy(0);
  Operands parts =
      emit_all("OptionalGetValue", std::span(&dy, 1), {{"output_types", types}, {"output_shapes", shapes}});
  for (std::size_t i = 0; i < g.num_inputs(); ++i) g.to_input(i, parts[i]);
}

void none(KernelContext& c) { c.set_output(0, Tensor::handle(DType::kVariant, make_ref<OptionalValue>())); }

void has_value(KernelContext& c) { *c.output(0).mutable_data<bool>() = optional_input(c).has_value(); }

void infer_get_value(InferContext& c) {
  const std::vector<Shape>& shapes = c.attr("output_shapes").shapes();
  if (shapes.size() != c.num_outputs())
    invalid_argument("output_types and output_shapes must be same length, got:\noutput_types: ", c.num_outputs(),
                     "\noutput_shapes: ", shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) c.set_output(i, shapes[i]);
}

void get_value(KernelContext& c) {
  const std::vector<Shape>& shapes = c.attr("output_shapes").shapes();
  const std::vector<DType>& types = c.attr("output_types").types();
  if (shapes.size() != types.size())
    invalid_argument("output_types and output_shapes must be same length, got:\noutput_types: ", types.size(),
                     "\noutput_shapes: ", shapes.size());
  const OptionalValue& optional = optional_input(c);
  if (!optional.has_value()) invalid_argument("The given optional does not have a value.");
  const std::vector<Tensor>& components = optional.components();
  if (components.size() != types.size())
    invalid_argument("The given optional has ", components.size(), " components, expected ", types.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    const Tensor& t = components[i];
    if (t.dtype() != types[i])
      invalid_argument("The given optional does not match the expected type for component ", i,
                       ". Expected: ", runtime_name(types[i]), ". Actual: ", runtime_name(t.dtype()), ".");
    if (!shapes[i].is_compatible_with(t.shape()))
      invalid_argument("The given optional does not match the expected shape for component ", i,
                       ". Expected: ", shapes[i].text(), ". Actual: ", t.shape().text(), ".");
  }
  for (std::size_t i = 0; i < types.size(); ++i) c.set_output(i, components[i]);
}

void get_value_grad(GradContext& g) {
  Operands parts;
  for (std::size_t j = 0; j < g.num_outputs(); ++j) parts.push_back(g.dy(j));
  g.to_input(0, emit_all("OptionalFromValue", std::span(parts.begin(), parts.size()), {})[0]);
}

}  // namespace

Ref<VariantObject> optional_of(std::vector<Tensor> components) {
  return make_ref<OptionalValue>(std::move(components));
}
Ref<VariantObject> empty_optional() { return make_ref<OptionalValue>(); }

std::optional<const std::vector<Tensor>*> held_by_optional(const Tensor& handle) {
  auto* optional = handle.dtype() == DType::kVariant && handle.rank() == 0
                       ? dynamic_cast<const OptionalValue*>(handle.object().get())
                       : nullptr;
  if (!optional) return std::nullopt;
  return optional->has_value() ? &optional->components() : nullptr;
}

void register_optional(Registry& r) {
  r.add({
      .name = "OptionalFromValue",
      .inputs = {"components: Toutput_types"},
      .outputs = {"optional: variant"},
      .attrs = {"Toutput_types: list(type) >= 1"},
      .doc = "An optional that holds `components`.",
      .infer = infer::scalar,
      .kernel = from_value,
      .allocation = Allocation::kObjects,
      .grad = from_value_grad,
  });
  r.add({
      .name = "OptionalNone",
      .outputs = {"optional: variant"},
      .doc = "An optional that holds nothing.",
      .infer = infer::scalar,
      .kernel = none,
      .allocation = Allocation::kObjects,
      .grad = not_differentiable,
  });
  r.add({
      .name = "OptionalHasValue",
      .inputs = {"optional: variant"},
      .outputs = {"has_value: bool"},
      .kind = OpKind::kOptionalHasValue,
      .doc = "True if the optional holds something.",
      .infer = infer::scalar,
      .kernel = has_value,
      .grad = not_differentiable,
  });
  r.add({
      .name = "OptionalGetValue",
      .inputs = {"optional: variant"},
      .outputs = {"components: output_types"},
      .attrs = {"output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"},
      .kind = OpKind::kOptionalGetValue,
      .doc = "What the optional holds.\n\nRaises InvalidArgumentError if it holds nothing, or other types or shapes.",
      .infer = infer_get_value,
      .kernel = get_value,
      .allocation = Allocation::kObjects,
      .grad = get_value_grad,
  });
}

}  // namespace tracefn
