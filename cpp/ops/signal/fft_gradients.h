// Gradients of Fourier transforms over the last `rank` axes.
#pragma once

#include "ops/gradient.h"
#include "ops/without_gradient.h"

namespace tracefn {

void grad_fft_of_rank(GradContext& c, int rank);
void grad_inverse_fft_of_rank(GradContext& c, int rank);
void grad_rfft_of_rank(GradContext& c, int rank);
void grad_inverse_rfft_of_rank(GradContext& c, int rank);

template <int rank>
void grad_fft(GradContext& c) {
  grad_fft_of_rank(c, rank);
}
template <int rank>
void grad_inverse_fft(GradContext& c) {
  grad_inverse_fft_of_rank(c, rank);
}
// TensorFlow has no rule for real transforms over three axes.
template <int rank>
void grad_rfft(GradContext& c) {
  rank < 3 ? grad_rfft_of_rank(c, rank) : without_gradient(c);
}
template <int rank>
void grad_inverse_rfft(GradContext& c) {
  rank < 3 ? grad_inverse_rfft_of_rank(c, rank) : without_gradient(c);
}

}  // namespace tracefn
