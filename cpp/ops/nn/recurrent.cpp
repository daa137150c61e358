// GRUBlockCell, LSTMBlockCell and their gradients; the steps of LSTM cells.
#include "ops/nn/recurrent.h"

#include <algorithm>
#include <cmath>

#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/older/older_families.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

const float* floats(const Tensor& t) { return t.data<float>(); }
float* floats(Tensor& t) { return t.mutable_data<float>(); }

void require_matrix(const Tensor& x, std::string_view name) {
  if (x.rank() != 2) invalid_argument("Rank of ", name, " must be 2, got ", x.rank());
}
void require_vector(const Tensor& x, std::string_view name) {
  if (x.rank() != 1) invalid_argument("Rank of ", name, " must be 1, got ", x.rank());
}
void require_dim(const Tensor& x, std::string_view name, int axis, std::int64_t expected, std::string_view of) {
  if (x.dim(axis) != expected)
    invalid_argument(name, ".dim_size(", axis, ") != ", of, ": ", x.dim(axis), " vs. ", expected);
}

// The inputs of the GRU: x, h_prev, w_ru, w_c, b_ru, b_c.
void check_gru(const KernelContext& c) {
  for (std::size_t i = 0; i < 4; ++i) require_matrix(c.input(i), c.op().signature.inputs[i].name);
  for (std::size_t i = 4; i < 6; ++i) require_vector(c.input(i), c.op().signature.inputs[i].name);
  const std::int64_t batch = c.input(0).dim(0), inputs = c.input(0).dim(1), cell = c.input(1).dim(1);
  require_dim(c.input(1), "h_prev", 0, batch, "batch_size");
  require_dim(c.input(2), "w_ru", 0, inputs + cell, "input_size + cell_size");
  require_dim(c.input(2), "w_ru", 1, 2 * cell, "cell_size * 2");
  require_dim(c.input(3), "w_c", 0, inputs + cell, "input_size + cell_size");
  require_dim(c.input(3), "w_c", 1, cell, "cell_size");
  require_dim(c.input(4), "b_ru", 0, 2 * cell, "cell_size * 2");
  require_dim(c.input(5), "b_c", 0, cell, "cell_size");
}

void check_gru_gradient(const KernelContext& c) {
  check_gru(c);
  const std::int64_t batch = c.input(0).dim(0), cell = c.input(1).dim(1);
  for (std::size_t i = 6; i < 10; ++i) {
    const std::string_view name = c.op().signature.inputs[i].name;
    require_matrix(c.input(i), name);
    require_dim(c.input(i), name, 0, batch, "batch_size");
    require_dim(c.input(i), name, 1, cell, "cell_size");
  }
}

void infer_gru(InferContext& c) {
  c.require_rank(0, 2);
  c.require_rank(1, 2);
  const Shape out({dim_of(c.shape(0), 0), dim_of(c.shape(1), 1)});
  for (std::size_t j = 0; j < 4; ++j) c.set_output(j, out);
}

// r and u are gates of x and h_prev; c, the candidate, of x and r h_prev; h = u h_prev + (1 - u) c.
void gru(KernelContext& c) {
  const Tensor &x = c.input(0), &h_prev = c.input(1), &b_ru = c.input(4), &b_c = c.input(5);
  const std::int64_t batch = x.dim(0), cell = h_prev.dim(1);
  const Tensor gates = matrix_product(c, columns_joined(x, h_prev), c.input(2), false, false);
  float *r = floats(c.output(0)), *u = floats(c.output(1)), *cand = floats(c.output(2)), *h = floats(c.output(3));
  Tensor reset(DType::kFloat, h_prev.shape());
  const float* before = floats(h_prev);
  for (std::int64_t n = 0; n < batch; ++n)
    for (std::int64_t k = 0; k < cell; ++k) {
      const float* row = floats(gates) + n * 2 * cell;
      r[n * cell + k] = sigmoid(row[k] + floats(b_ru)[k]);
      u[n * cell + k] = sigmoid(row[cell + k] + floats(b_ru)[cell + k]);
      floats(reset)[n * cell + k] = before[n * cell + k] * r[n * cell + k];
    }
  const Tensor candidate = matrix_product(c, columns_joined(x, reset), c.input(3), false, false);
  for (std::int64_t i = 0; i < batch * cell; ++i) {
    cand[i] = std::tanh(floats(candidate)[i] + floats(b_c)[i % cell]);
    h[i] = u[i] * before[i] + (1 - u[i]) * cand[i];
  }
}

