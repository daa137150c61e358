// The gradient rules that convolutions of all kinds have: each of a convolution and its two gradients is linear in two
// of the three tensors, and the others compute what follows.
#pragma once

#include "ops/gradient.h"

namespace tracefn {

// The ops of one kind; the gradients are told the shape of what they compute.
struct ConvOps {
  std::string_view forward, input_gradient, filter_gradient;
};

template <const ConvOps& ops>
void grad_conv(GradContext& c) {
  const Operand &x = c.input(0), &filter = c.input(1), dy = c.dy(0);
  if (c.wanted(0)) c.to_input(0, emit_like(c, ops.input_gradient, {build::shape_of(x), filter, dy}));
  if (c.wanted(1)) c.to_input(1, emit_like(c, ops.filter_gradient, {x, build::shape_of(filter), dy}));
}
template <const ConvOps& ops>
void grad_conv_input_gradient(GradContext& c) {
  const Operand &filter = c.input(1), &dy = c.input(2), dx = c.dy(0);
  if (c.wanted(1)) c.to_input(1, emit_like(c, ops.filter_gradient, {dx, build::shape_of(filter), dy}));
  if (c.wanted(2)) c.to_input(2, emit_like(c, ops.forward, {dx, filter}));
}
template <const ConvOps& ops>
void grad_conv_filter_gradient(GradContext& c) {
  const Operand &x = c.input(0), &dy = c.input(2), dfilter = c.dy(0);
  if (c.wanted(0)) c.to_input(0, emit_like(c, ops.input_gradient, {build::shape_of(x), dfilter, dy}));
  if (c.wanted(2)) c.to_input(2, emit_like(c, ops.forward, {x, dfilter}));
}

}  // namespace tracefn
