// The error function and its variants, log-gamma and its derivatives, the Hurwitz zeta function, Bessel functions.
#pragma once

#include <cmath>
#include <limits>

#include "math/vector_gamma.h"
#include "math/vector_quantile.h"
#include "math/vector_special.h"
#include "ops/elementwise/function.h"

namespace tracefn::functions {

struct Erf : Unary<kReals> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    return vector_erf(x);
  }
};
struct Erfc : Unary<kReals> {
  static constexpr DTypes kRecorded = kNone;
  [[gnu::always_inline]] static float of(float x) { return vector_erfc(x); }
  static double of(double x) { return std::erfc(x); }
};

// Functions that are not vectorized are defined in special.kernels.cpp.
struct Ndtri : Unary<kReals> {
  static constexpr DTypes kRecorded = kNone;
  static double of(double p);
  [[gnu::always_inline]] static float of(float p) {
    const double x = p;
    return static_cast<float>(short_normal_quantile(x - 0.5, choose(x < 0.5, x, 1.0 - x)));
  }
  template <LaneOf<float> T>
  static bool fits(T p) {
    return (p > 0.0f) & (p < 1.0f);
  }
  static float beyond(float p) { return static_cast<float>(of(static_cast<double>(p))); }
};
struct Erfinv : Unary<kReals> {
  static constexpr DTypes kRecorded = kNone;
  static double of(double x);
  [[gnu::always_inline]] static float of(float x) {
    const double half = 0.5 * static_cast<double>(x);
    return static_cast<float>(short_normal_quantile(half, 0.5 - magnitude(half)) * 0.70710678118654752440);
  }
  template <LaneOf<float> T>
  static bool fits(T x) {
    return magnitude(x) < 1.0f;
  }
  static float beyond(float x) { return static_cast<float>(of(static_cast<double>(x))); }
};

inline bool is_positive_and_finite(float x) { return x > 0.0f && x <= std::numeric_limits<float>::max(); }
struct Lgamma : Unary<kReals> {
  static constexpr DTypes kRecorded = kNone;
  [[gnu::always_inline]] static float of(float x) { return vector_lgamma(x); }
  static double of(double x);
  template <LaneOf<float> T>
  static bool fits(T x) {
    return is_positive_and_finite(x);
  }
  static float beyond(float x);
};
struct Digamma : Unary<kReals> {
  static constexpr DTypes kRecorded = kNone;
  [[gnu::always_inline]] static float of(float x) { return vector_digamma(x); }
  static double of(double x);
  template <LaneOf<float> T>
  static bool fits(T x) {
    return is_positive_and_finite(x);
  }
  static float beyond(float x) { return static_cast<float>(of(static_cast<double>(x))); }
};
struct Polygamma : Binary<kFloatAndDouble> {
  static constexpr DTypes kRecorded = kNone;
  static constexpr bool kOneLoop = true;
  static double of(double order, double x);
  static float of(float order, float x) {
    return static_cast<float>(of(static_cast<double>(order), static_cast<double>(x)));
  }
};
struct Zeta : Binary<kFloatAndDouble> {
  static constexpr DTypes kRecorded = kNone;
  static constexpr bool kOneLoop = true;
  static double of(double x, double q);
  static float of(float x, float q) { return static_cast<float>(of(static_cast<double>(x), static_cast<double>(q))); }
};

// The derivative of a gamma-distributed sample with respect to alpha, its distribution function held fixed.
struct RandomGammaGrad : Binary<kFloatAndDouble> {
  static constexpr DTypes kRecorded = kNone;
  static constexpr bool kOneLoop = true;
  static double of(double alpha, double sample);
  static float of(float alpha, float sample);
};

