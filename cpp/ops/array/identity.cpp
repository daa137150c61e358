// Ops that return their inputs: Identity and its variants, which differ in their gradients, and EnsureShape.
#include "ops/array/array_families.h"
#include "ops/contents.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

void infer_each(InferContext& c) {
  for (std::size_t i = 0; i < c.num_inputs(); ++i) {
    c.set_output(i, c.shape(i));
    if (const OutputInfo* info = c.input(i).info) {
      c.output(i).handle_dtype = info->handle_dtype;
      c.output(i).handle_shape = info->handle_shape;
    }
  }
}

void forward_each(KernelContext& c) {
  for (std::size_t i = 0; i < c.num_inputs(); ++i) c.set_output(i, c.take_input(i));
}

void pass_gradients(GradContext& g) {
  for (std::size_t i = 0; i < g.num_inputs(); ++i)
    if (g.has_dy(i)) g.to_input(i, g.raw_dy(i));
}

void refuse_gradient(GradContext& c) {
  fail(ErrorKind::kLookup, "Gradient explicitly disabled. Reason: ", c.attr("message").text());
}

void infer_ensure_shape(InferContext& c) {
  const Shape& wanted = c.attr("shape").shape();
  if (wanted.has_rank() && !c.running()) c.require_rank(0, wanted.rank());
  c.set_output(0, merge(wanted, c.shape(0)));
}

void ensure_shape(KernelContext& c) {
  const Shape& wanted = c.attr("shape").shape();
  const Shape& shape = c.input(0).shape();
  if (!wanted.is_supertype_of(shape))
    invalid_argument("Shape of tensor ", c.node_name_.empty() ? "input" : c.node_name_, " ", shape.text(),
                     " is not compatible with expected shape ", wanted.text(), ".");
  c.set_output(0, c.take_input(0));
}

}  // namespace

void register_identity(Registry& r) {
  r.add({.name = "Identity",
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = {"T: type"},
         .kind = OpKind::kIdentity,
         .facts = {.alias = true, .cannot_fail = true, .contents = contents::of_input},
         .doc = "The input, unchanged.",
         .infer = infer_each,
         .kernel = forward_each,
         .allocation = Allocation::kShared,
         .grad = pass_gradients});
  r.add({.name = "IdentityN",
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = {"T: list(type) >= 1"},
         .doc = "The inputs, unchanged: one output per input.",
         .infer = infer_each,
         .kernel = forward_each,
         .allocation = Allocation::kShared,
         .grad = pass_gradients});
  r.add({.name = "Snapshot",
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = {"T: type"},
         .doc = "The current value of the input.",
         .infer = infer_each,
         .kernel = forward_each,
         .allocation = Allocation::kShared,
         .grad = without_gradient});
  r.add({.name = "GuaranteeConst",
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = {"T: type"},
         .stateful = true,
         .doc = "The input, unchanged. The program promises that it is always the same.",
         .infer = infer_each,
         .kernel = forward_each,
         .allocation = Allocation::kShared,
         .grad = without_gradient});
  r.add({.name = "StopGradient",
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = {"T: type"},
         .facts = {.alias = true, .contents = contents::of_input},
         .doc = "The input, unchanged. No gradient flows through it.",
         .infer = infer_each,
         .kernel = forward_each,
         .allocation = Allocation::kShared,
         .grad = not_differentiable});
  r.add({.name = "PreventGradient",
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = {"T: type", "message: string = ''"},
         .doc = "The input, unchanged. Differentiating through it raises LookupError with `message`.",
         .infer = infer_each,
         .kernel = forward_each,
         .allocation = Allocation::kShared,
         .grad = refuse_gradient});
  r.add({.name = "EnsureShape",
         .python = "ensure_shape(x:input, shape)",
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = {"shape: shape", "T: type"},
         .doc = "The input, unchanged. Its shape is checked against `shape` at run time.\n\nThe static shape of the "
                "result merges the input's static shape and `shape`. Raises InvalidArgumentError if the shape is not "
                "compatible with `shape`.",
         .infer = infer_ensure_shape,
         .kernel = ensure_shape,
         .allocation = Allocation::kShared,
         .grad = pass_gradients});
}

}  // namespace tracefn
