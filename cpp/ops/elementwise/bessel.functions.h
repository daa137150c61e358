// Bessel functions of orders 0 and 1. They are Eigen's, as in TensorFlow, computed in double for every dtype; the
// scaled ones of the first kind are in special.functions.h.
#pragma once

#include "ops/elementwise/function.h"

namespace tracefn::functions {

// Defined in bessel.kernels.cpp.
struct Bessel : Unary<kFloatAndDouble | DTypes::of(DType::kHalf)> {
  static constexpr DTypes kRecorded = kNone;
};
struct BesselI0 : Bessel {
  static double of(double x);
  static float of(float x) { return static_cast<float>(of(static_cast<double>(x))); }
};
struct BesselI1 : Bessel {
  static double of(double x);
  static float of(float x) { return static_cast<float>(of(static_cast<double>(x))); }
};
struct BesselJ0 : Bessel {
  static double of(double x);
  static float of(float x) { return static_cast<float>(of(static_cast<double>(x))); }
};
struct BesselJ1 : Bessel {
  static double of(double x);
  static float of(float x) { return static_cast<float>(of(static_cast<double>(x))); }
};
struct BesselK0 : Bessel {
  static double of(double x);
  static float of(float x) { return static_cast<float>(of(static_cast<double>(x))); }
};
struct BesselK0e : Bessel {
  static double of(double x);
  static float of(float x) { return static_cast<float>(of(static_cast<double>(x))); }
};
struct BesselK1 : Bessel {
  static double of(double x);
  static float of(float x) { return static_cast<float>(of(static_cast<double>(x))); }
};
struct BesselK1e : Bessel {
  static double of(double x);
  static float of(float x) { return static_cast<float>(of(static_cast<double>(x))); }
};
struct BesselY0 : Bessel {
  static double of(double x);
  static float of(float x) { return static_cast<float>(of(static_cast<double>(x))); }
};
struct BesselY1 : Bessel {
  static double of(double x);
  static float of(float x) { return static_cast<float>(of(static_cast<double>(x))); }
};

using BesselFunctions =
    Functions<BesselI0, BesselI1, BesselJ0, BesselJ1, BesselK0, BesselK0e, BesselK1, BesselK1e, BesselY0, BesselY1>;

}  // namespace tracefn::functions
