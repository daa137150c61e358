// BlockLSTM, BlockLSTMV2 and their gradients: an LSTM over all times of a sequence [time, batch, inputs].
#include <algorithm>

#include "base/poll.h"
#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/nn/recurrent.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

// Inputs: seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b.
void check_block(const KernelContext& c) {
  if (c.input(0).rank() != 0) invalid_argument("Rank of seq_len_max must be 0, got ", c.input(0).rank());
  const Tensor &x = c.input(1), &cs_prev = c.input(2), &h_prev = c.input(3), &w = c.input(4), &b = c.input(8);
  if (x.rank() != 3) invalid_argument("x must be 3D, got ", x.rank());
  for (std::size_t i = 2; i < 5; ++i)
    if (c.input(i).rank() != 2)
      invalid_argument(c.op().signature.inputs[i].name, " must be 2-dim, got ", c.input(i).rank());
  const std::int64_t batch = x.dim(1), inputs = x.dim(2), cell = cs_prev.dim(1);
  if (cs_prev.dim(0) != batch) invalid_argument("cs_prev.dims(0) == batch_size: ", cs_prev.dim(0), " vs. ", batch);
  if (h_prev.dim(0) != batch) invalid_argument("h_prev.dims(0) == batch_size: ", h_prev.dim(0), " vs. ", batch);
  if (h_prev.dim(1) != cell) invalid_argument("h_prev.dims(1) == cell_size: ", h_prev.dim(1), " vs. ", cell);
  if (w.dim(0) != inputs + cell)
    invalid_argument("w.dim_size(0) != input_size + cell_size: ", w.dim(0), " vs. ", inputs + cell);
  if (w.dim(1) != 4 * cell) invalid_argument("w.dim_size(1) != cell_size * 4: ", w.dim(1), " vs. ", 4 * cell);
  for (std::size_t i = 5; i < 9; ++i)
    if (c.input(i).rank() != 1)
      invalid_argument(c.op().signature.inputs[i].name, " must be 1-dim, got ", c.input(i).rank());
  if (b.dim(0) != 4 * cell) invalid_argument("b.dim_size(0) != cell_size * 4: ", b.dim(0), " vs. ", 4 * cell);
  if (c.attr("use_peephole").b())
    for (std::size_t i = 5; i < 8; ++i)
      if (c.input(i).dim(0) != cell)
        invalid_argument(c.op().signature.inputs[i].name, ".dim_size(0) != cell_size: ", c.input(i).dim(0), " vs. ",
                         cell);
  const std::int64_t most = c.input(0).item<std::int64_t>();
  if (most < 0 || most > x.dim(0)) invalid_argument("seq_len_max must be in [0, ", x.dim(0), "], got ", most);
}

void infer_block(InferContext& c) {
  c.require_rank(1, 3);
  c.require_rank(8, 1);
  const Shape &x = c.shape(1), &b = c.shape(8);
  const std::int64_t gates = dim_of(b, 0);
  for (std::size_t j = 0; j < 7; ++j)
    c.set_output(j, Shape({dim_of(x, 0), dim_of(x, 1), gates < 0 ? kUnknownDim : gates / 4}));
}

// The matrix of one time.
Tensor at_time(const Tensor& x, std::int64_t t) { return x.rows(t, t + 1).reshaped(Shape({x.dim(1), x.dim(2)})); }

LstmOptions options_of(const KernelContext& c) {
  const bool first = c.op().name() == "BlockLSTM";
  return {first ? c.attr("forget_bias").f() : 0.0f, c.attr("cell_clip").f(), c.attr("use_peephole").b(),
          first ? kGatesICFO : kGatesIFCO};
}

std::vector<Tensor> wide_inputs(const KernelContext& c) {
  std::vector<Tensor> in;
  for (std::size_t i = 0; i < c.num_inputs(); ++i) in.push_back(as_float(c.input(i)));
  return in;
}

