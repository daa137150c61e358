// The error function and its variants, log-gamma and its derivatives, the Hurwitz zeta function, Bessel functions.
#include <numbers>

#include "ops/elementwise/elementwise_record.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

Operand exp_of_square(const Operand& x, double factor) {
  return emit1("Exp", {build::scale(emit1("Square", {x}), factor)});
}

void register_error_functions(Registry& r) {
  static constexpr double kTwoOverRootPi = 2 / 1.7724538509055160273;
  add_unary(r, {
                   .name = "Erf",
                   .python = "math.erf(x)",
                   .attrs = {kFloats},
                   .doc = "The error function: 2/sqrt(pi) times the integral of exp(-t**2) from 0 to x.",
                   .block = &block_of<functions::Erf, 10>,
                   .grad =
                       [](GradContext& g) {
                         g.to_input(0, build::scale(g.dy(0), kTwoOverRootPi) * exp_of_square(g.input(0), -1));
                       },
               });
  add_unary(r, {
                   .name = "Erfc",
                   .python = "math.erfc(x)",
                   .attrs = {kFloats},
                   .doc = "1 - erf(x), elementwise, accurate for large x.",
                   .block = &block_of<functions::Erfc, 25>,
                   .grad =
                       [](GradContext& g) {
                         g.to_input(0, build::scale(g.dy(0), -kTwoOverRootPi) * exp_of_square(g.input(0), -1));
                       },
               });
  add_unary(r, {
                   .name = "Erfinv",
                   .python = "math.erfinv(x)",
                   .attrs = {kFloats},
                   .doc = "The inverse of the error function at x; NaN outside [-1, 1].",
                   .block = &block_of<functions::Erfinv, 200>,
                   .grad =
                       [](GradContext& g) {
                         g.to_input(0, build::scale(g.dy(0), 1 / kTwoOverRootPi) * exp_of_square(g.output(0), 1));
                       },
               });
  add_unary(r, {
                   .name = "Ndtri",
                   .python = "math.ndtri(x)",
                   .attrs = {kFloats},
                   .doc = "The quantile function of the standard normal distribution at x; NaN outside [0, 1].",
                   .block = &block_of<functions::Ndtri, 200>,
                   .grad =
                       [](GradContext& g) {
                         constexpr double kRootTwoPi = std::numbers::sqrt2 / std::numbers::inv_sqrtpi;
                         g.to_input(0, build::scale(g.dy(0), kRootTwoPi) * exp_of_square(g.output(0), 0.5));
                       },
               });
}

// The distance from 1 to the next number of this dtype.
double epsilon(DType dtype) {
  switch (dtype) {
    case DType::kBFloat16:
      return 0x1p-7;
    case DType::kHalf:
      return 0x1p-10;
    case DType::kFloat:
      return 0x1p-23;
    default:
      return 0x1p-52;
  }
}

// exp(-|x|) I(x) changes by exp(-|x|) I'(x) - sign(x) exp(-|x|) I(x), where I0' is I1 and I1'(x) is I0(x) - I1(x) / x.
void register_scaled_bessel(Registry& r) {
  add_unary(r, {
                   .name = "BesselI0e",
                   .python = "math.bessel_i0e(x)",
                   .aliases = {"math.special.bessel_i0e"},
                   .attrs = {kFloats},
                   .doc = "exp(-|x|) times the modified Bessel function of the first kind and order 0, elementwise.",
                   .block = &block_of<functions::BesselI0e, 30>,
                   .grad =
                       [](GradContext& g) {
                         const Operand& x = g.input(0);
                         Operand slope = emit1("BesselI1e", {x}) - emit1("Sign", {x}) * g.output(0);
                         g.to_input(0, g.dy(0) * slope);
                       },
               });
  add_unary(r, {
                   .name = "BesselI1e",
                   .python = "math.bessel_i1e(x)",
                   .aliases = {"math.special.bessel_i1e"},
                   .attrs = {kFloats},
                   .doc = "exp(-|x|) times the modified Bessel function of the first kind and order 1, elementwise.",
                   .block = &block_of<functions::BesselI1e, 30>,
                   .grad =
                       [](GradContext& g) {
                         const Operand& x = g.input(0);
                         // The slope at zero is 1/2.
                         Operand tiny = build::scalar(x.dtype(), epsilon(x.dtype()));
                         Operand apart = emit1("Greater", {emit1("Abs", {x}), tiny});
                         Operand safe = build::select(apart, x, tiny);
                         Operand slope = emit1("BesselI0e", {safe}) -
                                         g.output(0) * (emit1("Sign", {safe}) + emit1("Reciprocal", {safe}));
                         g.to_input(0, g.dy(0) * build::select(apart, slope, build::scalar(x.dtype(), 0.5)));
                       },
               });
}

}  // namespace