void infer_gru_gradient(InferContext& c) {
  c.require_rank(0, 2);
  c.require_rank(1, 2);
  const std::int64_t batch = dim_of(c.shape(0), 0), cell = dim_of(c.shape(1), 1);
  c.set_output(0, c.shape(0).has_rank() ? c.shape(0) : Shape::of_rank(2));
  c.set_output(1, Shape({batch, cell}));
  c.set_output(2, Shape({batch, cell}));
  c.set_output(3, Shape({batch, cell < 0 ? kUnknownDim : 2 * cell}));
}

void gru_gradient(KernelContext& c) {
  const Tensor &x = c.input(0), &h_prev = c.input(1);
  const std::int64_t batch = x.dim(0), inputs = x.dim(1), cell = h_prev.dim(1);
  const float *before = floats(h_prev), *r = floats(c.input(6)), *u = floats(c.input(7)), *cand = floats(c.input(8)),
              *dh = floats(c.input(9));
  float *dx = floats(c.output(0)), *dh_prev = floats(c.output(1)), *dc = floats(c.output(2)),
        *dru = floats(c.output(3));
  for (std::int64_t i = 0; i < batch * cell; ++i) dc[i] = dh[i] * (1 - u[i]) * (1 - cand[i] * cand[i]);
  const Tensor through_c = matrix_product(c, c.output(2), c.input(3), false, true);
  for (std::int64_t n = 0; n < batch; ++n)
    for (std::int64_t k = 0; k < cell; ++k) {
      const std::int64_t i = n * cell + k;
      const float dhr = floats(through_c)[n * (inputs + cell) + inputs + k];
      dru[n * 2 * cell + k] = dhr * before[i] * r[i] * (1 - r[i]);
      dru[n * 2 * cell + cell + k] = dh[i] * (before[i] - cand[i]) * u[i] * (1 - u[i]);
    }
  const Tensor through_gates = matrix_product(c, c.output(3), c.input(2), false, true);
  for (std::int64_t n = 0; n < batch; ++n) {
    const float *a = floats(through_gates) + n * (inputs + cell), *b = floats(through_c) + n * (inputs + cell);
    for (std::int64_t k = 0; k < inputs; ++k) dx[n * inputs + k] = a[k] + b[k];
    for (std::int64_t k = 0; k < cell; ++k) {
      const std::int64_t i = n * cell + k;
      dh_prev[i] = a[inputs + k] + b[inputs + k] * r[i] + dh[i] * u[i];
    }
  }
}

// The inputs of an LSTM cell: x, cs_prev, h_prev, w, wci, wcf, wco, b.
void check_lstm(const KernelContext& c) {
  for (std::size_t i = 0; i < 8; ++i) {
    const std::string_view name = c.op().signature.inputs[i].name;
    if (i < 4) {
      require_matrix(c.input(i), name);
    } else {
      require_vector(c.input(i), name);
    }
  }
  const std::int64_t batch = c.input(0).dim(0), inputs = c.input(0).dim(1), cell = c.input(1).dim(1);
  require_dim(c.input(1), "cs_prev", 0, batch, "x.dims(0)");
  require_dim(c.input(2), "h_prev", 0, batch, "x.dims(0)");
  require_dim(c.input(2), "h_prev", 1, cell, "cell_size");
  require_dim(c.input(3), "w", 0, inputs + cell, "input_size + cell_size");
  require_dim(c.input(3), "w", 1, 4 * cell, "cell_size * 4");
  require_dim(c.input(7), "b", 0, 4 * cell, "cell_size * 4");
  if (c.attr("use_peephole").b())
    for (std::size_t i = 4; i < 7; ++i) require_dim(c.input(i), c.op().signature.inputs[i].name, 0, cell, "cell_size");
}