void block(KernelContext& c) {
  const std::vector<Tensor> in = wide_inputs(c);
  const std::int64_t steps = c.input(0).item<std::int64_t>();
  const LstmWeights weights{in[4], in[5], in[6], in[7], in[8]};
  const LstmOptions options = options_of(c);
  Tensor outs[7];
  for (std::size_t j = 0; j < 7; ++j) outs[j] = Tensor::zeros(DType::kFloat, c.output(j).shape());
  Tensor cs = in[2], h = in[3];
  for (std::int64_t t = 0; t < steps; ++t, poll()) {
    LstmStep step = lstm_step(c, at_time(in[1], t), cs, h, weights, options);
    const Tensor* parts[] = {&step.i, &step.cs, &step.f, &step.o, &step.ci, &step.co, &step.h};
    const std::int64_t n = step.h.num_elements();
    for (std::size_t j = 0; j < 7; ++j) std::copy_n(parts[j]->data<float>(), n, outs[j].mutable_data<float>() + t * n);
    cs = std::move(step.cs);
    h = std::move(step.h);
  }
  for (std::size_t j = 0; j < 7; ++j) store_floats(outs[j], c.output(j));
}

// The inputs further: i, cs, f, o, ci, co, h, cs_grad, h_grad.
void check_block_gradient(const KernelContext& c) {
  check_block(c);
  const Tensor& x = c.input(1);
  const Shape expected({x.dim(0), x.dim(1), c.input(2).dim(1)});
  for (std::size_t i = 9; i < 18; ++i)
    if (!(c.input(i).shape() == expected))
      invalid_argument(c.op().signature.inputs[i].name, " must have shape ", expected.text(), ", got ",
                       c.input(i).shape().text());
}

void infer_block_gradient(InferContext& c) {
  c.require_rank(1, 3);
  constexpr int kRanks[8] = {3, 2, 2, 2, 1, 1, 1, 1};
  for (std::size_t j = 0; j < 8; ++j) {
    c.require_rank(j + 1, kRanks[j]);
    c.set_output(j, c.shape(j + 1).has_rank() ? c.shape(j + 1) : Shape::of_rank(kRanks[j]));
  }
}

void add_to(Tensor& sum, const Tensor& part) {
  float* to = sum.mutable_data<float>();
  const float* from = part.data<float>();
  for (std::int64_t i = 0; i < sum.num_elements(); ++i) to[i] += from[i];
}

Tensor sum_of(const Tensor& a, const Tensor& b) {
  Tensor sum = a.copy();
  add_to(sum, b);
  return sum;
}

template <bool kFirst>
void block_gradient(KernelContext& c) {
  const std::vector<Tensor> in = wide_inputs(c);
  const std::int64_t steps = c.input(0).item<std::int64_t>(), inputs = in[1].dim(2), cell = in[2].dim(1);
  const LstmWeights weights{in[4], in[5], in[6], in[7], in[8]};
  const LstmOptions options{0, 0, c.attr("use_peephole").b(), kFirst ? kGatesICFO : kGatesIFCO};
  Tensor outs[8];
  for (std::size_t j = 0; j < 8; ++j) outs[j] = Tensor::zeros(DType::kFloat, c.output(j).shape());
  auto& [dx, dcs_prev, dh_prev, dw, dwci, dwcf, dwco, db] = outs;
  for (std::int64_t t = steps; t-- > 0; poll()) {
    const Tensor cs_before = t == 0 ? in[2] : at_time(in[10], t - 1);
    const Tensor h_before = t == 0 ? in[3] : at_time(in[15], t - 1);
    const LstmStep step{at_time(in[9], t),  at_time(in[10], t), at_time(in[11], t), at_time(in[12], t),
                        at_time(in[13], t), at_time(in[14], t), at_time(in[15], t)};
    const LstmStepGradient d =
        lstm_step_gradient(step, cs_before, weights, options, sum_of(at_time(in[16], t), dcs_prev),
                           sum_of(at_time(in[17], t), dh_prev), dwci, dwcf, dwco);
    dcs_prev = d.cs_prev;
    const Tensor through = matrix_product(c, d.gates, weights.w, false, true);
    const Tensor to_x = columns_of(through, 0, inputs);
    std::copy_n(to_x.data<float>(), to_x.num_elements(), dx.mutable_data<float>() + t * to_x.num_elements());
    dh_prev = columns_of(through, inputs, inputs + cell);
    add_to(dw, matrix_product(c, columns_joined(at_time(in[1], t), h_before), d.gates, true, false));
    for (std::int64_t i = 0; i < d.gates.num_elements(); ++i)
      db.mutable_data<float>()[i % (4 * cell)] += d.gates.data<float>()[i];
  }
  for (std::size_t j = 0; j < 8; ++j) store_floats(outs[j], c.output(j));
}