void register_special(Registry& r) {
  register_error_functions(r);
  register_scaled_bessel(r);
  add_unary(r, {
                   .name = "Lgamma",
                   .python = "math.lgamma(x)",
                   .attrs = {kFloats},
                   .doc = "The logarithm of the absolute value of the gamma function of x.",
                   .block = &block_of<functions::Lgamma, 80>,
                   .grad = [](GradContext& g) { g.to_input(0, g.dy(0) * emit1("Digamma", {g.input(0)})); },
               });
  add_unary(r, {
                   .name = "Digamma",
                   .python = "math.digamma(x)",
                   .attrs = {kFloats},
                   .doc = "The derivative of lgamma at x; NaN at zero and at negative integers.",
                   .block = &block_of<functions::Digamma, 80>,
                   .grad =
                       [](GradContext& g) {
                         Operand one = build::scalar(g.input(0).dtype(), 1);
                         g.to_input(0, g.dy(0) * emit1("Polygamma", {one, g.input(0)}));
                       },
               });
  add_binary(r, {
                    .name = "Polygamma",
                    .python = "math.polygamma(a, x)",
                    .inputs = {"a: T", "x: T"},
                    .attrs = {"T: {float, double}"},
                    .doc = "The a-th derivative of digamma at x, for integers a >= 0; NaN for any other a.\n\na and x "
                           "are broadcast together. No gradient flows to a.",
                    .block = &block_of<functions::Polygamma, 1000>,
                    .grad =
                        [](GradContext& g) {
                          Operand next = g.input(0) + build::scalar(g.input(0).dtype(), 1);
                          to_operand(g, 1, g.dy(0) * emit1("Polygamma", {next, g.input(1)}));
                        },
                });
  add_binary(r, {
                    .name = "Zeta",
                    .python = "math.zeta(x, q)",
                    .inputs = {"x: T", "q: T"},
                    .attrs = {"T: {float, double}"},
                    .doc = "The Hurwitz zeta function: the sum of (q + k)**-x over k = 0, 1, 2, ...; NaN for x < "
                           "1.\n\nx and q are broadcast together. No gradient flows to x.",
                    .block = &block_of<functions::Zeta, 1000>,
                    .grad =
                        [](GradContext& g) {
                          const Operand& x = g.input(0);
                          Operand next = x + build::scalar(x.dtype(), 1);
                          to_operand(g, 1, -(g.dy(0) * x * emit1("Zeta", {next, g.input(1)})));
                        },
                });
  add_binary(r, {
                    .name = "RandomGammaGrad",
                    .inputs = {"alpha: T", "sample: T"},
                    .outputs = {"output: T"},
                    .attrs = {"T: {float, double}"},
                    .doc = "The derivative of gamma-distributed samples with respect to `alpha`, by implicit "
                           "differentiation of the distribution function.\n\nalpha and sample are broadcast together.",
                    .block = &block_of<functions::RandomGammaGrad, 1000>,
                    .grad = without_gradient,
                });
}

}  // namespace tracefn
