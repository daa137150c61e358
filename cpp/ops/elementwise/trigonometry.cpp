// Trigonometric and hyperbolic functions and their inverses. Angles are in radians.
#include "ops/elementwise/elementwise_record.h"

namespace tracefn {
namespace {

using build::conj;

Operand call(std::string_view op, const Operand& x) { return emit1(op, {x}); }
Operand one(const Operand& like) { return build::scalar(like.dtype(), 1); }

void add(Registry& r, std::string_view name, std::string_view python, std::vector<std::string_view> aliases,
         std::string_view doc, const BlockSpec* block, GradFn grad) {
  add_unary(r, {.name = name,
                .python = python,
                .aliases = std::move(aliases),
                .attrs = {kFloatsAndComplex},
                .doc = doc,
                .block = block,
                .grad = grad});
}

void register_circular(Registry& r) {
  add(r, "Sin", "math.sin(x)", {"sin"}, "The sine of x radians, elementwise.", &block_of<functions::Sin, 10>,
      [](GradContext& g) { g.to_input(0, g.dy(0) * call("Cos", conj(g.input(0)))); });
  add(r, "Cos", "math.cos(x)", {"cos"}, "The cosine of x radians, elementwise.", &block_of<functions::Cos, 10>,
      [](GradContext& g) { g.to_input(0, -(g.dy(0) * call("Sin", conj(g.input(0))))); });
  add(r, "Tan", "math.tan(x)", {"tan"}, "The tangent of x radians, elementwise.", &block_of<functions::Tan, 15>,
      [](GradContext& g) {
        Operand secant = call("Reciprocal", call("Cos", conj(g.input(0))));
        g.to_input(0, g.dy(0) * call("Square", secant));
      });
  add(r, "Asin", "math.asin(x)", {"asin"}, "The inverse sine of x, an angle in [-pi/2, pi/2]; NaN outside [-1, 1].",
      &block_of<functions::Asin, 10>, [](GradContext& g) {
        Operand x = conj(g.input(0));
        g.to_input(0, g.dy(0) * call("Reciprocal", call("Sqrt", one(x) - call("Square", x))));
      });
  add(r, "Acos", "math.acos(x)", {"acos"}, "The inverse cosine of x, an angle in [0, pi]; NaN outside [-1, 1].",
      &block_of<functions::Acos, 10>, [](GradContext& g) {
        Operand x = conj(g.input(0));
        g.to_input(0, -(g.dy(0) * call("Reciprocal", call("Sqrt", one(x) - call("Square", x)))));
      });
  add(r, "Atan", "math.atan(x)", {"atan"}, "The inverse tangent of x, an angle in [-pi/2, pi/2].",
      &block_of<functions::Atan, 10>, [](GradContext& g) {
        Operand x = conj(g.input(0));
        g.to_input(0, g.dy(0) * call("Reciprocal", one(x) + call("Square", x)));
      });
}

void register_hyperbolic(Registry& r) {
  add(r, "Sinh", "math.sinh(x)", {"sinh"}, "The hyperbolic sine of x, elementwise.", &block_of<functions::Sinh, 10>,
      [](GradContext& g) { g.to_input(0, g.dy(0) * call("Cosh", conj(g.input(0)))); });
  add(r, "Cosh", "math.cosh(x)", {"cosh"}, "The hyperbolic cosine of x, elementwise.", &block_of<functions::Cosh, 8>,
      [](GradContext& g) { g.to_input(0, g.dy(0) * call("Sinh", conj(g.input(0)))); });
  add(r, "Tanh", "math.tanh(x)", {"nn.tanh", "tanh"}, "The hyperbolic tangent of x, elementwise.",
      &block_of<functions::Tanh, 10>, [](GradContext& g) {
        g.to_input(0, emit1("TanhGrad", {conj(g.output(0)), g.dy(0)}));
      });
  add(r, "Asinh", "math.asinh(x)", {"asinh"}, "The inverse hyperbolic sine of x, elementwise.",
      &block_of<functions::Asinh, 25>,
      [](GradContext& g) { g.to_input(0, g.dy(0) / call("Cosh", conj(g.output(0)))); });
  add(r, "Acosh", "math.acosh(x)", {"acosh"},
      "The inverse hyperbolic cosine of x, which is not negative; NaN where x < 1.", &block_of<functions::Acosh, 20>,
      [](GradContext& g) { g.to_input(0, g.dy(0) / call("Sinh", conj(g.output(0)))); });
  add(r, "Atanh", "math.atanh(x)", {"atanh"}, "The inverse hyperbolic tangent of x; NaN outside [-1, 1].",
      &block_of<functions::Atanh, 20>, [](GradContext& g) {
        Operand x = conj(g.input(0));
        g.to_input(0, g.dy(0) * call("Reciprocal", one(x) - call("Square", x)));
      });
}

}  // namespace

void register_trigonometry(Registry& r) {
  register_circular(r);
  register_hyperbolic(r);
  add_binary(r,
             {
                 .name = "Atan2",
                 .python = "math.atan2(y, x)",
                 .aliases = {"atan2"},
                 .inputs = {"y: T", "x: T"},
                 .attrs = {kFloats},
                 .doc = "The angle of the point (x, y) in [-pi, pi], elementwise.\n\ny and x are broadcast together.",
                 .block = &block_of<functions::Atan2, 15>,
                 .grad =
                     [](GradContext& g) {
                       const Operand &y = g.input(0), &x = g.input(1);
                       Operand scaled = g.dy(0) / (call("Square", x) + call("Square", y));
                       to_operand(g, 0, x * scaled);
                       to_operand(g, 1, -(y * scaled));
                     },
             });
}

}  // namespace tracefn
