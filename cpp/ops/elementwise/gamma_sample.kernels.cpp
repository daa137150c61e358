// The derivative of gamma-distributed samples, which is Eigen's, as in TensorFlow.
#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

#include "ops/elementwise/special.functions.h"

namespace tracefn::functions {

double RandomGammaGrad::of(double alpha, double sample) {
  return Eigen::internal::gamma_sample_der_alpha_impl<double>::run(alpha, sample);
}
float RandomGammaGrad::of(float alpha, float sample) {
  return Eigen::internal::gamma_sample_der_alpha_impl<float>::run(alpha, sample);
}

}  // namespace tracefn::functions
