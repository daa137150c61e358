// Exponentials, logarithms, roots and the logistic function.
#include "ops/elementwise/elementwise_record.h"

namespace tracefn {
namespace {

using build::conj;
using build::scale;

void add_gradient_op(Registry& r, std::string_view name, const BlockSpec* block, std::string_view doc, GradFn grad) {
  add_binary(r, {.name = name,
                 .inputs = {"y: T", "dy: T"},
                 .attrs = {kFloatsAndComplex},
                 .doc = doc,
                 .block = block,
                 .grad = grad});
}

// TensorFlow's SigmoidGrad and TanhGrad do not conjugate y, so their callers do; SqrtGrad and RsqrtGrad conjugate it
// themselves.
void register_gradients(Registry& r) {
  add_gradient_op(r, "SigmoidGrad", &block_of<functions::SigmoidGrad>,
                  "dy * y * (1 - y): the gradient of y = sigmoid(x). Complex callers pass the conjugate of y.",
                  [](GradContext& g) {
                    Operand y = conj(g.input(0)), dy = conj(g.input(1)), both = g.dy(0) * dy;
                    g.to_input(0, both - scale(both, 2) * y);
                    g.to_input(1, emit1("SigmoidGrad", {y, g.dy(0)}));
                  });
  add_gradient_op(r, "TanhGrad", &block_of<functions::TanhGrad>,
                  "dy * (1 - y**2): the gradient of y = tanh(x). Complex callers pass the conjugate of y.",
                  [](GradContext& g) {
                    Operand y = conj(g.input(0)), dy = conj(g.input(1));
                    g.to_input(0, scale(g.dy(0), -2) * dy * y);
                    g.to_input(1, emit1("TanhGrad", {y, g.dy(0)}));
                  });
  add_gradient_op(r, "SqrtGrad", &block_of<functions::SqrtGrad>, "dy / (2 * conj(y)): the gradient of y = sqrt(x).",
                  [](GradContext& g) {
                    Operand ratio = g.dy(0) / g.input(0);
                    g.to_input(0, -(conj(ratio) * g.output(0)));
                    g.to_input(1, scale(ratio, 0.5));
                  });
  add_gradient_op(r, "RsqrtGrad", &block_of<functions::RsqrtGrad>,
                  "-dy * conj(y)**3 / 2: the gradient of y = 1 / sqrt(x).", [](GradContext& g) {
                    Operand y = conj(g.input(0));
                    g.to_input(0, scale(conj(g.dy(0)), -1.5) * g.input(1) * emit1("Square", {y}));
                    g.to_input(1, emit1("RsqrtGrad", {y, g.dy(0)}));
                  });
}

}  // namespace

void register_math(Registry& r) {
  add_unary(r, {
                   .name = "Exp",
                   .python = "math.exp(x)",
                   .aliases = {"exp"},
                   .attrs = {kFloatsAndComplex},
                   .doc = "e**x, elementwise.",
                   .block = &block_of<functions::Exp, 10>,
                   .grad = [](GradContext& g) { g.to_input(0, g.dy(0) * conj(g.output(0))); },
               });
  add_unary(r, {
                   .name = "Expm1",
                   .python = "math.expm1(x)",
                   .attrs = {kFloatsAndComplex},
                   .doc = "e**x - 1, elementwise, accurate for small x.",
                   .block = &block_of<functions::Expm1, 12>,
                   .grad = [](GradContext& g) { g.to_input(0, g.dy(0) * emit1("Exp", {conj(g.input(0))})); },
               });
  add_unary(r, {
                   .name = "Log",
                   .python = "math.log(x)",
                   .attrs = {kFloatsAndComplex},
                   .doc = "The natural logarithm of x, elementwise; NaN for negative real numbers.",
                   .block = &block_of<functions::Log, 8>,
                   .grad = [](GradContext& g) { g.to_input(0, g.dy(0) * emit1("Reciprocal", {conj(g.input(0))})); },
               });
  add_unary(r, {
                   .name = "Log1p",
                   .python = "math.log1p(x)",
                   .attrs = {kFloatsAndComplex},
                   .doc = "The natural logarithm of 1 + x, elementwise, accurate for small x.",
                   .block = &block_of<functions::Log1p, 10>,
                   .grad =
                       [](GradContext& g) {
                         Operand x = conj(g.input(0));
                         g.to_input(0, g.dy(0) * emit1("Reciprocal", {build::scalar(x.dtype(), 1) + x}));
                       },
               });
  add_unary(r, {
                   .name = "Sqrt",
                   .python = "math.sqrt(x)",
                   .aliases = {"sqrt"},
                   .attrs = {kFloatsAndComplex},
                   .doc = "The square root of x, elementwise; NaN for negative real numbers.",
                   .block = &block_of<functions::Sqrt, 10>,
                   .grad =
                       [](GradContext& g) {
                         g.to_input(0, emit1("SqrtGrad", {g.output(0), g.dy(0)}));
                       },
               });
  add_unary(r, {
                   .name = "Rsqrt",
                   .python = "math.rsqrt(x)",
                   .attrs = {kFloatsAndComplex},
                   .doc = "1 / sqrt(x), elementwise.",
                   .block = &block_of<functions::Rsqrt, 10>,
                   .grad =
                       [](GradContext& g) {
                         g.to_input(0, emit1("RsqrtGrad", {g.output(0), g.dy(0)}));
                       },
               });
  add_unary(r, {
                   .name = "Sigmoid",
                   .python = "math.sigmoid(x)",
                   .aliases = {"nn.sigmoid", "sigmoid"},
                   .attrs = {kFloatsAndComplex},
                   .facts = {.scopes = "Sigmoid"},
                   .doc = "1 / (1 + e**-x), elementwise.",
                   .block = &block_of<functions::Sigmoid, 8>,
                   .grad =
                       [](GradContext& g) {
                         g.to_input(0, emit1("SigmoidGrad", {conj(g.output(0)), g.dy(0)}));
                       },
               });
  register_gradients(r);
}

}  // namespace tracefn
