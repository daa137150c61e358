// Neural network ops other than activations: BiasAdd, BiasAddGrad, L2Loss.
#include "ops/array/array_families.h"
#include "ops/elementwise/elementwise_kernel.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/no_kernel.h"
#include "ops/reduce/reduce.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

template <typename Context>
bool channels_second(const Context& c) {
  return c.attr("data_format").s() == "NCHW";
}

void infer_bias_add(InferContext& c) {
  c.require_rank_at_least(0, 2);
  c.require_rank(1, 1);
  Shape out = c.shape(0);
  if (out.has_rank() && c.shape(1).has_rank()) {
    std::int64_t& channels = out[channels_second(c) ? 1 : out.rank() - 1];
    std::int64_t biases = c.shape(1)[0];
    require_equal(channels, biases);
    if (channels < 0) channels = biases;
  }
  c.set_output(0, std::move(out));
}

void check_bias_add(const KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& bias = c.input(1);
  if (x.rank() < 2) invalid_argument("Input tensor must be at least 2D: ", x.shape().text());
  if (bias.rank() != 1) invalid_argument("Biases must be 1D: ", bias.shape().text());
  if (bias.num_elements() != x.dim(channels_second(c) ? 1 : x.rank() - 1))
    invalid_argument("Must provide as many biases as the last dimension of the input tensor: ", bias.shape().text(),
                     " vs. ", x.shape().text());
}

void bias_add(KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& bias = c.input(1);
  Tensor& out = c.output(0);
  std::int64_t channels = bias.num_elements(), inner = 1;
  for (int i = channels_second(c) ? 2 : x.rank(); i < x.rank(); ++i) inner *= x.dim(i);
  if (out.num_elements() == 0) return;
  BinaryBlock add = elementwise_kernel<functions::Add>(x.dtype());
  if (!add) no_kernel();
  std::int64_t size = static_cast<std::int64_t>(size_of(x.dtype()));
  auto* from = x.data<char>();
  auto* to = static_cast<char*>(out.mutable_raw());
  // A row uses all biases, or one bias repeated.
  std::int64_t row = inner == 1 ? channels : inner;
  c.parallel_for(out.num_elements() / row, 0.5 * static_cast<double>(row) + 5,
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t r = begin; r < end; ++r) {
                     const char* b = bias.data<char>() + (inner == 1 ? 0 : r % channels * size);
                     add(from + r * row * size, b, to + r * row * size, row, inner == 1 ? 0 : 2);
                   }
                 });
}

// An addition that broadcasts, if that cannot hide a bias of the wrong size.
bool adds_to_channels(const Node& node, std::span<const OutputInfo* const> inputs) {
  const Shape &x = inputs[0]->shape, &bias = inputs[1]->shape;
  if (!x.has_rank() || x.rank() < 2 || !bias.has_rank() || bias.rank() != 1) return false;
  const std::int64_t channels = x[channels_second(node) ? 1 : x.rank() - 1];
  return channels >= 0 && channels == bias[0];
}
constexpr Expansion kExpandedBiasAdd{adds_to_channels, [](const Node& node, std::span<const Operand> inputs) {
                                       if (!channels_second(node)) return inputs[0] + inputs[1];
                                       const auto rank = static_cast<std::size_t>(inputs[0].shape().rank());
                                       std::vector<std::int32_t> dims(rank - 1, 1);
                                       dims[0] = static_cast<std::int32_t>(inputs[1].shape()[0]);
                                       return inputs[0] + build::reshape(inputs[1], build::ints(dims));
                                     }};

void infer_bias_grad(InferContext& c) {
  c.require_rank_at_least(0, 2);
  const Shape& dy = c.shape(0);
  c.set_output(0, Shape({dy.has_rank() ? dy[channels_second(c) ? 1 : dy.rank() - 1] : kUnknownDim}));
}

void check_bias_grad(const KernelContext& c) {
  if (c.input(0).rank() < 2) invalid_argument("Input tensor must be at least 2D: ", c.input(0).shape().text());
}

void bias_grad(KernelContext& c) {
  const Tensor& dy = c.input(0);
  AxisMask axes(static_cast<std::size_t>(dy.rank()), true);
  axes[static_cast<std::size_t>(channels_second(c) ? 1 : dy.rank() - 1)] = false;
  reduce_into(c, kReduceSum, dy, axes, c.output(0));
}

// Broadcasts the biases' gradient to dy's shape.
void grad_bias_grad(GradContext& c) {
  Operand g = c.dy(0);
  const Shape& shape = c.input(0).shape();
  if (channels_second(c)) {
    if (!shape.has_rank())
      fail(ErrorKind::kUnimplemented, "The gradient of BiasAddGrad in format NCHW needs an input of known rank.");
    std::vector<std::int32_t> dims(static_cast<std::size_t>(shape.rank()), 1);
    dims[1] = -1;
    g = build::reshape(g, build::ints(dims));
  }
  c.to_input(0, emit1("BroadcastTo", {g, build::shape_of(c.input(0))}));
}

void l2_loss(KernelContext& c) {
  const Tensor& x = c.input(0);
  reduce_into(c, kReduceHalfSquares, x, AxisMask(static_cast<std::size_t>(x.rank()), true), c.output(0));
}

}  // namespace

void register_nn(Registry& r) {
  constexpr std::string_view format = "data_format: {'NHWC', 'NCHW'} = 'NHWC'";
  r.add({.name = "BiasAdd",
         .inputs = {"value: T", "bias: T"},
         .outputs = {"output: T"},
         .attrs = {"T: " TRACEFN_NUMBERS, format},
         .facts = {.expansion = &kExpandedBiasAdd, .scopes = "BiasAdd"},
         .doc = "value with the vector bias added along the channel dimension: the last one, or the second in the NCHW "
                "format.",
         .infer = infer_bias_add,
         .check = check_bias_add,
         .kernel = bias_add,
         .grad = [](GradContext& c) {
           c.to_input(0, c.dy(0));
           c.to_input(1, emit1("BiasAddGrad", {c.dy(0)}, {{"data_format", c.attr("data_format")}}));
         }});
  r.add({.name = "BiasAddGrad",
         .inputs = {"out_backprop: T"},
         .outputs = {"output: T"},
         .attrs = {"T: " TRACEFN_NUMBERS, format},
         .doc = "The sum over all dimensions except the channels: the gradient of BiasAdd with respect to the bias.",
         .infer = infer_bias_grad,
         .check = check_bias_grad,
         .kernel = bias_grad,
         .grad = grad_bias_grad});
  r.add({.name = "L2Loss",
         .python = "nn.l2_loss(t)",
         .inputs = {"t: T"},
         .outputs = {"output: T"},
         .attrs = {"T: {half, bfloat16, float, double}"},
         .doc = "Half the sum of the squares of all elements.",
         .infer = infer::scalar,
         .kernel = l2_loss,
         .grad = [](GradContext& c) { c.to_input(0, c.input(0) * c.dy(0)); }});
}

}  // namespace tracefn
