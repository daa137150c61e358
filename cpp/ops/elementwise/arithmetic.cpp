// Sums, differences, products, signs and extremes.
#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/elementwise_record.h"

namespace tracefn {
namespace {

void add_grad(GradContext& g) {
  to_operand(g, 0, g.dy(0));
  to_operand(g, 1, g.dy(0));
}

// Add of strings concatenates them.
void add_strings(KernelContext& c) {
  run_strings<std::string>(c, [](const std::string& a, const std::string& b) { return a + b; });
}

// The gradient goes to the selected operand; to the first of equal ones.
void extreme_grad(GradContext& g, std::string_view first_taken) {
  Operand dy = g.dy(0), zeros = build::zeros_like(dy);
  Operand mask = emit1(first_taken, {g.input(0), g.input(1)});
  to_operand(g, 0, build::select(mask, dy, zeros));
  to_operand(g, 1, build::select(mask, zeros, dy));
}

// For complex numbers sign(x) is x / |x|, which depends on x.
void sign_grad(GradContext& g) {
  const Operand& x = g.input(0);
  if (!is_complex(x.dtype())) return g.to_input(0, build::zeros_like(x));
  const Attr real = x.dtype() == DType::kComplex64 ? DType::kFloat : DType::kDouble;
  Operand length = build::cast(emit1("ComplexAbs", {x}, {{"Tout", real}}), x.dtype()), sign = g.output(0);
  Operand turned = g.dy(0) * build::conj(emit1("DivNoNan", {sign, length}));
  Operand along = emit1("Real", {turned}, {{"Tout", real}});
  g.to_input(0, emit1("DivNoNan", {g.dy(0), length}) - build::cast(along, x.dtype()) * sign);
}

}  // namespace

void register_arithmetic(Registry& r) {
  add_unary(r, {
                   .name = "Neg",
                   .python = "math.negative(x)",
                   .aliases = {"negative"},
                   .attrs = {"T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}"},
                   .doc = "-x, elementwise.\n\nThe lowest value of a signed integer type is its own negative.",
                   .block = &block_of<functions::Neg>,
                   .grad = [](GradContext& g) { g.to_input(0, -g.dy(0)); },
               });
  add_unary(r, {
                   .name = "Abs",
                   .attrs = {"T: {bfloat16, half, float, double, int8, int16, int32, int64}"},
                   .facts = {.scopes = "Abs"},
                   .doc = "|x|, elementwise.\n\nThe lowest value of a signed integer type is returned unchanged. For "
                          "complex numbers see ComplexAbs.",
                   .block = &block_of<functions::Abs>,
                   .grad = [](GradContext& g) { g.to_input(0, g.dy(0) * emit1("Sign", {g.input(0)})); },
               });
  add_unary(r, {
                   .name = "Sign",
                   .python = "math.sign(x)",
                   .aliases = {"sign"},
                   .attrs = {"T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}"},
                   .doc = "The sign of x, elementwise: -1, 0 or 1.\n\nFor complex x it is x / |x|, or 0 where x is 0. "
                          "NaN stays NaN.",
                   .block = &block_of<functions::Sign>,
                   .grad = sign_grad,
               });
  add_unary(r, {
                   .name = "Square",
                   .python = "math.square(x)",
                   .aliases = {"square"},
                   .attrs = {"T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, "
                             "uint64, complex64, complex128}"},
                   .doc = "x * x, elementwise.\n\nIntegers wrap around on overflow.",
                   .block = &block_of<functions::Square>,
                   .grad = [](GradContext& g) { g.to_input(0, g.dy(0) * build::scale(build::conj(g.input(0)), 2)); },
               });
  add_binary(r, {
                    .name = "AddV2",
                    .attrs = {"T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, int32, "
                              "int64, complex64, complex128}"},
                    .commutative = true,
                    .facts = {.converts_inputs = true, .scopes = "Add add"},
                    .doc = "x + y, elementwise.\n\nx and y are broadcast together. Integers wrap around on overflow.",
                    .block = &block_of<functions::Add>,
                    .grad = add_grad,
                });
  add_binary(r, {
                    .name = "Add",
                    .attrs = {"T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, "
                              "complex128, string}"},
                    .doc = "x + y, elementwise; strings are concatenated.\n\nx and y are broadcast together. Integers "
                           "wrap around on overflow.",
                    .kernel = add_strings,
                    .block = &block_of<functions::Add>,
                    .grad =
                        [](GradContext& g) {
                          if (g.input(0).dtype() != DType::kString) add_grad(g);
                        },
                });
  add_binary(r, {
                    .name = "Sub",
                    .python = "math.subtract(x, y)",
                    .aliases = {"subtract"},
                    .attrs = {"T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, complex64, "
                              "complex128, uint32, uint64}"},
                    .facts = {.scopes = "sub"},
                    .doc = "x - y, elementwise.\n\nx and y are broadcast together. Integers wrap around on overflow.",
                    .block = &block_of<functions::Sub>,
                    .grad =
                        [](GradContext& g) {
                          to_operand(g, 0, g.dy(0));
                          to_operand(g, 1, -g.dy(0));
                        },
                });
  add_binary(r, {
                    .name = "Mul",
                    .python = "math.multiply(x, y)",
                    .aliases = {"multiply"},
                    .attrs = {"T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, "
                              "int64, complex64, complex128}"},
                    .commutative = true,
                    .facts = {.scopes = "mul"},
                    .doc = "x * y, elementwise.\n\nx and y are broadcast together. Integers wrap around on overflow.",
                    .block = &block_of<functions::Mul>,
                    .grad =
                        [](GradContext& g) {
                          to_operand(g, 0, g.dy(0) * build::conj(g.input(1)));
                          to_operand(g, 1, g.dy(0) * build::conj(g.input(0)));
                        },
                });
  add_binary(r, {
                    .name = "SquaredDifference",
                    .python = "math.squared_difference(x, y)",
                    .attrs = {"T: {bfloat16, half, float, double, int32, int64, complex64, complex128}"},
                    .commutative = true,
                    .doc = "(x - y) * conj(x - y), elementwise.\n\nx and y are broadcast together.",
                    .block = &block_of<functions::SquaredDifference>,
                    .grad =
                        [](GradContext& g) {
                          Operand toward_x = build::scale(g.dy(0), 2) * (g.input(0) - g.input(1));
                          to_operand(g, 0, toward_x);
                          to_operand(g, 1, -toward_x);
                        },
                });
  constexpr std::string_view kExtremeTypes =
      "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}";
  add_binary(r, {
                    .name = "Maximum",
                    .python = "math.maximum(x, y)",
                    .aliases = {"maximum"},
                    .attrs = {kExtremeTypes},
                    .doc = "The larger of x and y, elementwise; NaN where either is NaN.\n\nx and y are broadcast "
                           "together.",
                    .block = &block_of<functions::Maximum>,
                    .grad = [](GradContext& g) { extreme_grad(g, "GreaterEqual"); },
                });
  add_binary(r, {
                    .name = "Minimum",
                    .python = "math.minimum(x, y)",
                    .aliases = {"minimum"},
                    .attrs = {kExtremeTypes},
                    .doc = "The smaller of x and y, elementwise; NaN where either is NaN.\n\nx and y are broadcast "
                           "together.",
                    .block = &block_of<functions::Minimum>,
                    .grad = [](GradContext& g) { extreme_grad(g, "LessEqual"); },
                });
}

}  // namespace tracefn
