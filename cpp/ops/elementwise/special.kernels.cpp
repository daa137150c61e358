// Kernels of special functions, and those functions that are not vectorized.
#include "ops/elementwise/broad_vectors.kernels.h"
#include "ops/elementwise/loops.kernels.h"

namespace tracefn {

namespace {

template <std::size_t n>
double polynomial(const double (&coefficients)[n], double x) {
  double value = coefficients[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) value = value * x + coefficients[i];
  return value;
}

// The normal quantile of p, given q = p - 1/2 and the smaller of p and 1 - p, each exact where p itself would be
// rounded. Rational approximations of Wichura, algorithm AS 241 (Applied Statistics 37, 1988), good to 1e-16.
double normal_quantile(double q, double tail) {
  static constexpr double a[] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                                 1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                 3.3430575583588128105e+4, 2.5090809287301226727e+3};
  static constexpr double b[] = {1.0,
                                 4.2313330701600911252e+1,
                                 6.8718700749205790830e+2,
                                 5.3941960214247511077e+3,
                                 2.1213794301586595867e+4,
                                 3.9307895800092710610e+4,
                                 2.8729085735721942674e+4,
                                 5.2264952788528545610e+3};
  static constexpr double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                 3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                 2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr double d[] = {1.0,
                                 2.05319162663775882187e0,
                                 1.67638483018380384940e0,
                                 6.89767334985100004550e-1,
                                 1.48103976427480074590e-1,
                                 1.51986665636164571966e-2,
                                 5.47593808499534494600e-4,
                                 1.05075007164441684324e-9};
  static constexpr double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                 2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                 2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr double f[] = {1.0,
                                 5.99832206555887937690e-1,
                                 1.36929880922735805310e-1,
                                 1.48753612908506148525e-2,
                                 7.86869131145613259100e-4,
                                 1.84631831751005468180e-5,
                                 1.42151175831644588870e-7,
                                 2.04426310338993978564e-15};
  if (std::abs(q) <= 0.425) {
    double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
  }
  if (tail <= 0) return tail == 0 ? std::copysign(std::numeric_limits<double>::infinity(), q) : std::nan("");
  double r = std::sqrt(-std::log(tail));
  double value = r <= 5 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6) : polynomial(e, r - 5) / polynomial(f, r - 5);
  return q < 0 ? -value : value;
}

// By the reflection formula below zero, then the recurrence up to 10, then the asymptotic series in 1/x^2 with the
// Bernoulli numbers B(2k)/(2k).
double digamma(double x) {
  constexpr double kPi = 3.14159265358979323846;
  double value = 0;
  if (x <= 0) {
    double nearest = std::nearbyint(x);
    if (nearest == x) return std::nan("");
    value = -kPi / std::tan(kPi * (x - nearest));
    x = 1 - x;
  }
  for (; x < 10; x += 1) value -= 1 / x;
  static constexpr double series[] = {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12};
  double z = 1 / (x * x);
  return value + std::log(x) - 0.5 / x - z * polynomial(series, z);
}
// The Hurwitz zeta function for x > 1 and q > 0: the first terms, and the Euler-Maclaurin formula for the rest, with
// the Bernoulli numbers over factorials B(2k)/(2k)!.
double positive_zeta(double x, double q) {
  double value = 0;
  for (; q < 12; q += 1) value += std::pow(q, -x);
  double power = std::pow(q, -x);
  value += power * q / (x - 1) + 0.5 * power;
  static constexpr double series[] = {
      1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160, -691.0 / 1307674368e3, 1.0 / 74724249600};
  double factor = power * x / q;
  for (int k = 0; k < 7; ++k) {
    value += series[k] * factor;
    factor *= (x + 2 * k + 1) * (x + 2 * k + 2) / (q * q);
  }
  return value;
}
double zeta(double x, double q) {
  if (x == 1) return std::numeric_limits<double>::infinity();
  if (!(x > 1) || std::isnan(q)) return std::nan("");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (q == kInfinity) return 0;
  // A pole of even order has one sign.
  if (q <= 0 && std::floor(q) == q) return std::fmod(x, 2) == 0 || x == kInfinity ? kInfinity : std::nan("");
  if (x == kInfinity) return q > 1 ? 0 : q == 1 ? 1 : kInfinity;
  if (q > 0) return positive_zeta(x, q);
  if (std::floor(x) != x) return std::nan("");  // powers of negative numbers
  // The terms below zero, seen from the other side, are a difference of two sums.
  double first = q + std::ceil(-q);
  double mirrored = positive_zeta(x, 1 - first) - positive_zeta(x, 1 - q);
  return positive_zeta(x, first) + (std::fmod(x, 2) == 0 ? mirrored : -mirrored);
}
double polygamma(double order, double x) {
  if (order == 0) return digamma(x);
  if (!(order > 0) || std::floor(order) != order) return std::nan("");
  double size = std::tgamma(order + 1) * zeta(order + 1, x);
  return std::fmod(order, 2) == 0 ? -size : size;
}
}  // namespace

namespace functions {

double Ndtri::of(double p) { return normal_quantile(p - 0.5, p < 0.5 ? p : 1 - p); }
double Erfinv::of(double x) { return normal_quantile(x / 2, (1 - std::abs(x)) / 2) * 0.70710678118654752440; }

// The re-entrant forms: std::lgamma writes the sign to a global.
double Lgamma::of(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}
float Lgamma::beyond(float x) {
  int sign;
  return ::lgammaf_r(x, &sign);
}
double Digamma::of(double x) { return digamma(x); }
double Polygamma::of(double order, double x) { return polygamma(order, x); }
double Zeta::of(double x, double q) { return zeta(x, q); }

}  // namespace functions

void fill_special(BlockRow* rows) { fill_rows(rows, functions::SpecialFunctions{}); }

}  // namespace tracefn
