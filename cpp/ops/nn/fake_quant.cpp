// FakeQuantWithMinMax*: numbers rounded to the nearest of the 2^num_bits that a range is divided into, so that a
// network learns to bear it. The range is given by attributes, by two scalars, or by a number for each channel, the
// last axis.
#include <cmath>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

// [min, max] moved a little, so that zero is one of its numbers; `step` lies between two.
struct Nudged {
  float min, max, step;
};

struct Levels {
  float lowest, highest;
};

// Checks the attributes as TensorFlow's kernels do when they are created.
Levels levels_of(const KernelContext& c) {
  const std::int64_t bits = c.attr("num_bits").i();
  if (bits < 2 || bits > 16) invalid_argument("num_bits must be between 2 and 16, inclusive");
  return {c.attr("narrow_range").b() ? 1.0f : 0.0f, static_cast<float>((std::int64_t{1} << bits) - 1)};
}

// Jacob et al., Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference (2017).
Nudged nudge(float min, float max, const Levels& levels) {
  const float step = (max - min) / (levels.highest - levels.lowest);
  const float zero = levels.lowest - min / step;
  float nudged = std::round(zero);
  if (zero < levels.lowest) {
    nudged = levels.lowest;
  } else if (zero > levels.highest) {
    nudged = levels.highest;
  }
  return {(levels.lowest - nudged) * step, (levels.highest - nudged) * step, step};
}

// Whether nothing is quantized: a range of which nothing has been learnt yet.
bool is_unset(float min, float max) { return min == 0 && max == 0; }

class Quantizer {
 public:
  // TensorFlow's op whose range is two scalar tensors inverts the rounded step; its other ops compute the inverse of
  // the range itself (`by_range`), which rounds some ties otherwise.
  Quantizer(float min, float max, const Levels& levels, bool by_range)
      : range_(nudge(min, max, levels)),
        inverse_(by_range ? (levels.highest - levels.lowest) / (max - min) : 1.0f / range_.step),
        zero_(std::floor(-range_.min * inverse_ + 0.5f)),
        unset_(is_unset(min, max)) {}

  float of(float x) const {
    if (unset_) return 0;
    // NaN stays NaN.
    float clamped = x > range_.max ? range_.max : x;
    clamped = clamped < range_.min ? range_.min : clamped;
    return std::floor((clamped - range_.min) * inverse_ - zero_ + 0.5f) * range_.step;
  }
  // The gradient of x; adds to those of the range, which gets what x lost.
  float gradient(float dy, float x, double& dmin, double& dmax) const {
    if (unset_) return dy;
    dmin += static_cast<double>(dy * (x < range_.min ? 1.0f : 0.0f));
    dmax += static_cast<double>(dy * (x > range_.max ? 1.0f : 0.0f));
    return dy * (x >= range_.min && x <= range_.max ? 1.0f : 0.0f);
  }

 private:
  Nudged range_;
  float inverse_, zero_;
  bool unset_;
};

constexpr double kFakeQuantCost = 2;  // nanoseconds per element

void quantize_all(const KernelContext& c, const Quantizer& q, const Tensor& x, Tensor& out) {
  const float* from = x.data<float>();
  float* to = out.mutable_data<float>();
  c.parallel_for(x.num_elements(), kFakeQuantCost, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) to[i] = q.of(from[i]);
  });
}

// By attributes.

Quantizer quantizer_of_args(const KernelContext& c) {
  const Levels levels = levels_of(c);
  const float min = c.attr("min").f(), max = c.attr("max").f();
  if (!(min < max)) invalid_argument("min has to be smaller than max, was: ", min, " >= ", max);
  return {min, max, levels, true};
}

void of_args(KernelContext& c) { quantize_all(c, quantizer_of_args(c), c.input(0), c.output(0)); }

void of_args_gradient(KernelContext& c) {
  const Quantizer q = quantizer_of_args(c);
  const float *dy = c.input(0).data<float>(), *x = c.input(1).data<float>();
  float* dx = c.output(0).mutable_data<float>();
  c.parallel_for(c.input(0).num_elements(), kFakeQuantCost, [&](std::int64_t begin, std::int64_t end) {
    double unused = 0;
    for (std::int64_t i = begin; i < end; ++i) dx[i] = q.gradient(dy[i], x[i], unused, unused);
  });
}

void check_args_gradient(const KernelContext& c) {
  if (!(c.input(0).shape() == c.input(1).shape()))
    invalid_argument("Inputs to operation ", c.node_name_.empty() ? c.op().name() : c.node_name_, " of type ",
                     c.op().name(), " must have the same size and shape.  Input 0: ", c.input(0).shape().text(),
                     " != input 1: ", c.input(1).shape().text());
}

// By tensors: `first` is the first of input, min and max.

void check_range_ranks(const KernelContext& c, std::size_t first, int rank) {
  constexpr std::string_view kNames[] = {"`min`", "`max`"};
  for (std::size_t i = 0; i < 2; ++i)
    if (c.input(first + 1 + i).rank() != rank)
      invalid_argument(kNames[i], " must be rank ", rank, " but is rank ", c.input(first + 1 + i).rank());
}

