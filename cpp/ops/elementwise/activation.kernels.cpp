// Kernels of the activation functions of neural networks and their gradients.
#include "ops/elementwise/activation.functions.h"
#include "ops/elementwise/broad_vectors.kernels.h"
#include "ops/elementwise/loops.kernels.h"

namespace tracefn {

using namespace functions;

namespace {

// Relu and its variants support integers too.
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