// Modified Bessel functions of the first kind, times exp(-|x|): up to 8 a polynomial in x / 4 - 1, further out one in
// 16 / x - 1, over sqrt(x). The polynomials are Chebyshev series of our own, written in powers. Own has them as near(t)
// and far(u), and puts the values together.
template <typename Own>
struct ScaledBessel : Unary<kReals> {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    T size = magnitude(x);
    T t = madd(at_most(size, 8), T(0.25), T(-1)), u = T(16) / size - T(1);  // at_most propagates NaN
    return Own::finish(x, size, Own::near(t), Own::far(u) / square_root(size));
  }
};
struct BesselI0e : ScaledBessel<BesselI0e> {
  template <typename T>
  [[gnu::always_inline]] static T near(T t) {
    if constexpr (LaneOf<T, float>) {
      return horner_by_pairs(t, 0.2070019238f, -0.1130043364f, 0.09451521631f, -0.08904287536f, 0.08735429559f,
                             -0.08497324396f, 0.07916500427f, -0.0694632888f, 0.05733398345f, -0.04331789301f,
                             0.02860796226f, -0.01885735484f, 0.01452830177f, -0.008018236782f, 0.001227721405f,
                             -0.0007548949905f, 0.001981479329f, -0.0008519843905f);
    } else {
      return horner_by_pairs(
          t, 0.2070019212239867, -0.11300432688620536, 0.09451562853995103, -0.08904344136077755, 0.08734341617552313,
          -0.08496338091541732, 0.07927522590716347, -0.06954119563168235, 0.05677703201991695, -0.0429859492954222,
          0.030177912022978357, -0.019682655791721182, 0.011960077907026221, -0.006792394790940051,
          0.003617126448897043, -0.0018119030567637056, 0.0008563152748272306, -0.00038286526498299526,
          0.00016240542162878106, -6.556805964401791e-05, 2.520232727107692e-05, -9.183742586936203e-06,
          3.2293390826404927e-06, -1.142045323881917e-06, 3.675842926555429e-07, -8.591406444264668e-08,
          2.6265363151970112e-08, -1.6316042856792757e-08, 4.470516727511741e-09);
    }
  }
  template <typename T>
  [[gnu::always_inline]] static T far(T u) {
    if constexpr (LaneOf<T, float>) {
      return horner_by_pairs(u, 0.4021765094f, 0.0033605557f, 0.0001362171642f, 1.111214829e-05f, 1.476115734e-06f,
                             3.626670385e-07f, 1.086794248e-07f);
    } else {
      return horner_by_pairs(
          u, 0.4021765094450081, 0.0033605519836678614, 0.00013621607438984735, 1.1143033790932038e-05,
          1.4838476651250266e-06, 2.9735985885673923e-07, 8.872034383314144e-08, 3.932584334552952e-08,
          2.1566251453104354e-08, 7.554691881248808e-09, -6.8493381882867694e-09, -1.340891754008974e-08,
          -5.0381064879032845e-09, 7.552583062123384e-09, 6.560138746917057e-09, -3.505966530879332e-09,
          -4.575553424534973e-09, 1.5200816953924232e-09, 2.1968921378829006e-09, -5.715843864202709e-10,
          -6.633287112547084e-10, 1.5279202694981569e-10, 9.36508689281819e-11, -2.0260604287413626e-11);
    }
  }
  template <typename T>
  [[gnu::always_inline]] static T finish(T, T size, T near, T far) {
    return choose(size > T(8), far, near);
  }
};
struct BesselI1e : ScaledBessel<BesselI1e> {
  template <typename T>
  [[gnu::always_inline]] static T near(T t) {
    if constexpr (LaneOf<T, float>) {
      return horner_by_pairs(t, 0.04468771023f, -0.06112433926f, 0.06805754345f, -0.0684825332f, 0.06376889553f,
                             -0.05528131276f, 0.04465943708f, -0.03366128287f, 0.02376264204f, -0.01561430099f,
                             0.009367400356f, -0.005427421325f, 0.003361420373f, -0.001698594315f, 0.0004114421938f,
                             -0.0002026265888f, 0.0003074142171f, -0.0001236827997f);
    } else {
      return horner_by_pairs(
          t, 0.044687709875608835, -0.061124338029666284, 0.0680575999095116, -0.06848260620582691, 0.06376740371340721,
          -0.055280039226991644, 0.04467457262125467, -0.03367135552108536, 0.023686016957729535, -0.015571309243980052,
          0.009583962150731578, -0.005534567847563678, 0.0030057624197775295, -0.00153887456203039,
          0.0007445123445061157, -0.0003411760289073331, 0.0001484212433475852, -6.142360299099794e-05,
          2.4233753149624307e-05, -9.136543922789093e-06, 3.293899139003749e-06, -1.1327072698408053e-06,
          3.759367306404118e-07, -1.2424759932738304e-07, 3.802984785138283e-08, -8.984420960424589e-09,
          2.603206542331157e-09, -1.41695079121077e-09, 3.7284532079392345e-10);
    }
  }
  template <typename T>
  [[gnu::always_inline]] static T far(T u) {
    if constexpr (LaneOf<T, float>) {
      return horner_by_pairs(u, 0.3893984591f, -0.00974958137f, -0.0002192371254f, -1.500396547e-05f, -1.825690732e-06f,
                             -4.210350155e-07f, -1.227321724e-07f);
    } else {
      return horner_by_pairs(
          u, 0.38939845902587233, -0.009749577193235737, -0.0002192357638317243, -1.5038547200567216e-05,
          -1.8349102358955385e-06, -3.483855761044295e-07, -1.000109565963654e-07, -4.312917729178349e-08,
          -2.339250374801858e-08, -8.427766093735185e-09, 6.8401389977069586e-09, 1.4034238782067183e-08,
          5.59337010179061e-09, -7.64239413436356e-09, -6.983839624895866e-09, 3.4262341490077958e-09,
          4.810597405089944e-09, -1.4387250533041013e-09, -2.297004161885201e-09, 5.295625441161261e-10,
          6.917089294193807e-10, -1.4011625179770627e-10, -9.752397204138195e-11, 1.8515118828852956e-11);
    }
  }
  template <typename T>
  [[gnu::always_inline]] static T finish(T x, T size, T near, T far) {
    T value = choose(size > T(8), far, size * near);
    return choose(x < T(0), -value, value);  // of -0 it is 0, as in TensorFlow
  }
};

using SpecialFunctions =
    Functions<Erf, Erfc, Ndtri, Erfinv, Lgamma, Digamma, Polygamma, Zeta, RandomGammaGrad, BesselI0e, BesselI1e>;

}  // namespace tracefn::functions
