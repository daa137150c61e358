// Integrals without a closed form: Dawson's, the exponential and Fresnel's integrals, Spence's function, and the
// incomplete gamma and beta functions.
#pragma once

#include "ops/elementwise/function.h"

namespace tracefn::functions {

// Defined in integrals.kernels.cpp. Floats are computed in double.
struct Integral : Unary<kFloatAndDouble> {
  static constexpr DTypes kRecorded = kNone;
};
struct Dawsn : Integral {
  static double of(double x);
  static float of(float x) { return static_cast<float>(of(static_cast<double>(x))); }
};
struct Expint : Integral {
  static double of(double x);
  static float of(float x) { return static_cast<float>(of(static_cast<double>(x))); }
};
struct FresnelCos : Integral {
  static double of(double x);
  static float of(float x) { return static_cast<float>(of(static_cast<double>(x))); }
};
struct FresnelSin : Integral {
  static double of(double x);
  static float of(float x) { return static_cast<float>(of(static_cast<double>(x))); }
};
struct Spence : Integral {
  static double of(double x);
  static float of(float x) { return static_cast<float>(of(static_cast<double>(x))); }
};

// Eigen's, as in TensorFlow.
struct IncompleteGamma : Binary<kFloatAndDouble> {
  static constexpr DTypes kRecorded = kNone;
  static constexpr bool kOneLoop = true;
};
struct Igamma : IncompleteGamma {
  static double of(double a, double x);
  static float of(float a, float x) { return static_cast<float>(of(static_cast<double>(a), static_cast<double>(x))); }
};
struct Igammac : IncompleteGamma {
  static double of(double a, double x);
  static float of(float a, float x) { return static_cast<float>(of(static_cast<double>(a), static_cast<double>(x))); }
};
struct IgammaGradA : IncompleteGamma {
  static double of(double a, double x);
  static float of(float a, float x) { return static_cast<float>(of(static_cast<double>(a), static_cast<double>(x))); }
};
struct Betainc : Ternary<kFloatAndDouble> {
  static constexpr DTypes kRecorded = kNone;
  static constexpr bool kIsOp = false;
  static double of(double a, double b, double x);
  static float of(float a, float b, float x) {
    return static_cast<float>(of(static_cast<double>(a), static_cast<double>(b), static_cast<double>(x)));
  }
};

using IntegralFunctions =
    Functions<Dawsn, Expint, FresnelCos, FresnelSin, Spence, Igamma, Igammac, IgammaGradA, Betainc>;

}  // namespace tracefn::functions