template <bool kFirst>
void grad_block(GradContext& c) {
  std::vector<Operand> args;
  for (std::size_t i = 0; i < 9; ++i) args.push_back(c.input(i));
  for (std::size_t j = 0; j < 7; ++j) args.push_back(c.output(j));
  args.push_back(c.dy(1));
  args.push_back(c.dy(6));
  const Operands found =
      emit_all(kFirst ? "BlockLSTMGrad" : "BlockLSTMGradV2", args, {{"use_peephole", c.attr("use_peephole")}});
  for (std::size_t j = 0; j < 8; ++j) c.to_input(j + 1, found[j]);
}

}  // namespace

void register_lstm_block(Registry& r) {
  constexpr std::string_view type = "T: {half, float}";
  const std::vector<std::string_view> inputs = {
      "seq_len_max: int64", "x: T", "cs_prev: T", "h_prev: T", "w: T", "wci: T", "wcf: T", "wco: T", "b: T"};
  const std::vector<std::string_view> outputs = {"i: T", "cs: T", "f: T", "o: T", "ci: T", "co: T", "h: T"};
  std::vector<std::string_view> all = inputs;
  all.insert(all.end(), outputs.begin(), outputs.end());
  all.insert(all.end(), {"cs_grad: T", "h_grad: T"});
  const std::vector<std::string_view> gradients = {"x_grad: T",   "cs_prev_grad: T", "h_prev_grad: T", "w_grad: T",
                                                   "wci_grad: T", "wcf_grad: T",     "wco_grad: T",    "b_grad: T"};
  r.add({.name = "BlockLSTM",
         .inputs = inputs,
         .outputs = outputs,
         .attrs = {"forget_bias: float = 1", "cell_clip: float = 3", "use_peephole: bool = false", type},
         .facts = {.contracts = true},
         .doc = "The steps of LSTMBlockCell over the first seq_len_max times of x [time, batch, inputs]; zeros "
                "afterwards.",
         .infer = infer_block,
         .check = check_block,
         .kernel = block,
         .grad = grad_block<true>});
  r.add({.name = "BlockLSTMV2",
         .inputs = inputs,
         .outputs = outputs,
         .attrs = {"cell_clip: float = 0", "use_peephole: bool = false", type},
         .facts = {.contracts = true},
         .doc = "As BlockLSTM, with the gates in the order i, f, ci, o and without a forget bias.",
         .infer = infer_block,
         .check = check_block,
         .kernel = block,
         .grad = grad_block<false>});
  r.add({.name = "BlockLSTMGrad",
         .inputs = all,
         .outputs = gradients,
         .attrs = {"use_peephole: bool", type},
         .facts = {.contracts = true},
         .doc = "The gradients of BlockLSTM, given those of cs and h.",
         .infer = infer_block_gradient,
         .check = check_block_gradient,
         .kernel = block_gradient<true>,
         .grad = without_gradient});
  r.add({.name = "BlockLSTMGradV2",
         .inputs = all,
         .outputs = gradients,
         .attrs = {"use_peephole: bool", type},
         .facts = {.contracts = true},
         .doc = "The gradients of BlockLSTMV2, given those of cs and h.",
         .infer = infer_block_gradient,
         .check = check_block_gradient,
         .kernel = block_gradient<false>,
         .grad = without_gradient});
}

}  // namespace tracefn
