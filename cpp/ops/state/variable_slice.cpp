// Assigns to strided slices of variables, through the tensor kernel.
#include "ops/gradient.h"
#include "ops/state/effect_records.h"
#include "ops/state/variable_resource.h"

namespace tracefn {
namespace {

void infer_slice_assign(InferContext& c) {
  for (std::size_t i = 1; i < 4; ++i) c.require_rank(i, 1);
}

void slice_assign(KernelContext& c) {
  static const OpDef& update = Registry::get().at("TensorStridedSliceUpdate");
  VariableResource& variable = variable_input(c, 0);
  if (variable.dtype() != c.input(4).dtype())
    invalid_argument("l-value dtype ", runtime_name(variable.dtype()), " does not match r-value dtype ",
                     runtime_name(c.input(4).dtype()));
  AttrList attrs(update.signature.attrs.size());
  for (std::size_t i = 0; i < attrs.size(); ++i) attrs[i] = c.attr(update.signature.attrs[i].name);
  variable.update([&](Tensor& value) {
    Tensor result;
    // The kernel checks everything before it takes the value, so an error leaves the variable unchanged.
    TensorRef inputs[] = {{&value, true}, c.operands()[1], c.operands()[2], c.operands()[3], c.operands()[4]};
    KernelContext inner(update, attrs, inputs, std::span(&result, 1));
    inner.shards_ = c.shards_;
    update.kernel(inner);
    value = std::move(result);
  });
}

}  // namespace

void register_variable_slice(Registry& r) {
  r.add({
      .name = "ResourceStridedSliceAssign",
      .inputs = {"ref: resource", "begin: Index", "end: Index", "strides: Index", "value: T"},
      .attrs = {"T: type", "Index: {int32, int64}", "begin_mask: int = 0", "end_mask: int = 0",
                "ellipsis_mask: int = 0", "new_axis_mask: int = 0", "shrink_axis_mask: int = 0"},
      .stateful = true,
      .doc = "Assigns `value` to a strided slice of the variable. `value` is broadcast to the shape of the slice.",
      .infer = infer_slice_assign,
      .kernel = slice_assign,
      .grad = not_differentiable,
  });
}

}  // namespace tracefn
