// Division, remainders, and products and quotients that treat zero specially.
#include "ops/elementwise/elementwise_record.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

constexpr std::string_view kDivisionTypes =
    "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, "
    "complex128}";

Operand reciprocal_grad(const Operand& y, const Operand& dy) { return emit1("ReciprocalGrad", {y, dy}); }

// x/y by `divide`, which treats zeros like the op itself.
void division_grad(GradContext& g, std::string_view divide) {
  auto over = [&](const Operand& a, const Operand& b) { return emit1(divide, {a, b}); };
  Operand x = build::conj(g.input(0)), y = build::conj(g.input(1));
  to_operand(g, 0, over(g.dy(0), y));
  to_operand(g, 1, g.dy(0) * over(over(-x, y), y));
}

// z = dy * -y^2 (conjugated), shared by Reciprocal and Inv.
void reciprocal_grad_grad(GradContext& g) {
  Operand y = build::conj(g.input(0)), dz = g.dy(0);
  g.to_input(0, build::scale(build::conj(dz), -2) * g.input(1) * y);
  g.to_input(1, reciprocal_grad(y, dz));
}

void register_remainders(Registry& r) {
  add_binary(r, {
                    .name = "FloorDiv",
                    .attrs = {kDivisionTypes},
                    .facts = {.fails_on_integers = true},
                    .doc = "x / y rounded toward negative infinity, elementwise.\n\nx and y are broadcast together. "
                           "Integer division by zero raises InvalidArgumentError.",
                    .block = &block_of<functions::FloorDiv, 10>,
                    .without_kernel = functions::kComplexes,
                    .grad = not_differentiable,
                });
  add_binary(r, {
                    .name = "FloorMod",
                    .python = "math.floormod(x, y)",
                    .aliases = {"math.mod"},
                    .attrs = {"T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, half, float, "
                              "double}"},
                    .facts = {.fails_on_integers = true, .scopes = "mod floormod"},
                    .doc = "x - y * floor(x / y), elementwise: the remainder with the sign of y.\n\nx and y are "
                           "broadcast together. Integer division by zero raises InvalidArgumentError.",
                    .block = &block_of<functions::FloorMod, 12>,
                    .grad =
                        [](GradContext& g) {
                          to_operand(g, 0, g.dy(0));
                          to_operand(g, 1, -(g.dy(0) * emit1("FloorDiv", {g.input(0), g.input(1)})));
                        },
                });
  add_binary(r, {
                    .name = "TruncateDiv",
                    .python = "truncatediv(x, y)",
                    .attrs = {kDivisionTypes},
                    .facts = {.fails_on_integers = true},
                    .doc = "x / y rounded toward zero, elementwise.\n\nx and y are broadcast together. Integer "
                           "division by zero raises InvalidArgumentError.",
                    .block = &block_of<functions::TruncateDiv, 10>,
                    .without_kernel = functions::kComplexes,
                    .grad = not_differentiable,
                });
  add_binary(r, {
                    .name = "TruncateMod",
                    .python = "truncatemod(x, y)",
                    .attrs = {"T: {int32, int64, bfloat16, half, float, double}"},
                    .facts = {.fails_on_integers = true},
                    .doc = "The remainder of truncating division, elementwise, with the sign of x.\n\nx and y are "
                           "broadcast together. Integer division by zero raises InvalidArgumentError.",
                    .block = &block_of<functions::TruncateMod, 12>,
                    .grad = without_gradient,
                });
  add_binary(r, {
                    .name = "Mod",
                    .attrs = {"T: {int32, int64, half, half, bfloat16, float, double}"},
                    .facts = {.fails_on_integers = true},
                    .doc = "The remainder of truncating division, elementwise. The same as TruncateMod.",
                    .block = &block_of<functions::TruncateMod, 12>,
                    .grad = without_gradient,
                });
}

void register_reciprocals(Registry& r) {
  constexpr std::string_view kTypes =
      "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}";
  for (std::string_view name : {"Reciprocal", "Inv"})
    add_unary(r, {
                     .name = name,
                     .python = name == "Inv" ? "" : "math.reciprocal(x)",
                     .attrs = {kTypes},
                     .doc = "1 / x, elementwise.",
                     .block = &block_of<functions::Reciprocal>,
                     .without_kernel = functions::kSignedIntegers,
                     .grad = [](GradContext& g) { g.to_input(0, reciprocal_grad(g.output(0), g.dy(0))); },
                 });
  for (std::string_view name : {"ReciprocalGrad", "InvGrad"})
    add_binary(r, {
                      .name = name,
                      .inputs = {"y: T", "dy: T"},
                      .attrs = {kFloatsAndComplex},
                      .doc = "-dy * conj(y)**2: the gradient of y = 1 / x.",
                      .block = &block_of<functions::ReciprocalGrad>,
                      .grad = reciprocal_grad_grad,
                  });
}

}  // namespace

void register_division(Registry& r) {
  for (std::string_view name : {"RealDiv", "Div"})
    add_binary(r, {
                      .name = name,
                      .python = name == "Div" ? "" : "realdiv(x, y)",
                      .attrs = {kDivisionTypes},
                      .facts = {.fails_on_integers = true, .scopes = "truediv"},
                      .doc = "x / y, elementwise.\n\nx and y are broadcast together. Integer division truncates toward "
                             "zero and raises InvalidArgumentError for a zero divisor.",
                      .block = &block_of<functions::Div>,
                      .grad = [](GradContext& g) { division_grad(g, "RealDiv"); },
                  });
  add_binary(r, {
                    .name = "DivNoNan",
                    .attrs = {"T: {half, float, bfloat16, double, complex64, complex128}"},
                    .doc = "x / y, or 0 where y is zero, elementwise.\n\nx and y are broadcast together.",
                    .block = &block_of<functions::DivNoNan>,
                    .grad = [](GradContext& g) { division_grad(g, "DivNoNan"); },
                });
  add_binary(r,
             {
                 .name = "MulNoNan",
                 .attrs = {kFloatsAndComplex},
                 .doc = "x * y, or 0 where y is zero, even if x is infinite or NaN.\n\nx and y are broadcast together.",
                 .block = &block_of<functions::MulNoNan>,
                 .grad =
                     [](GradContext& g) {
                       // Not conjugated, as in TensorFlow.
                       to_operand(g, 0, emit1("MulNoNan", {g.dy(0), g.input(1)}));
                       to_operand(g, 1, emit1("MulNoNan", {g.input(0), g.dy(0)}));
                     },
             });
  register_remainders(r);
  register_reciprocals(r);
}

}  // namespace tracefn
