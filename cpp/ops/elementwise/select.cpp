// Select by a condition, and clipping.
#include "base/poll.h"
#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/elementwise_record.h"
#include "ops/no_kernel.h"
#include "ops/type_sets.h"

namespace tracefn {
namespace {

void infer_select_v2(InferContext& c) {
  const auto broadcast = [&](const InferContext::Input& x, const InferContext::Input& y) {
    const InferContext::Input operands[] = {x, y};
    OutputInfo out;
    InferContext two(c.op(), c.attrs(), operands, std::span(&out, 1));
    infer::broadcast_all(two);
    return out.shape;
  };
  // As TensorFlow does, which its errors show: the two values, then the condition and what they give.
  const Shape values = broadcast(c.input(1), c.input(2));
  c.set_output(0, broadcast(c.input(0), {&values, c.input(1).dtype, nullptr, nullptr}));
}

// Cases that block kernels cannot handle: strings, and shapes that do not broadcast.
void select_v2(KernelContext& c) {
  const Tensor &condition = c.input(0), &t = c.input(1), &e = c.input(2);
  bool fits = can_broadcast(t.shape(), e.shape()) && can_broadcast(broadcast(t.shape(), e.shape()), condition.shape());
  if (!fits)
    invalid_argument("condition ", condition.shape().text(), ", then ", t.shape().text(), ", and else ",
                     e.shape().text(), " must be broadcastable");
  if (t.dtype() != DType::kString) no_kernel();
  Shape shape = broadcast(broadcast(t.shape(), e.shape()), condition.shape());
  Tensor& out = c.allocate_output(0, DType::kString, shape);
  auto at_c = broadcast_indices(condition.shape(), shape);
  auto at_t = broadcast_indices(t.shape(), shape), at_e = broadcast_indices(e.shape(), shape);
  PolledSteps polled;
  for (std::size_t i = 0; i < at_c.size(); ++i, polled.step())
    out.mutable_data<std::string>()[i] =
        condition.data<bool>()[at_c[i]] ? t.data<std::string>()[at_t[i]] : e.data<std::string>()[at_e[i]];
}

// The condition of Select: of `t`'s shape, or a scalar, or a vector that selects rows.
void infer_select(InferContext& c) {
  Shape out = merge_or_explain(c.shape(1), c.shape(2));
  const Shape& condition = c.shape(0);
  if (condition.has_rank() && out.has_rank() && condition.rank() > 0) {
    if (condition.rank() == 1 && out.rank() > 1) {
      merge_or_explain(condition, Shape({out[0]}));
    } else {
      out = merge_or_explain(out, condition);
    }
  }
  c.set_output(0, std::move(out));
}

void select(KernelContext& c) {
  const Shape &wanted = c.input(1).shape(), &given = c.input(0).shape();
  const auto unlike = [&](std::size_t i) {
    invalid_argument("Inputs to operation ", c.op().name(),
                     " of type Select must have the same size and shape.  "
                     "Input 0: ",
                     given.text(), " != input ", i, ": ", c.input(i).shape().text());
  };
  Tensor condition = c.input(0);
  if (given.rank() == 1 && wanted.rank() != 1) {
    if (wanted.rank() == 0) invalid_argument("'then' must be at least a vector, but saw shape: ", wanted.text());
    if (given[0] != wanted[0])
      invalid_argument("Number of batches of 'then' must match size of 'cond', but saw: ", wanted[0], " vs. ",
                       given[0]);
    Shape column = given;
    for (int i = 1; i < wanted.rank(); ++i) column.push_back(1);
    condition = condition.reshaped(std::move(column));
  } else if (given.rank() != 0 && !(given == wanted)) {
    unlike(1);
  }
  if (given.rank() == wanted.rank() && !(c.input(2).shape() == wanted)) unlike(2);
  if (!(c.input(2).shape() == wanted))
    invalid_argument("'then' and 'else' must have the same size.  but received: ", wanted.text(), " vs. ",
                     c.input(2).shape().text());
  TensorRef operands[] = {{&condition, false}, c.operands()[1], c.operands()[2]};
  run_spec(c, block_of<functions::Select>, operands, c.output(0));
}

void infer_clip(InferContext& c) { c.set_output(0, c.shape(0)); }

void clip_by_value(KernelContext& c) {
  const Shape &shape = c.input(0).shape(), &low = c.input(1).shape(), &high = c.input(2).shape();
  auto fits = [&](const Shape& s) { return s.is_scalar() || s == shape; };
  if (!fits(low) || !fits(high))
    invalid_argument("clip_value_min and clip_value_max must be either of the same shape as input, or a scalar. ",
                     "input shape: ", shape.text(), "clip_value_min shape: ", low.text(),
                     "clip_value_max shape: ", high.text());
  run_spec(c, block_of<functions::ClipByValue>, c.operands(), c.output(0));
}

void clip_grad(GradContext& g) {
  const Operand &x = g.input(0), &low = g.input(1), &high = g.input(2);
  Operand dy = g.dy(0), zeros = build::zeros_like(dy);
  Operand below = emit1("Less", {x, low}), above = emit1("Greater", {x, high});
  g.to_input(0, build::select(emit1("LogicalOr", {below, above}), zeros, dy));
  g.to_input(1, build::unbroadcast(build::select(below, dy, zeros), low, x));
  g.to_input(2, build::unbroadcast(build::select(above, dy, zeros), high, x));
}

}  // namespace

void register_select(Registry& r) {
  r.add({
      .name = "SelectV2",
      .inputs = {"condition: bool", "t: T", "e: T"},
      .outputs = {"output: T"},
      .attrs = {"T: type"},
      .doc = "t where condition is true, else e.\n\nAll three are broadcast together.",
      .infer = infer_select_v2,
      .kernel = select_v2,
      .block = &block_of<functions::Select>,
      .grad =
          [](GradContext& g) {
            Operand dy = g.dy(0), zeros = build::zeros_like(dy);
            g.to_input(1, build::unbroadcast(build::select(g.input(0), dy, zeros), g.input(1), dy));
            g.to_input(2, build::unbroadcast(build::select(g.input(0), zeros, dy), g.input(2), dy));
          },
  });
  r.add({
      .name = "Select",
      .inputs = {"condition: bool", "t: T", "e: T"},
      .outputs = {"output: T"},
      .attrs = {"T: type"},
      .raw_names = {"t:x", "e:y"},
      .doc = "t where condition is true, else e.\n\nt and e must have the same shape. condition has that shape too, or "
             "is a scalar, or a vector that selects rows.",
      .infer = infer_select,
      .kernel = select,
      .allocation = Allocation::kShared,
      .grad =
          [](GradContext& g) {
            Operand dy = g.dy(0), zeros = build::zeros_like(dy);
            g.to_input(1, emit1("Select", {g.input(0), dy, zeros}));
            g.to_input(2, emit1("Select", {g.input(0), zeros, dy}));
          },
  });
  r.add({
      .name = "ClipByValue",
      .inputs = {"t: T", "clip_value_min: T", "clip_value_max: T"},
      .outputs = {"output: T"},
      .attrs = {"T: " TRACEFN_NUMBERS},
      .doc = "t clipped to [clip_value_min, clip_value_max], elementwise. NaN stays NaN.\n\nThe bounds are scalars or "
             "have the shape of t.",
      .infer = infer_clip,
      .kernel = clip_by_value,
      .allocation = Allocation::kShared,
      .grad = clip_grad,
  });
}

}  // namespace tracefn
