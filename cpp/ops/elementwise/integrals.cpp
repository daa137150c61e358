// Integrals without a closed form: Dawson's, the exponential and Fresnel's integrals, Spence's function, and the
// incomplete gamma and beta functions.
#include <numbers>

#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/elementwise_record.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

constexpr std::string_view kFloatAndDouble = "T: {float, double}";

Operand one_like(const Operand& x) { return build::scalar(x.dtype(), 1); }
Operand quarter_turns_of_square(const Operand& x) { return build::scale(emit1("Square", {x}), std::numbers::pi / 2); }

void register_integrals_of_one(Registry& r) {
  auto add = [&](OpRecord record) {
    record.attrs = {kFloats};
    record.without_kernel = functions::kHalves;
    add_unary(r, std::move(record));
  };
  add({.name = "Dawsn",
       .python = "math.special.dawsn(x)",
       .doc = "Dawson's integral: exp(-x**2) times the integral of exp(t**2) from 0 to x, elementwise.",
       .block = &block_of<functions::Dawsn, 200>,
       .grad = [](GradContext& c) {
         const Operand& x = c.input(0);
         c.to_input(0, c.dy(0) * (one_like(x) - build::scale(x, 2) * c.output(0)));
       }});
  add({.name = "Expint",
       .python = "math.special.expint(x)",
       .doc =
           "The exponential integral Ei: the integral of exp(t) / t from -infinity to x, elementwise; NaN for x < 0.",
       .block = &block_of<functions::Expint, 300>,
       .grad = [](GradContext& c) { c.to_input(0, c.dy(0) * emit1("Exp", {c.input(0)}) / c.input(0)); }});
  add({.name = "FresnelCos",
       .python = "math.special.fresnel_cos(x)",
       .doc = "Fresnel's cosine integral: the integral of cos(pi t**2 / 2) from 0 to x, elementwise.",
       .block = &block_of<functions::FresnelCos, 300>,
       .grad = [](GradContext& c) { c.to_input(0, c.dy(0) * emit1("Cos", {quarter_turns_of_square(c.input(0))})); }});
  add({.name = "FresnelSin",
       .python = "math.special.fresnel_sin(x)",
       .doc = "Fresnel's sine integral: the integral of sin(pi t**2 / 2) from 0 to x, elementwise.",
       .block = &block_of<functions::FresnelSin, 300>,
       .grad = [](GradContext& c) { c.to_input(0, c.dy(0) * emit1("Sin", {quarter_turns_of_square(c.input(0))})); }});
  add({.name = "Spence",
       .python = "math.special.spence(x)",
       .doc = "Spence's function: the integral of log(t) / (1 - t) from 1 to x, elementwise; NaN for x < 0.",
       .block = &block_of<functions::Spence, 300>,
       .grad = [](GradContext& c) {
         const Operand &x = c.input(0), one = one_like(x);
         Operand slope = emit1("Log", {x}) / (one - x);
         c.to_input(0, c.dy(0) * build::select(emit1("Equal", {x, one}), -one, slope));
       }});
}

// The gradients of the lower incomplete gamma function, times `sign`.
void grad_igamma(GradContext& c, double sign) {
  const Operand &a = c.input(0), &x = c.input(1);
  const Operand dy = sign < 0 ? -c.dy(0) : c.dy(0);
  if (c.wanted(0)) to_operand(c, 0, emit1("IgammaGradA", {a, x}) * dy);
  // In logarithms, because the gamma function grows large.
  const Operand logarithm = (a - one_like(a)) * emit1("Log", {x}) - x - emit1("Lgamma", {a});
  if (c.wanted(1)) to_operand(c, 1, emit1("Exp", {logarithm}) * dy);
}

