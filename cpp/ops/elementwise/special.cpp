// The error function and its variants, log-gamma and its derivatives, the Hurwitz zeta function.
#include <numbers>

#include "ops/elementwise/elementwise_record.h"

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
                   .block = &unary_block<kErf, 10>,
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
                   .block = &unary_block<kErfc, 25>,
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
                   .block = &unary_block<kErfinv, 200>,
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
                   .block = &unary_block<kNdtri, 200>,
                   .grad =
                       [](GradContext& g) {
                         constexpr double kRootTwoPi = std::numbers::sqrt2 / std::numbers::inv_sqrtpi;
                         g.to_input(0, build::scale(g.dy(0), kRootTwoPi) * exp_of_square(g.output(0), 0.5));
                       },
               });
}

}  // namespace

void register_special(Registry& r) {
  register_error_functions(r);
  add_unary(r, {
                   .name = "Lgamma",
                   .python = "math.lgamma(x)",
                   .attrs = {kFloats},
                   .doc = "The logarithm of the absolute value of the gamma function of x.",
                   .block = &unary_block<kLgamma, 80>,
                   .grad = [](GradContext& g) { g.to_input(0, g.dy(0) * emit1("Digamma", {g.input(0)})); },
               });
  add_unary(r, {
                   .name = "Digamma",
                   .python = "math.digamma(x)",
                   .attrs = {kFloats},
                   .doc = "The derivative of lgamma at x; NaN at zero and at negative integers.",
                   .block = &unary_block<kDigamma, 80>,
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
                    .block = &binary_block<kPolygamma, 1000>,
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
                    .block = &binary_block<kZeta, 1000>,
                    .grad =
                        [](GradContext& g) {
                          const Operand& x = g.input(0);
                          Operand next = x + build::scalar(x.dtype(), 1);
                          to_operand(g, 1, -(g.dy(0) * x * emit1("Zeta", {next, g.input(1)})));
                        },
                });
}

}  // namespace tracefn
