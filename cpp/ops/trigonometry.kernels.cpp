// Kernels of the trigonometric and hyperbolic functions and their inverses. Those of float are vectorised; the rest is
// the C library's, one element after the other.
#include "ops/broad_vectors.kernels.h"
#include "ops/loops.kernels.h"
#include "ops/vector_double.h"
#include "ops/vector_double_trigonometry.h"
#include "ops/vector_logarithm.h"
#include "ops/vector_math.h"
#include "ops/vector_trigonometry.h"

namespace tracefn {
namespace {

#define TRACEFN_VECTOR_FUNCTION(Name, name) \
  struct Name {                             \
    template <typename T>                   \
    static T of(T x) {                      \
      return vector_##name(x);              \
    }                                       \
  };
TRACEFN_VECTOR_FUNCTION(VectorAsin, asin)
TRACEFN_VECTOR_FUNCTION(VectorAcos, acos)
TRACEFN_VECTOR_FUNCTION(VectorAtan, atan)
TRACEFN_VECTOR_FUNCTION(VectorSinh, sinh)
TRACEFN_VECTOR_FUNCTION(VectorCosh, cosh)
TRACEFN_VECTOR_FUNCTION(VectorTanh, tanh)
#undef TRACEFN_VECTOR_FUNCTION

bool is_reduced(float x) { return std::fabs(x) <= kLargestReduced; }
bool is_reduced(double x) { return std::fabs(x) <= kLargestReducedDouble; }

// With the arguments that the vectorised function takes; the others are the C library's.
#define TRACEFN_GUARDED_FUNCTION(Name, name, condition) \
  struct Name {                                         \
    template <typename T>                               \
    static T of(T x) {                                  \
      return vector_##name(x);                          \
    }                                                   \
    template <typename T>                               \
    static bool fits(T x) {                             \
      return condition;                                 \
    }                                                   \
    template <typename T>                               \
    static T beyond(T x) {                              \
      return std::name(x);                              \
    }                                                   \
  };
TRACEFN_GUARDED_FUNCTION(VectorSin, sin, is_reduced(x))
TRACEFN_GUARDED_FUNCTION(VectorCos, cos, is_reduced(x))
TRACEFN_GUARDED_FUNCTION(VectorTan, tan, is_reduced(x))
TRACEFN_GUARDED_FUNCTION(VectorAsinh, asinh, std::fabs(x) <= std::numeric_limits<T>::max())
TRACEFN_GUARDED_FUNCTION(VectorAcosh, acosh, x >= T(1) && x <= std::numeric_limits<T>::max())
TRACEFN_GUARDED_FUNCTION(VectorAtanh, atanh, std::fabs(x) < T(1))
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

}  // namespace

void fill_trigonometry(ElementwiseKernels& kernels) {
  UnaryRow* unary = kernels.unary;
  fill_guarded<VectorSin>(unary[kSin], Reals{});
  fill_loops<Sin>(unary[kSin], Complexes{});
  fill_guarded<VectorCos>(unary[kCos], Reals{});
  fill_loops<Cos>(unary[kCos], Complexes{});
  fill_guarded<VectorTan>(unary[kTan], Reals{});
  fill_loops<Tan>(unary[kTan], Complexes{});
  fill_loops<VectorAsin>(unary[kAsin], Reals{});
  fill_loops<Asin>(unary[kAsin], Complexes{});
  fill_loops<VectorAcos>(unary[kAcos], Reals{});
  fill_loops<Acos>(unary[kAcos], Complexes{});
  fill_loops<VectorAtan>(unary[kAtan], Reals{});
  fill_loops<Atan>(unary[kAtan], Complexes{});
  fill_loops<VectorSinh>(unary[kSinh], Reals{});
  fill_loops<Sinh>(unary[kSinh], Complexes{});
  fill_loops<VectorCosh>(unary[kCosh], Reals{});
  fill_loops<Cosh>(unary[kCosh], Complexes{});
  fill_loops<VectorTanh>(unary[kTanh], Reals{});
  fill_loops<Tanh>(unary[kTanh], Complexes{});
  using DoubleAndComplexes = Types<double, Complex64, Complex128>;
  fill_guarded<VectorAsinh>(unary[kAsinh], FloatAndHalves{});
  fill_loops<Asinh>(unary[kAsinh], DoubleAndComplexes{});
  fill_guarded<VectorAcosh>(unary[kAcosh], FloatAndHalves{});
  fill_loops<Acosh>(unary[kAcosh], DoubleAndComplexes{});
  fill_guarded<VectorAtanh>(unary[kAtanh], FloatAndHalves{});
  fill_loops<Atanh>(unary[kAtanh], DoubleAndComplexes{});
}

}  // namespace tracefn
