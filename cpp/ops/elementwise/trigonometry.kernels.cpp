// Kernels of the trigonometric and hyperbolic functions and their inverses. Most real ones are vectorized; the rest
// call the C library per element.
#include "math/vector_logarithm.h"
#include "ops/elementwise/broad_vectors.kernels.h"
#include "ops/elementwise/loops.kernels.h"
#include "ops/elementwise/trigonometry.functions.h"

namespace tracefn {

using namespace functions;

namespace {

// Uses the vectorized function for the arguments it supports; the others use the C library.
#define TRACEFN_GUARDED_FUNCTION(Name, name, condition) \
  struct Name {                                         \
    template <typename T>                               \
    [[gnu::always_inline]] static T of(T x) {           \
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
TRACEFN_GUARDED_FUNCTION(Asinh, asinh, std::fabs(x) <= std::numeric_limits<T>::max())
TRACEFN_GUARDED_FUNCTION(Acosh, acosh, x >= T(1) && x <= std::numeric_limits<T>::max())
TRACEFN_GUARDED_FUNCTION(Atanh, atanh, std::fabs(x) < T(1))
#undef TRACEFN_GUARDED_FUNCTION

struct WideSin : Sin {
  [[gnu::always_inline]] static float of(float x) { return wide_sin(x); }
};
struct WideCos : Cos {
  [[gnu::always_inline]] static float of(float x) { return wide_cos(x); }
};
using FloatSin = std::conditional_t<kHasFusedMultiplyAdd, Sin, WideSin>;
using FloatCos = std::conditional_t<kHasFusedMultiplyAdd, Cos, WideCos>;

#define TRACEFN_LIBRARY_FUNCTION(Name, name) \
  struct Name {                              \
    template <typename T>                    \
    static T of(T x) {                       \
      return std::name(x);                   \
    }                                        \
  };
TRACEFN_LIBRARY_FUNCTION(LibrarySin, sin)
TRACEFN_LIBRARY_FUNCTION(LibraryCos, cos)
TRACEFN_LIBRARY_FUNCTION(LibraryTan, tan)
TRACEFN_LIBRARY_FUNCTION(LibraryAsin, asin)
TRACEFN_LIBRARY_FUNCTION(LibraryAcos, acos)
TRACEFN_LIBRARY_FUNCTION(LibraryAtan, atan)
TRACEFN_LIBRARY_FUNCTION(LibrarySinh, sinh)
TRACEFN_LIBRARY_FUNCTION(LibraryCosh, cosh)
TRACEFN_LIBRARY_FUNCTION(LibraryTanh, tanh)
TRACEFN_LIBRARY_FUNCTION(LibraryAsinh, asinh)
TRACEFN_LIBRARY_FUNCTION(LibraryAcosh, acosh)
TRACEFN_LIBRARY_FUNCTION(LibraryAtanh, atanh)
#undef TRACEFN_LIBRARY_FUNCTION

}  // namespace

void fill_trigonometry(ElementwiseKernels& kernels) {
  UnaryRow* unary = kernels.unary;
  fill_guarded<FloatSin>(unary[kSin], FloatAndHalves{});
  fill_guarded<Sin>(unary[kSin], Types<double>{});
  fill_loops<LibrarySin>(unary[kSin], Complexes{});
  fill_guarded<FloatCos>(unary[kCos], FloatAndHalves{});
  fill_guarded<Cos>(unary[kCos], Types<double>{});
  fill_loops<LibraryCos>(unary[kCos], Complexes{});
  fill_guarded<Tan>(unary[kTan], Reals{});
  fill_loops<LibraryTan>(unary[kTan], Complexes{});
  fill_loops<Asin>(unary[kAsin], Reals{});
  fill_loops<LibraryAsin>(unary[kAsin], Complexes{});
  fill_loops<Acos>(unary[kAcos], Reals{});
  fill_loops<LibraryAcos>(unary[kAcos], Complexes{});
  fill_loops<Atan>(unary[kAtan], Reals{});
  fill_loops<LibraryAtan>(unary[kAtan], Complexes{});
  fill_loops<Sinh>(unary[kSinh], Reals{});
  fill_loops<LibrarySinh>(unary[kSinh], Complexes{});
  fill_loops<Cosh>(unary[kCosh], Reals{});
  fill_loops<LibraryCosh>(unary[kCosh], Complexes{});
  fill_loops<Tanh>(unary[kTanh], Reals{});
  fill_loops<LibraryTanh>(unary[kTanh], Complexes{});
  using DoubleAndComplexes = Types<double, Complex64, Complex128>;
  fill_guarded<Asinh>(unary[kAsinh], FloatAndHalves{});
  fill_loops<LibraryAsinh>(unary[kAsinh], DoubleAndComplexes{});
  fill_guarded<Acosh>(unary[kAcosh], FloatAndHalves{});
  fill_loops<LibraryAcosh>(unary[kAcosh], DoubleAndComplexes{});
  fill_guarded<Atanh>(unary[kAtanh], FloatAndHalves{});
  fill_loops<LibraryAtanh>(unary[kAtanh], DoubleAndComplexes{});
}

}  // namespace tracefn
