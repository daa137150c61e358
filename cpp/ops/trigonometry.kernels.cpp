// Kernels of the trigonometric and hyperbolic functions and their inverses. Those of float are vectorised; the rest is
// the C library's, one element after the other.
#include "ops/loops.kernels.h"
#include "ops/vector_logarithm.kernels.h"
#include "ops/vector_math.kernels.h"
#include "ops/vector_trigonometry.kernels.h"

namespace tracefn {
namespace {

#define TRACEFN_VECTOR_FUNCTION(Name, name)               \
  struct Name {                                           \
    static float of(float x) { return vector_##name(x); } \
  };
TRACEFN_VECTOR_FUNCTION(FloatAsin, asin)
TRACEFN_VECTOR_FUNCTION(FloatAcos, acos)
TRACEFN_VECTOR_FUNCTION(FloatAtan, atan)
TRACEFN_VECTOR_FUNCTION(FloatSinh, sinh)
TRACEFN_VECTOR_FUNCTION(FloatCosh, cosh)
TRACEFN_VECTOR_FUNCTION(FloatTanh, tanh)
#undef TRACEFN_VECTOR_FUNCTION

// With the arguments that the vectorised function takes; the others are the C library's.
#define TRACEFN_GUARDED_FUNCTION(Name, name, condition)   \
  struct Name {                                           \
    static float of(float x) { return vector_##name(x); } \
    static bool fits(float x) { return condition; }       \
    static float beyond(float x) { return std::name(x); } \
  };
TRACEFN_GUARDED_FUNCTION(FloatSin, sin, std::fabs(x) <= kLargestReduced)
TRACEFN_GUARDED_FUNCTION(FloatCos, cos, std::fabs(x) <= kLargestReduced)
TRACEFN_GUARDED_FUNCTION(FloatTan, tan, std::fabs(x) <= kLargestReduced)
TRACEFN_GUARDED_FUNCTION(FloatAsinh, asinh, std::fabs(x) <= std::numeric_limits<float>::max())
TRACEFN_GUARDED_FUNCTION(FloatAcosh, acosh, x >= 1.0f && x <= std::numeric_limits<float>::max())
TRACEFN_GUARDED_FUNCTION(FloatAtanh, atanh, std::fabs(x) < 1.0f)
#undef TRACEFN_GUARDED_FUNCTION

#define TRACEFN_LIBRARY_FUNCTION(Name, name) \
  struct Name {                              \
    template <typename T>                    \
    static T of(T x) {                       \
      return std::name(x);                   \
    }                                        \
  };
TRACEFN_LIBRARY_FUNCTION(Sin, sin)
TRACEFN_LIBRARY_FUNCTION(Cos, cos)
TRACEFN_LIBRARY_FUNCTION(Tan, tan)
TRACEFN_LIBRARY_FUNCTION(Asin, asin)
TRACEFN_LIBRARY_FUNCTION(Acos, acos)
TRACEFN_LIBRARY_FUNCTION(Atan, atan)
TRACEFN_LIBRARY_FUNCTION(Sinh, sinh)
TRACEFN_LIBRARY_FUNCTION(Cosh, cosh)
TRACEFN_LIBRARY_FUNCTION(Tanh, tanh)
TRACEFN_LIBRARY_FUNCTION(Asinh, asinh)
TRACEFN_LIBRARY_FUNCTION(Acosh, acosh)
TRACEFN_LIBRARY_FUNCTION(Atanh, atanh)
#undef TRACEFN_LIBRARY_FUNCTION

using NotFloat = Types<double, Complex64, Complex128>;

}  // namespace

void fill_trigonometry(ElementwiseKernels& kernels) {
  UnaryRow* unary = kernels.unary;
  fill_guarded<FloatSin>(unary[kSin], FloatAndHalves{});
  fill_loops<Sin>(unary[kSin], NotFloat{});
  fill_guarded<FloatCos>(unary[kCos], FloatAndHalves{});
  fill_loops<Cos>(unary[kCos], NotFloat{});
  fill_guarded<FloatTan>(unary[kTan], FloatAndHalves{});
  fill_loops<Tan>(unary[kTan], NotFloat{});
  fill_loops<FloatAsin>(unary[kAsin], FloatAndHalves{});
  fill_loops<Asin>(unary[kAsin], NotFloat{});
  fill_loops<FloatAcos>(unary[kAcos], FloatAndHalves{});
  fill_loops<Acos>(unary[kAcos], NotFloat{});
  fill_loops<FloatAtan>(unary[kAtan], FloatAndHalves{});
  fill_loops<Atan>(unary[kAtan], NotFloat{});
  fill_loops<FloatSinh>(unary[kSinh], FloatAndHalves{});
  fill_loops<Sinh>(unary[kSinh], NotFloat{});
  fill_loops<FloatCosh>(unary[kCosh], FloatAndHalves{});
  fill_loops<Cosh>(unary[kCosh], NotFloat{});
  fill_loops<FloatTanh>(unary[kTanh], FloatAndHalves{});
  fill_loops<Tanh>(unary[kTanh], NotFloat{});
  fill_guarded<FloatAsinh>(unary[kAsinh], FloatAndHalves{});
  fill_loops<Asinh>(unary[kAsinh], NotFloat{});
  fill_guarded<FloatAcosh>(unary[kAcosh], FloatAndHalves{});
  fill_loops<Acosh>(unary[kAcosh], NotFloat{});
  fill_guarded<FloatAtanh>(unary[kAtanh], FloatAndHalves{});
  fill_loops<Atanh>(unary[kAtanh], NotFloat{});
}

}  // namespace tracefn