void infer_lstm(InferContext& c) {
  c.require_rank(0, 2);
  c.require_rank(1, 2);
  const Shape out({dim_of(c.shape(0), 0), dim_of(c.shape(1), 1)});
  for (std::size_t j = 0; j < 7; ++j) c.set_output(j, out);
}

// Input i as floats.
struct Wide {
  std::vector<Tensor> inputs;
  explicit Wide(const KernelContext& c) {
    for (std::size_t i = 0; i < c.num_inputs(); ++i) inputs.push_back(as_float(c.input(i)));
  }
  const Tensor& operator[](std::size_t i) const { return inputs[i]; }
  LstmWeights weights(std::size_t first) const {
    return {inputs[first], inputs[first + 1], inputs[first + 2], inputs[first + 3], inputs[first + 4]};
  }
};

void lstm(KernelContext& c) {
  const Wide in(c);
  const LstmOptions options{c.attr("forget_bias").f(), c.attr("cell_clip").f(), c.attr("use_peephole").b(), kGatesICFO};
  const LstmStep step = lstm_step(c, in[0], in[1], in[2], in.weights(3), options);
  const Tensor* parts[] = {&step.i, &step.cs, &step.f, &step.o, &step.ci, &step.co, &step.h};
  for (std::size_t j = 0; j < 7; ++j) store_floats(*parts[j], c.output(j));
}

// The inputs further: i, cs, f, o, ci, co, cs_grad, h_grad.
void check_lstm_gradient(const KernelContext& c) {
  check_lstm(c);
  const std::int64_t batch = c.input(0).dim(0), cell = c.input(1).dim(1);
  for (std::size_t i = 8; i < 16; ++i) {
    const std::string_view name = c.op().signature.inputs[i].name;
    require_matrix(c.input(i), name);
    require_dim(c.input(i), name, 0, batch, "x.dims(0)");
    require_dim(c.input(i), name, 1, cell, "cell_size");
  }
}

void infer_lstm_gradient(InferContext& c) {
  c.require_rank(0, 2);
  c.require_rank(1, 2);
  const std::int64_t batch = dim_of(c.shape(0), 0), cell = dim_of(c.shape(1), 1);
  c.set_output(0, Shape({batch, cell}));
  c.set_output(1, Shape({batch, cell < 0 ? kUnknownDim : 4 * cell}));
  for (std::size_t j = 2; j < 5; ++j) c.set_output(j, c.shape(j + 2).has_rank() ? c.shape(j + 2) : Shape::of_rank(1));
}

void lstm_gradient(KernelContext& c) {
  const Wide in(c);
  const LstmOptions options{0, 0, c.attr("use_peephole").b(), kGatesICFO};
  const LstmStep step{in[8], in[9], in[10], in[11], in[12], in[13], Tensor()};
  std::vector<Tensor> peepholes;
  for (std::size_t i = 4; i < 7; ++i) peepholes.push_back(Tensor::zeros(DType::kFloat, in[i].shape()));
  const LstmStepGradient d =
      lstm_step_gradient(step, in[1], in.weights(3), options, in[14], in[15], peepholes[0], peepholes[1], peepholes[2]);
  const Tensor* parts[] = {&d.cs_prev, &d.gates, &peepholes[0], &peepholes[1], &peepholes[2]};
  for (std::size_t j = 0; j < 5; ++j) store_floats(*parts[j], c.output(j));
}

}  // namespace

Tensor matrix_product(const KernelContext& c, const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b) {
  return run_inside(c, "MatMul", {a, b}, {{"transpose_a", transpose_a}, {"transpose_b", transpose_b}})[0];
}

void store_floats(const Tensor& wide, Tensor& out) {
  if (out.dtype() == DType::kFloat) {
    std::copy_n(floats(wide), wide.num_elements(), floats(out));
  } else {
    from_float(wide, out);
  }
}