void register_incomplete_gamma(Registry& r) {
  add_binary(r, {.name = "Igamma",
                 .python = "math.igamma(a, x)",
                 .aliases = {"compat.v1.igamma"},
                 .inputs = {"a: T", "x: T"},
                 .attrs = {kFloats},
                 .doc = "The regularized lower incomplete gamma function: the integral of t**(a - 1) exp(-t) from 0 to "
                        "x, over gamma(a). NaN unless a > 0 and x >= 0.\n\na and x are broadcast together.",
                 .block = &block_of<functions::Igamma, 1000>,
                 .without_kernel = functions::kHalves,
                 .grad = [](GradContext& c) { grad_igamma(c, 1); }});
  add_binary(r, {.name = "Igammac",
                 .python = "math.igammac(a, x)",
                 .aliases = {"compat.v1.igammac"},
                 .inputs = {"a: T", "x: T"},
                 .attrs = {kFloats},
                 .doc = "The regularized upper incomplete gamma function: the integral of t**(a - 1) exp(-t) from x to "
                        "infinity, over gamma(a). NaN unless a > 0 and x >= 0.\n\na and x are broadcast together.",
                 .block = &block_of<functions::Igammac, 1000>,
                 .without_kernel = functions::kHalves,
                 .grad = [](GradContext& c) { grad_igamma(c, -1); }});
  add_binary(r, {.name = "IgammaGradA",
                 .inputs = {"a: T", "x: T"},
                 .attrs = {kFloatAndDouble},
                 .doc = "The derivative of igamma(a, x) with respect to a.\n\na and x are broadcast together.",
                 .block = &block_of<functions::IgammaGradA, 2000>,
                 .grad = without_gradient});
}

// Numbers, and tensors of one shape.
void infer_betainc(InferContext& c) {
  Shape out;
  bool known = true;
  for (std::size_t i = 0; i < 3; ++i) {
    const Shape& s = c.shape(i);
    if (!s.has_rank()) {
      known = false;
    } else if (!s.is_scalar()) {
      out = out.is_scalar() ? s : merge_or_explain(out, s);
    }
  }
  // An unknown one may be a number, unless the others are all numbers, too: then it has the shape of the result.
  c.set_output(0, known || !out.is_scalar() ? out : Shape::unknown());
}

void check_betainc(const KernelContext& c) {
  const Shape &a = c.input(0).shape(), &b = c.input(1).shape(), &x = c.input(2).shape();
  auto require = [](const Shape& s, const Shape& t, std::string_view names) {
    if (!s.is_scalar() && !t.is_scalar() && !(s == t))
      invalid_argument("Shapes of ", names, " are inconsistent: ", s.text(), " vs. ", t.text());
  };
  require(a, b, "a and b");
  require(a, x, "a and x");
  require(b, x, "b and x");
}

void grad_betainc(GradContext& c) {
  const Operand &a = c.input(0), &b = c.input(1), &x = c.input(2);
  // In logarithms, because the gamma function grows large; the products with a - 1 and b - 1 are zero with those.
  const Operand beta = emit1("Lgamma", {a}) + emit1("Lgamma", {b}) - emit1("Lgamma", {a + b});
  const Operand density = emit1("Xlog1py", {b - one_like(b), -x}) + emit1("Xlogy", {a - one_like(a), x}) - beta;
  c.to_input(2, build::unbroadcast(emit1("Exp", {density}) * c.dy(0), x, a + b));
}

void register_betainc(Registry& r) {
  r.add({.name = "Betainc",
         .python = "math.betainc(a, b, x)",
         .aliases = {"compat.v1.betainc"},
         .inputs = {"a: T", "b: T", "x: T"},
         .outputs = {"z: T"},
         .attrs = {kFloatAndDouble},
         .doc =
             "The regularized incomplete beta function: the integral of t**(a - 1) (1 - t)**(b - 1) from 0 to x, over "
             "the same integral from 0 to 1. NaN unless a > 0, b > 0 and 0 <= x <= 1.\n\na, b and x have one shape; "
             "any of them may be scalars. No gradient flows to a and b.",
         .infer = infer_betainc,
         .check = check_betainc,
         .kernel = [](KernelContext& c) { run_spec(c, block_of<functions::Betainc, 3000>, c.operands(), c.output(0)); },
         .grad = grad_betainc});
}

}  // namespace

void register_integrals(Registry& r) {
  register_integrals_of_one(r);
  register_incomplete_gamma(r);
  register_betainc(r);
}

}  // namespace tracefn
