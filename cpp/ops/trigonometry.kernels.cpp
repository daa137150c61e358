// Kernels of the trigonometric and hyperbolic functions and their inverses. Float sin and cos have packets and
// float tanh is vectorised; the rest is the C library's, one element after the other.
#include "ops/loops.kernels.h"
#include "ops/vector_math.kernels.h"

namespace tracefn {
namespace {

struct PacketSin {
  template <typename A>
  static auto of(const A& x) {
    return x.sin();
  }
};
struct PacketCos {
  template <typename A>
  static auto of(const A& x) {
    return x.cos();
  }
};
struct FloatTanh {
  static float of(float x) { return vector_tanh(x); }
};

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

template <typename F>
void fill_library(UnaryRow& row) {
  fill_loops<F>(row, Reals{});
  fill_loops<F>(row, Complexes{});
}

}  // namespace

void fill_trigonometry(ElementwiseKernels& kernels) {
  UnaryRow* unary = kernels.unary;
  fill_packets<PacketSin>(unary[kSin], FloatAndHalves{});
  fill_loops<Sin>(unary[kSin], Types<double, Complex64, Complex128>{});
  fill_packets<PacketCos>(unary[kCos], FloatAndHalves{});
  fill_loops<Cos>(unary[kCos], Types<double, Complex64, Complex128>{});
  fill_loops<FloatTanh>(unary[kTanh], FloatAndHalves{});
  fill_loops<Tanh>(unary[kTanh], Types<double, Complex64, Complex128>{});
  fill_library<Tan>(unary[kTan]);
  fill_library<Asin>(unary[kAsin]);
  fill_library<Acos>(unary[kAcos]);
  fill_library<Atan>(unary[kAtan]);
  fill_library<Sinh>(unary[kSinh]);
  fill_library<Cosh>(unary[kCosh]);
  fill_library<Asinh>(unary[kAsinh]);
  fill_library<Acosh>(unary[kAcosh]);
  fill_library<Atanh>(unary[kAtanh]);
}

}  // namespace tracefn
