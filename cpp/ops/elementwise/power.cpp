// Powers, products with logarithms, and nextafter.
#include "ops/elementwise/elementwise_record.h"

namespace tracefn {
namespace {

Operand one(const Operand& like) { return build::scalar(like.dtype(), 1); }

// 1 where x differs from zero, 0 elsewhere.
Operand nonzero(const Operand& x) {
  return build::cast(emit1("NotEqual", {x, build::scalar(x.dtype(), 0)}), x.dtype());
}

void pow_grad(GradContext& g) {
  Operand x = build::conj(g.input(0)), y = build::conj(g.input(1)), z = build::conj(g.output(0));
  to_operand(g, 0, g.dy(0) * y * emit1("Pow", {x, y - one(y)}));
  // The logarithm of a nonpositive number counts as zero in the gradient.
  Operand zero = build::scalar(x.dtype(), 0);
  Operand mask = emit1(is_complex(x.dtype()) ? "NotEqual" : "Greater", {x, zero});
  Operand log = emit1("Log", {build::select(mask, x, build::ones_like(x))});
  to_operand(g, 1, g.dy(0) * z * build::select(mask, log, build::zeros_like(x)));
}

// The gradients of the three functions with a zero case are not conjugated, as in TensorFlow.

}  // namespace

void register_power(Registry& r) {
  add_binary(r, {
                    .name = "Pow",
                    .python = "math.pow(x, y)",
                    .aliases = {"pow"},
                    .attrs = {"T: {bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128}"},
                    .facts = {.fails_on_integers = true, .scopes = "Pow pow"},
                    .doc = "x**y, elementwise.\n\nx and y are broadcast together. Integers wrap around on overflow. An "
                           "integer to a negative power raises InvalidArgumentError.",
                    .block = &block_of<functions::Pow, 30>,
                    .grad = pow_grad,
                });
  add_binary(r, {
                    .name = "Xlogy",
                    .python = "math.xlogy(x, y)",
                    .attrs = {kHalfFirstAndComplex},
                    .doc = "x * log(y), or 0 where x is zero, elementwise.\n\nx and y are broadcast together.",
                    .block = &block_of<functions::Xlogy, 80>,
                    .grad =
                        [](GradContext& g) {
                          const Operand &x = g.input(0), &y = g.input(1);
                          to_operand(g, 0, g.dy(0) * emit1("Xlogy", {nonzero(x), y}));
                          to_operand(g, 1, g.dy(0) * emit1("Xdivy", {x, y}));
                        },
                });
  add_binary(r, {
                    .name = "Xlog1py",
                    .python = "math.xlog1py(x, y)",
                    .attrs = {kHalfFirstAndComplex},
                    .doc = "x * log(1 + y), or 0 where x is zero, elementwise.\n\nx and y are broadcast together.",
                    .block = &block_of<functions::Xlog1py, 80>,
                    .grad =
                        [](GradContext& g) {
                          const Operand &x = g.input(0), &y = g.input(1);
                          to_operand(g, 0, g.dy(0) * emit1("Xlog1py", {nonzero(x), y}));
                          to_operand(g, 1, g.dy(0) * emit1("Xdivy", {x, y + one(y)}));
                        },
                });
  add_binary(r, {
                    .name = "Xdivy",
                    .python = "math.xdivy(x, y)",
                    .attrs = {kHalfFirstAndComplex},
                    .doc = "x / y, or 0 where x is zero, elementwise.\n\nx and y are broadcast together.",
                    .block = &block_of<functions::Xdivy>,
                    .grad =
                        [](GradContext& g) {
                          const Operand &x = g.input(0), &y = g.input(1);
                          to_operand(g, 0, g.dy(0) * emit1("Xdivy", {nonzero(x), y}));
                          to_operand(g, 1, g.dy(0) * emit1("Xdivy", {-x, emit1("Square", {y})}));
                        },
                });
  add_binary(r, {
                    .name = "NextAfter",
                    .python = "math.nextafter(x1, x2)",
                    .inputs = {"x1: T", "x2: T"},
                    .outputs = {"output: T"},
                    .attrs = {"T: {double, float} = DT_FLOAT"},
                    .doc = "The next representable number after x1 in the direction of x2, elementwise.\n\nx1 and x2 "
                           "are broadcast together.",
                    .block = &block_of<functions::NextAfter, 50>,
                    .grad =
                        [](GradContext& g) {
                          to_operand(g, 0, g.dy(0));
                          to_operand(g, 1, build::zeros_like(g.dy(0)));
                        },
                });
}

}  // namespace tracefn
