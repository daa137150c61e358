// Steps of recurrent cells, in the formulas of TensorFlow's fused cells, on float matrices [batch, ...].
#pragma once

#include <cstdint>

#include "ops/kernel.h"

namespace tracefn {

class Registry;

void register_gru_cell(Registry& r);
void register_lstm_cell(Registry& r);
void register_lstm_block(Registry& r);

// a b with either transposed; matrices of float or half.
Tensor matrix_product(const KernelContext& c, const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b);
// [a, b] along the columns.
Tensor columns_joined(const Tensor& a, const Tensor& b);
// Columns [begin, end).
Tensor columns_of(const Tensor& x, std::int64_t begin, std::int64_t end);

// Copies floats, or rounds them, into `out`, of float or half.
void store_floats(const Tensor& wide, Tensor& out);

// In which order the four gates of a matrix [batch, 4 * cell] are.
struct GateOrder {
  std::int64_t i, ci, f, o;
};
inline constexpr GateOrder kGatesICFO{0, 1, 2, 3}, kGatesIFCO{0, 2, 1, 3};

struct LstmWeights {
  const Tensor &w, &wci, &wcf, &wco, &b;
};
struct LstmOptions {
  float forget_bias, cell_clip;
  bool use_peephole;
  GateOrder order;
};
// What a step computes; each [batch, cell].
struct LstmStep {
  Tensor i, cs, f, o, ci, co, h;
};
LstmStep lstm_step(const KernelContext& c, const Tensor& x, const Tensor& cs_prev, const Tensor& h_prev,
                   const LstmWeights& weights, const LstmOptions& options);

// The derivatives of a step with respect to its gates [batch, 4 * cell] and to cs_prev, given those of cs and h. Those
// with respect to the peepholes are added to the last three, vectors [cell].
struct LstmStepGradient {
  Tensor gates, cs_prev;
};
LstmStepGradient lstm_step_gradient(const LstmStep& step, const Tensor& cs_prev, const LstmWeights& weights,
                                    const LstmOptions& options, const Tensor& cs_grad, const Tensor& h_grad,
                                    Tensor& wci_grad, Tensor& wcf_grad, Tensor& wco_grad);

}  // namespace tracefn