void check_same_size(const KernelContext& c) {
  if (!(c.input(0).shape() == c.input(1).shape())) invalid_argument("gradient and input must be the same size");
}

template <std::size_t first>
void check_vars(const KernelContext& c) {
  levels_of(c);
  if (first) check_same_size(c);
  check_range_ranks(c, first, 0);
}

template <std::size_t first>
void check_channels(const KernelContext& c) {
  levels_of(c);
  if (first) check_same_size(c);
  check_range_ranks(c, first, 1);
  const Tensor& x = c.input(first);
  if (x.rank() == 0) invalid_argument("inputs must have at least one dimension, but is a scalar");
  const std::int64_t channels = x.dim(x.rank() - 1);
  for (std::size_t i = 1; i < 3; ++i)
    if (c.input(first + i).dim(0) != channels)
      invalid_argument(i == 1 ? "min" : "max", " has incorrect size, expected ", channels, " was ",
                       c.input(first + i).dim(0));
}

template <std::size_t first>
void infer_vars(InferContext& c) {
  c.require_rank(first + 1, 0);
  c.require_rank(first + 2, 0);
  c.set_output(0, first ? merge_or_explain(c.shape(0), c.shape(1)) : c.shape(0));
  for (std::size_t j = 1; j < c.num_outputs(); ++j) c.set_output(j, Shape());
}

template <std::size_t first>
void infer_channels(InferContext& c) {
  Shape out = first ? merge_or_explain(c.shape(0), c.shape(1)) : c.shape(0);
  if (out.has_rank() && out.rank() == 0) invalid_argument("Shape must be at least rank 1 but is rank 0");
  std::int64_t channels = out.has_rank() ? out[out.rank() - 1] : kUnknownDim;
  for (std::size_t i = 1; i < 3; ++i) {
    c.require_rank(first + i, 1);
    channels = merge_dims(channels, dim_of(c.shape(first + i), 0));
  }
  if (out.has_rank()) out[out.rank() - 1] = channels;
  c.set_output(0, std::move(out));
  for (std::size_t j = 1; j < c.num_outputs(); ++j) c.set_output(j, Shape({channels}));
}

void of_vars(KernelContext& c) {
  quantize_all(c, {c.input(1).item<float>(), c.input(2).item<float>(), levels_of(c), false}, c.input(0), c.output(0));
}

std::vector<Quantizer> quantizers(const KernelContext& c, std::size_t first) {
  const Levels levels = levels_of(c);
  std::vector<Quantizer> all;
  const Tensor &min = c.input(first + 1), &max = c.input(first + 2);
  PolledSteps polled;
  for (std::int64_t i = 0; i < min.num_elements(); ++i, polled.step())
    all.emplace_back(min.data<float>()[i], max.data<float>()[i], levels, true);
  return all;
}

void of_channels(KernelContext& c) {
  const std::vector<Quantizer> all = quantizers(c, 0);
  const auto channels = static_cast<std::int64_t>(all.size());
  if (c.output(0).num_elements() == 0) return;
  const float* from = c.input(0).data<float>();
  float* to = c.output(0).mutable_data<float>();
  c.parallel_for(c.input(0).num_elements() / channels, kFakeQuantCost * static_cast<double>(channels),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t i = begin; i < end; ++i)
                     for (std::int64_t k = 0; k < channels; ++k)
                       to[i * channels + k] = all[static_cast<std::size_t>(k)].of(from[i * channels + k]);
                 });
}

// The gradients of one range, summed as doubles, in order.
struct RangeGradient {
  double min = 0, max = 0;
};

void gradient_of(const std::vector<Quantizer>& all, const Tensor& gradients, const Tensor& inputs, Tensor& dx,
                 Tensor& dmin, Tensor& dmax) {
  const std::size_t channels = all.size();
  std::vector<RangeGradient> sums(channels);
  const float *dy = gradients.data<float>(), *x = inputs.data<float>();
  float* to = dx.mutable_data<float>();
  std::size_t k = 0;
  in_slices(inputs.num_elements(), kFakeQuantCost, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      to[i] = all[k].gradient(dy[i], x[i], sums[k].min, sums[k].max);
      if (++k == channels) k = 0;
    }
  });
  for (std::size_t i = 0; i < channels; ++i) {
    dmin.mutable_data<float>()[i] = static_cast<float>(sums[i].min);
    dmax.mutable_data<float>()[i] = static_cast<float>(sums[i].max);
  }
}

void of_vars_gradient(KernelContext& c) {
  const Quantizer q(c.input(2).item<float>(), c.input(3).item<float>(), levels_of(c), false);
  gradient_of({q}, c.input(0), c.input(1), c.output(0), c.output(1), c.output(2));
}

void of_channels_gradient(KernelContext& c) {
  gradient_of(quantizers(c, 1), c.input(0), c.input(1), c.output(0), c.output(1), c.output(2));
}

void grad_args(GradContext& g) {
  g.to_input(0, emit_like(g, "FakeQuantWithMinMaxArgsGradient", {g.dy(0), g.input(0)}));
}

