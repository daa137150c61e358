// Kernels of the activation functions of neural networks and their gradients.
#include "ops/broad_vectors.kernels.h"
#include "ops/loops.kernels.h"
#include "ops/vector_double.h"
#include "ops/vector_math.h"

namespace tracefn {
namespace {

// Klambauer et al., Self-Normalizing Neural Networks (2017): the scale, and scale times alpha.
constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;

struct Relu {
  template <typename T>
  static T of(T x) {
    return x < T(0) ? T(0) : x;  // NaN stays
  }
};
struct Relu6 {
  template <typename T>
  static T of(T x) {
    T low = x < T(0) ? T(0) : x;
    return low > T(6) ? T(6) : low;
  }
};
struct Elu {
  template <typename T>
  static T of(T x) {
    T below = vector_expm1(x);
    return x < 0 ? below : x;
  }
};
struct Selu {
  template <typename T>
  static T of(T x) {
    T below = vector_expm1(x) * T(kSeluScaleAlpha);
    return x < 0 ? below : x * T(kSeluScale);
  }
};
// max(x, 0) + log1p(exp(-|x|)), which neither overflows nor loses small results.
struct Softplus {
  template <typename T>
  static T of(T x) {
    T positive = x < 0 ? T(0) : x;  // NaN stays
    return positive + vector_log1p_unit(exp_below_zero(-std::abs(x)));
  }
};
struct Softsign {
  template <typename T>
  static T of(T x) {
    return x / (1 + std::abs(x));
  }
};
struct LeakyRelu {
  template <typename T>
  static T of(T x, T alpha) {
    return x > 0 ? x : x * alpha;
  }
};

struct ReluGrad {
  template <typename T>
  static T of(T gradient, T feature) {
    return feature > T(0) ? gradient : T(0);
  }
};
struct Relu6Grad {
  template <typename T>
  static T of(T gradient, T feature) {
    return feature > T(0) && feature < T(6) ? gradient : T(0);
  }
};
struct EluGrad {
  template <typename T>
  static T of(T gradient, T output) {
    return output < 0 ? gradient * (output + 1) : gradient;
  }
};
struct SeluGrad {
  template <typename T>
  static T of(T gradient, T output) {
    return gradient * (output < 0 ? output + T(kSeluScaleAlpha) : T(kSeluScale));
  }
};
struct SoftplusGrad {
  template <typename T>
  static T of(T gradient, T feature) {
    return gradient / (vector_exp(-feature) + 1);
  }
};
struct SoftsignGrad {
  template <typename T>
  static T of(T gradient, T feature) {
    T d = 1 + std::abs(feature);
    return gradient / (d * d);
  }
};
struct LeakyReluGrad {
  template <typename T>
  static T of(T gradient, T feature, T alpha) {
    return feature > 0 ? gradient : gradient * alpha;
  }
};

// Relu and its kin take integers too.
template <typename F, typename Row>
void fill_ordered(Row& row) {
  fill_loops<F>(row, Reals{});
  fill_loops<F>(row, SignedIntegers{});
  fill_loops<F>(row, UnsignedIntegers{});
}

}  // namespace

void fill_activation(ElementwiseKernels& kernels) {
  fill_ordered<Relu>(kernels.unary[kRelu]);
  fill_ordered<Relu6>(kernels.unary[kRelu6]);
  fill_loops<Elu>(kernels.unary[kElu], Reals{});
  fill_loops<Selu>(kernels.unary[kSelu], Reals{});
  fill_loops<Softplus>(kernels.unary[kSoftplus], Reals{});
  fill_loops<Softsign>(kernels.unary[kSoftsign], Reals{});
  fill_loops<LeakyRelu>(kernels.binary[kLeakyRelu], Reals{});
  fill_ordered<ReluGrad>(kernels.binary[kReluGrad]);
  fill_ordered<Relu6Grad>(kernels.binary[kRelu6Grad]);
  fill_loops<EluGrad>(kernels.binary[kEluGrad], Reals{});
  fill_loops<SeluGrad>(kernels.binary[kSeluGrad], Reals{});
  fill_loops<SoftplusGrad>(kernels.binary[kSoftplusGrad], Reals{});
  fill_loops<SoftsignGrad>(kernels.binary[kSoftsignGrad], Reals{});
  fill_loops<LeakyReluGrad>(kernels.ternary[kLeakyReluGrad], Reals{});
}

}  // namespace tracefn