Tensor columns_joined(const Tensor& a, const Tensor& b) {
  const std::int64_t rows = a.dim(0), m = a.dim(1), n = b.dim(1);
  Tensor out(DType::kFloat, Shape({rows, m + n}));
  for (std::int64_t i = 0; i < rows; ++i) {
    float* row = floats(out) + i * (m + n);
    std::copy_n(floats(a) + i * m, m, row);
    std::copy_n(floats(b) + i * n, n, row + m);
  }
  return out;
}

Tensor columns_of(const Tensor& x, std::int64_t begin, std::int64_t end) {
  const std::int64_t rows = x.dim(0), width = x.dim(1);
  Tensor out(DType::kFloat, Shape({rows, end - begin}));
  for (std::int64_t i = 0; i < rows; ++i)
    std::copy(floats(x) + i * width + begin, floats(x) + i * width + end, floats(out) + i * (end - begin));
  return out;
}

LstmStep lstm_step(const KernelContext& c, const Tensor& x, const Tensor& cs_prev, const Tensor& h_prev,
                   const LstmWeights& weights, const LstmOptions& options) {
  const std::int64_t batch = x.dim(0), cell = cs_prev.dim(1);
  const Tensor gates = matrix_product(c, columns_joined(x, h_prev), weights.w, false, false);
  const Shape shape({batch, cell});
  auto made = [&] { return Tensor(DType::kFloat, shape); };
  LstmStep s{made(), made(), made(), made(), made(), made(), made()};
  for (std::int64_t n = 0; n < batch; ++n) {
    const float* row = floats(gates) + n * 4 * cell;
    for (std::int64_t k = 0; k < cell; ++k) {
      auto gate = [&](std::int64_t which) { return row[which * cell + k] + floats(weights.b)[which * cell + k]; };
      auto peephole = [&](const Tensor& w, float state) { return options.use_peephole ? floats(w)[k] * state : 0.0f; };
      const std::int64_t at = n * cell + k;
      const float before = floats(cs_prev)[at];
      const float i = sigmoid(gate(options.order.i) + peephole(weights.wci, before));
      const float ci = std::tanh(gate(options.order.ci));
      const float f = sigmoid(gate(options.order.f) + options.forget_bias + peephole(weights.wcf, before));
      float cs = ci * i + before * f;
      if (options.cell_clip > 0) cs = std::clamp(cs, -options.cell_clip, options.cell_clip);
      const float o = sigmoid(gate(options.order.o) + peephole(weights.wco, cs));
      const float co = std::tanh(cs);
      floats(s.i)[at] = i;
      floats(s.ci)[at] = ci;
      floats(s.f)[at] = f;
      floats(s.cs)[at] = cs;
      floats(s.o)[at] = o;
      floats(s.co)[at] = co;
      floats(s.h)[at] = o * co;
    }
  }
  return s;
}

LstmStepGradient lstm_step_gradient(const LstmStep& step, const Tensor& cs_prev, const LstmWeights& weights,
                                    const LstmOptions& options, const Tensor& cs_grad, const Tensor& h_grad,
                                    Tensor& wci_grad, Tensor& wcf_grad, Tensor& wco_grad) {
  const std::int64_t batch = cs_prev.dim(0), cell = cs_prev.dim(1);
  LstmStepGradient d{Tensor(DType::kFloat, Shape({batch, 4 * cell})), Tensor(DType::kFloat, cs_prev.shape())};
  for (std::int64_t n = 0; n < batch; ++n) {
    float* gates = floats(d.gates) + n * 4 * cell;
    for (std::int64_t k = 0; k < cell; ++k) {
      const std::int64_t at = n * cell + k;
      const float i = floats(step.i)[at], ci = floats(step.ci)[at], f = floats(step.f)[at], o = floats(step.o)[at],
                  co = floats(step.co)[at], cs = floats(step.cs)[at], before = floats(cs_prev)[at],
                  dh = floats(h_grad)[at];
      const float d_o = o * (1 - o) * dh * co;
      float dcs = (1 - co * co) * dh * o + floats(cs_grad)[at];
      if (options.use_peephole) dcs += d_o * floats(weights.wco)[k];
      const float d_ci = (1 - ci * ci) * dcs * i, d_f = f * (1 - f) * dcs * before, d_i = i * (1 - i) * dcs * ci;
      gates[options.order.i * cell + k] = d_i;
      gates[options.order.ci * cell + k] = d_ci;
      gates[options.order.f * cell + k] = d_f;
      gates[options.order.o * cell + k] = d_o;
      float through = dcs * f;
      if (options.use_peephole) {
        through += d_i * floats(weights.wci)[k] + d_f * floats(weights.wcf)[k];
        floats(wci_grad)[k] += d_i * before;
        floats(wcf_grad)[k] += d_f * before;
        floats(wco_grad)[k] += d_o * cs;
      }
      floats(d.cs_prev)[at] = through;
    }
  }
  return d;
}