template <const char* op>
void grad_range(GradContext& g) {
  Operand args[] = {g.dy(0), g.input(0), g.input(1), g.input(2)};
  Operands parts =
      emit_all(op, args, {{"num_bits", g.attr("num_bits").i()}, {"narrow_range", g.attr("narrow_range").b()}});
  for (std::size_t i = 0; i < 3; ++i) g.to_input(i, parts[i]);
}
constexpr char kVarsGradient[] = "FakeQuantWithMinMaxVarsGradient",
               kChannelsGradient[] = "FakeQuantWithMinMaxVarsPerChannelGradient";

constexpr std::string_view kBits = "num_bits: int = 8", kNarrow = "narrow_range: bool = false";

void register_by_args(Registry& r) {
  r.add({.name = "FakeQuantWithMinMaxArgs",
         .python = "quantization.fake_quant_with_min_max_args(inputs, min=-6, max=6, num_bits=8, narrow_range)",
         .inputs = {"inputs: float"},
         .outputs = {"outputs: float"},
         .attrs = {"min: float = -6.0", "max: float = 6.0", kBits, kNarrow},
         .doc = "`inputs` clamped to [min, max], moved a little so that it contains 0, and rounded to one of its "
                "2^num_bits numbers.\n\nWith narrow_range, one number less. Raises InvalidArgumentError if min >= max, "
                "or num_bits is not in [2, 16].",
         .infer = infer::same_as_first,
         .kernel = of_args,
         .grad = grad_args});
  r.add({.name = "FakeQuantWithMinMaxArgsGradient",
         .python = "quantization.fake_quant_with_min_max_args_gradient(gradients, inputs, min=-6, max=6, num_bits=8, "
                   "narrow_range)",
         .inputs = {"gradients: float", "inputs: float"},
         .outputs = {"backprops: float"},
         .attrs = {"min: float = -6.0", "max: float = 6.0", kBits, kNarrow},
         .doc = "The gradient of FakeQuantWithMinMaxArgs: `gradients` where `inputs` are in the range, else 0.",
         .infer =
             [](InferContext& c) {
               c.set_output(0, c.running() ? c.shape(0) : merge_or_explain(c.shape(0), c.shape(1)));
             },
         .check = check_args_gradient,
         .kernel = of_args_gradient,
         .grad = not_differentiable});
}

void register_by_vars(Registry& r) {
  r.add({.name = "FakeQuantWithMinMaxVars",
         .python = "quantization.fake_quant_with_min_max_vars(inputs, min, max, num_bits=8, narrow_range)",
         .inputs = {"inputs: float", "min: float", "max: float"},
         .outputs = {"outputs: float"},
         .attrs = {kBits, kNarrow},
         .doc = "FakeQuantWithMinMaxArgs with a range given by two scalars, which get gradients, too.",
         .infer = infer_vars<0>,
         .check = check_vars<0>,
         .kernel = of_vars,
         .grad = grad_range<kVarsGradient>});
  r.add({.name = kVarsGradient,
         .python = "quantization.fake_quant_with_min_max_vars_gradient(gradients, inputs, min, max, num_bits=8, "
                   "narrow_range)",
         .inputs = {"gradients: float", "inputs: float", "min: float", "max: float"},
         .outputs = {"backprops_wrt_input: float", "backprop_wrt_min: float", "backprop_wrt_max: float"},
         .attrs = {kBits, kNarrow},
         .doc =
             "The gradients of FakeQuantWithMinMaxVars: those of its inputs, and of the range, which gets the sum of "
             "what is outside.",
         .infer = infer_vars<1>,
         .check = check_vars<1>,
         .kernel = of_vars_gradient,
         .grad = not_differentiable});
  r.add({.name = "FakeQuantWithMinMaxVarsPerChannel",
         .python = "quantization.fake_quant_with_min_max_vars_per_channel(inputs, min, max, num_bits=8, narrow_range)",
         .inputs = {"inputs: float", "min: float", "max: float"},
         .outputs = {"outputs: float"},
         .attrs = {kBits, kNarrow},
         .doc = "FakeQuantWithMinMaxVars with a range for each index of the last axis: `min` and `max` are vectors.",
         .infer = infer_channels<0>,
         .check = check_channels<0>,
         .kernel = of_channels,
         .grad = grad_range<kChannelsGradient>});
  r.add({.name = kChannelsGradient,
         .python = "quantization.fake_quant_with_min_max_vars_per_channel_gradient(gradients, inputs, min, max, "
                   "num_bits=8, narrow_range)",
         .inputs = {"gradients: float", "inputs: float", "min: float", "max: float"},
         .outputs = {"backprops_wrt_input: float", "backprop_wrt_min: float", "backprop_wrt_max: float"},
         .attrs = {kBits, kNarrow},
         .doc = "The gradients of FakeQuantWithMinMaxVarsPerChannel.",
         .infer = infer_channels<1>,
         .check = check_channels<1>,
         .kernel = of_channels_gradient,
         .grad = not_differentiable});
}

}  // namespace

void register_fake_quant(Registry& r) {
  register_by_args(r);
  register_by_vars(r);
}

}  // namespace tracefn
