// CompositeTensorVariantFromComponents and ...ToComponents: the tensors of a composite one in a variant, with a message
// that says which type of composite it is.
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/state/effect_records.h"
#include "ops/variant_object.h"
#include "wire/wire_reader.h"

namespace tracefn {
namespace {

// What a CompositeTensorVariantMetadata message says of the type: the class, by number and by name.
struct TypeSpecClass {
  std::uint64_t number = 0;
  std::string name;
  bool operator==(const TypeSpecClass&) const = default;
};

TypeSpecClass class_of(const KernelContext& c) {
  TypeSpecClass found;
  try {
    for (WireReader metadata(c.attr("metadata").s()); metadata.next();) {
      if (metadata.key() != delimited_field(1)) continue;
      for (WireReader spec = metadata.message(); spec.next();) {
        if (spec.key() == varint_field(1)) found.number = spec.number();
        if (spec.key() == delimited_field(3)) found.name = spec.text();
      }
    }
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kValue) throw;
    invalid_argument("Error parsing metadata");
  }
  return found;
}

class CompositeVariant final : public VariantObject {
 public:
  CompositeVariant(TypeSpecClass of, std::vector<Tensor> tensors)
      : type(std::move(of)), components(std::move(tensors)) {}
  std::string type_name() const override { return "CompositeTensorVariant"; }
  Ref<VariantObject> zeros_like() const override {
    std::vector<Tensor> zeros;
    for (const Tensor& t : components) zeros.push_back(Tensor::zeros(t.dtype(), t.shape()));
    return make_ref<CompositeVariant>(type, std::move(zeros));
  }
  Ref<VariantObject> add(const VariantObject& other) const override {
    auto* that = dynamic_cast<const CompositeVariant*>(&other);
    if (!that || !(that->type == type) || that->components.size() != components.size())
      invalid_argument("Only composite variants of one type have a sum.");
    std::vector<Tensor> sums;
    for (std::size_t i = 0; i < components.size(); ++i) {
      const Tensor &a = components[i], &b = that->components[i];
      if (a.dtype() != b.dtype() || !(a.shape() == b.shape()))
        invalid_argument("Components ", i, " of composite variants to add differ in dtype or shape.");
      sums.push_back(add_held(a, b));
    }
    return make_ref<CompositeVariant>(type, std::move(sums));
  }

  const TypeSpecClass type;
  const std::vector<Tensor> components;
};

void from_components(KernelContext& c) {
  TypeSpecClass type = class_of(c);
  std::vector<Tensor> components;
  for (std::size_t i = 0; i < c.num_inputs(); ++i) components.push_back(c.take_input(i));
  c.set_output(0, Tensor::handle(DType::kVariant, make_ref<CompositeVariant>(std::move(type), std::move(components))));
}

void to_components(KernelContext& c) {
  const Tensor& encoded = c.input(0);
  if (encoded.rank() != 0) invalid_argument("Input variant must be a scalar.");
  auto* found = dynamic_cast<const CompositeVariant*>(encoded.object().get());
  if (!found) invalid_argument("The input variant does not hold a CompositeTensorVariant.");
  const TypeSpecClass expected = class_of(c);
  if (!(expected == found->type))
    invalid_argument("Expected a TypeSpec of class ", expected.number, " ", expected.name, ", but got class ",
                     found->type.number, " ", found->type.name);
  const std::vector<DType>& types = c.attr("Tcomponents").types();
  if (types.size() != found->components.size())
    invalid_argument("Encoded value has ", found->components.size(), " tensor components; expected ", types.size(),
                     " components based on type_spec");
  for (std::size_t j = 0; j < types.size(); ++j) {
    if (found->components[j].dtype() != types[j])
      invalid_argument("Tensor component ", j, " had dtype ", enum_name(found->components[j].dtype()),
                       "; expected dtype ", enum_name(types[j]));
    c.set_output(j, found->components[j]);
  }
}

}  // namespace

void register_composite_variant(Registry& r) {
  r.add({.name = "CompositeTensorVariantFromComponents",
         .inputs = {"components: Tcomponents"},
         .outputs = {"encoded: variant"},
         .attrs = {"metadata: string", "Tcomponents: list(type) >= 0"},
         .doc = "The tensors of a composite one in a variant; `metadata` is a CompositeTensorVariantMetadata message.",
         .infer = infer::scalar,
         .kernel = from_components,
         .allocation = Allocation::kObjects,
         .grad = [](GradContext& c) {
           const Operand dy[] = {c.dy(0)};
           const Operands found = emit_all("CompositeTensorVariantToComponents", dy,
                                           {{"metadata", c.attr("metadata")}, {"Tcomponents", c.attr("Tcomponents")}});
           for (std::size_t i = 0; i < c.num_inputs(); ++i) c.to_input(i, found[i]);
         }});
  r.add({.name = "CompositeTensorVariantToComponents",
         .inputs = {"encoded: variant"},
         .outputs = {"components: Tcomponents"},
         .attrs = {"metadata: string", "Tcomponents: list(type) >= 0"},
         .doc = "The tensors that CompositeTensorVariantFromComponents put into a variant.\n\nRaises "
                "InvalidArgumentError if the type of composite is another one.",
         .infer = infer::unknown,
         .kernel = to_components,
         .allocation = Allocation::kObjects,
         .grad = [](GradContext& c) {
           std::vector<Operand> dys;
           for (std::size_t j = 0; j < c.num_outputs(); ++j) dys.push_back(c.dy(j));
           c.to_input(0, emit_all("CompositeTensorVariantFromComponents", dys, {{"metadata", c.attr("metadata")}})[0]);
         }});
}

}  // namespace tracefn