void register_gru_cell(Registry& r) {
  constexpr std::string_view type = "T: {float}";
  r.add({.name = "GRUBlockCell",
         .inputs = {"x: T", "h_prev: T", "w_ru: T", "w_c: T", "b_ru: T", "b_c: T"},
         .outputs = {"r: T", "u: T", "c: T", "h: T"},
         .attrs = {type},
         .facts = {.contracts = true},
         .doc = "One step of a GRU: r, u = sigmoid([x, h_prev] w_ru + b_ru), c = tanh([x, r h_prev] w_c + b_c), "
                "h = u h_prev + (1 - u) c.",
         .infer = infer_gru,
         .check = check_gru,
         .kernel = gru,
         .grad = without_gradient});
  r.add({.name = "GRUBlockCellGrad",
         .inputs = {"x: T", "h_prev: T", "w_ru: T", "w_c: T", "b_ru: T", "b_c: T", "r: T", "u: T", "c: T", "d_h: T"},
         .outputs = {"d_x: T", "d_h_prev: T", "d_c_bar: T", "d_r_bar_u_bar: T"},
         .attrs = {type},
         .facts = {.contracts = true},
         .doc = "The gradients of GRUBlockCell's h with respect to x, h_prev and the gates before their functions.",
         .infer = infer_gru_gradient,
         .check = check_gru_gradient,
         .kernel = gru_gradient,
         .grad = without_gradient});
}

void register_lstm_cell(Registry& r) {
  constexpr std::string_view type = "T: {half, float}";
  r.add({.name = "LSTMBlockCell",
         .inputs = {"x: T", "cs_prev: T", "h_prev: T", "w: T", "wci: T", "wcf: T", "wco: T", "b: T"},
         .outputs = {"i: T", "cs: T", "f: T", "o: T", "ci: T", "co: T", "h: T"},
         .attrs = {"forget_bias: float = 1", "cell_clip: float = 3", "use_peephole: bool = false", type},
         .facts = {.contracts = true},
         .doc = "One step of an LSTM: the gates i, ci, f, o of [x, h_prev] w + b, cs = ci i + cs_prev f, clipped if "
                "cell_clip is positive, h = o tanh(cs).",
         .infer = infer_lstm,
         .check = check_lstm,
         .kernel = lstm,
         .grad = without_gradient});
  r.add({.name = "LSTMBlockCellGrad",
         .inputs = {"x: T", "cs_prev: T", "h_prev: T", "w: T", "wci: T", "wcf: T", "wco: T", "b: T", "i: T", "cs: T",
                    "f: T", "o: T", "ci: T", "co: T", "cs_grad: T", "h_grad: T"},
         .outputs = {"cs_prev_grad: T", "dicfo: T", "wci_grad: T", "wcf_grad: T", "wco_grad: T"},
         .attrs = {"use_peephole: bool", type},
         .doc = "The gradients of LSTMBlockCell with respect to cs_prev, the gates before their functions and the "
                "peepholes.",
         .infer = infer_lstm_gradient,
         .check = check_lstm_gradient,
         .kernel = lstm_gradient,
         .grad = without_gradient});
}

}  // namespace tracefn
