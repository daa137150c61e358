// Sums of any number of tensors of one shape.
#include "ir/graph.h"
#include "ops/elements.h"
#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/elementwise_record.h"
#include "ops/type_sets.h"
#include "ops/variant_object.h"

namespace tracefn {
namespace {

void infer_add_n(InferContext& c) {
  Shape out = c.shape(c.num_inputs() - 1);
  for (std::size_t i = c.num_inputs() - 1; i-- > 0;) {
    if (!out.is_compatible_with(c.shape(i))) {
      try {
        merge_or_explain(c.shape(i), out);
      } catch (const Error& e) {
        invalid_argument(e.message(), "\n\tFrom merging shape ", i, " with other shapes.");
      }
    }
    out = merge(out, c.shape(i));
  }
  c.set_output(0, std::move(out));
}

// The first sum goes to new memory or a dying operand; the others are added in place.
void add_n(KernelContext& c) {
  std::span<TensorRef> inputs = c.operands();
  for (std::size_t i = 1; i < inputs.size(); ++i)
    if (!(inputs[i].tensor->shape() == inputs[0].tensor->shape()))
      invalid_argument("Inputs to operation ", c.op().name(), " of type ", c.op().name(),
                       " must have the same size and shape.  Input 0: ", inputs[0].tensor->shape().text(), " != input ",
                       i, ": ", inputs[i].tensor->shape().text());
  // The register of the first operand may appear again (x + x); then it must not be overwritten.
  bool ours = c.is_last_use(0);
  for (std::size_t i = 1; i < inputs.size(); ++i) ours = ours && inputs[i].tensor != inputs[0].tensor;
  Tensor sum = ours ? c.take_input(0) : c.input(0);
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    if (sum.dtype() == DType::kVariant) {
      sum = variant_add(sum, *inputs[i].tensor);
      continue;
    }
    TensorRef operands[] = {{&sum, ours}, {inputs[i].tensor, false}};
    Tensor out;
    run_spec(c, block_of<functions::Add>, operands, out);
    sum = std::move(out);
    ours = true;
  }
  c.set_output(0, std::move(sum));
}

bool add_n_elements(ElementsContext& c) {
  const DType dtype = c.dtype(0);
  if (!functions::Add::kDTypes.has(dtype)) return false;
  std::optional<ElementsContext::Elements> sum = c.elements(0);
  for (std::size_t i = 1; sum && i < c.node.inputs.size(); ++i) {
    const std::optional<ElementsContext::Elements> term = c.elements(i);
    if (!term || !(c.shape(i) == c.shape(0))) return false;
    for (std::size_t k = 0; k < sum->size(); ++k) (*sum)[k] = c.apply<functions::Add>(dtype, {(*sum)[k], (*term)[k]});
  }
  if (!sum) return false;
  c.set_output(0, dtype, c.shape(0), std::move(*sum));
  return true;
}

void add_n_grad(GradContext& g) {
  for (std::size_t i = 0; i < g.num_inputs(); ++i) g.to_input(i, g.dy(0));
}

}  // namespace

void register_add_n(Registry& r) {
  r.add({
      .name = "AddN",
      .inputs = {"inputs: N * T"},
      .outputs = {"sum: T"},
      .attrs = {"N: int >= 1", "T: {" TRACEFN_EVERY_NUMBER ", variant}"},
      .commutative = true,
      .facts = {.elements = add_n_elements},
      .doc = "The elementwise sum of all inputs, which must have the same shape.",
      .infer = infer_add_n,
      .kernel = add_n,
      .allocation = Allocation::kShared,
      .grad = add_n_grad,
  });
  r.add({
      .name = "AccumulateNV2",
      .inputs = {"inputs: N * T"},
      .outputs = {"sum: T"},
      .attrs = {"N: int >= 1", "T: " TRACEFN_NUMBERS, "shape: shape"},
      .commutative = true,
      .doc = "The elementwise sum of all inputs, which must have the shape `shape`.",
      .infer = [](InferContext& c) { c.set_output(0, c.attr("shape").shape()); },
      .kernel = add_n,
      .allocation = Allocation::kShared,
      .grad = add_n_grad,
  });
}

}  // namespace tracefn
