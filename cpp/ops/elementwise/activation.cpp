// The activation functions of neural networks.
#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/elementwise_record.h"

namespace tracefn {
namespace {

constexpr std::string_view kLeakyTypes = "T: {half, bfloat16, float, double} = DT_FLOAT";

Tensor alpha_of(KernelContext& c) {
  return build::scalar_tensor(c.input(0).dtype(), static_cast<double>(c.attr("alpha").f()));
}

// The attribute alpha becomes an extra operand of the block.
void leaky_relu(KernelContext& c) {
  Tensor alpha = alpha_of(c);
  TensorRef operands[] = {c.operands()[0], {&alpha, false}};
  run_spec(c, block_of<functions::LeakyRelu>, operands, c.output(0));
}
void leaky_relu_grad(KernelContext& c) {
  Tensor alpha = alpha_of(c);
  TensorRef operands[] = {c.operands()[0], c.operands()[1], {&alpha, false}};
  run_spec(c, block_of<functions::LeakyReluGrad>, operands, c.output(0));
}

// As a select, for numbers that are not rounded in between.
bool is_wide(const Node&, std::span<const OutputInfo* const> inputs) {
  return inputs[0]->dtype == DType::kFloat || inputs[0]->dtype == DType::kDouble;
}
Operand leak(const Node& node, const Operand& features, const Operand& x) {
  const Operand positive = emit1("Greater", {features, build::scalar(x.dtype(), 0)});
  return build::select(positive, x, x * build::scalar(x.dtype(), static_cast<double>(node.attr("alpha").f())));
}
constexpr Expansion kExpandedLeakyRelu{
    is_wide, [](const Node& node, std::span<const Operand> inputs) { return leak(node, inputs[0], inputs[0]); }};
constexpr Expansion kExpandedLeakyReluGrad{
    is_wide, [](const Node& node, std::span<const Operand> inputs) { return leak(node, inputs[1], inputs[0]); }};

// The gradient of a function that scales `gradients` where `features` are positive.
template <const char* op>
void scaling_grad(GradContext& g) {
  g.to_input(0, emit1(op, {g.dy(0), g.input(1)}));
  g.to_input(1, build::zeros_like(g.input(1)));
}
constexpr char kReluGradName[] = "ReluGrad", kRelu6GradName[] = "Relu6Grad";

// EluGrad and SeluGrad, whose factor is linear in the outputs below zero.
template <const char* op>
void exponential_grad(GradContext& g) {
  const Operand& outputs = g.input(1);
  Operand negative = emit1("Less", {outputs, build::scalar(outputs.dtype(), 0)});
  g.to_input(0, emit1(op, {g.dy(0), outputs}));
  g.to_input(1, build::select(negative, g.dy(0) * g.input(0), build::zeros_like(outputs)));
}
constexpr char kEluGradName[] = "EluGrad", kSeluGradName[] = "SeluGrad";

void register_rectifiers(Registry& r) {
  add_activation(r, {
                        .name = "Relu",
                        .python = "nn.relu(features)",
                        .attrs = {"T: {" TRACEFN_EVERY_REAL_NUMBER ", qint8}"},
                        .doc = "max(features, 0), elementwise; NaN stays NaN.",
                        .block = &block_of<functions::Relu>,
                        .without_kernel = DTypes::of(DType::kQInt8),
                        .grad =
                            [](GradContext& g) {
                              g.to_input(0, emit1("ReluGrad", {g.dy(0), g.output(0)}));
                            },
                    });
  add_activation(r, {
                        .name = "Relu6",
                        .python = "nn.relu6(features)",
                        .attrs = {kOrdered},
                        .doc = "min(max(features, 0), 6), elementwise; NaN stays NaN.",
                        .block = &block_of<functions::Relu6>,
                        .grad =
                            [](GradContext& g) {
                              g.to_input(0, emit1("Relu6Grad", {g.dy(0), g.output(0)}));
                            },
                    });
  add_activation(r,
                 {
                     .name = "LeakyRelu",
                     .attrs = {"alpha: float = 0.2", kLeakyTypes},
                     .facts = {.expansion = &kExpandedLeakyRelu, .scopes = "LeakyRelu"},
                     .doc = "features where features > 0, else alpha * features.",
                     .kernel = leaky_relu,
                     .allocation = Allocation::kShared,
                     .grad =
                         [](GradContext& g) {
                           g.to_input(0, emit1("LeakyReluGrad", {g.dy(0), g.input(0)}, {{"alpha", g.attr("alpha")}}));
                         },
                 });
  add_activation_grad(r, "features: T",
                      {
                          .name = "ReluGrad",
                          .attrs = {kOrdered},
                          .doc = "gradients where features > 0, else 0: the gradient of Relu.",
                          .block = &block_of<functions::ReluGrad>,
                          .grad = scaling_grad<kReluGradName>,
                      });
  add_activation_grad(r, "features: T",
                      {
                          .name = "Relu6Grad",
                          .attrs = {kOrdered},
                          .doc = "gradients where 0 < features < 6, else 0: the gradient of Relu6.",
                          .block = &block_of<functions::Relu6Grad>,
                          .grad = scaling_grad<kRelu6GradName>,
                      });
  add_activation_grad(
      r, "features: T",
      {
          .name = "LeakyReluGrad",
          .attrs = {"alpha: float = 0.2", kLeakyTypes},
          .facts = {.expansion = &kExpandedLeakyReluGrad},
          .doc = "gradients where features > 0, else alpha * gradients: the gradient of LeakyRelu.",
          .kernel = leaky_relu_grad,
          .allocation = Allocation::kShared,
          .grad =
              [](GradContext& g) {
                g.to_input(0, emit1("LeakyReluGrad", {g.dy(0), g.input(1)}, {{"alpha", g.attr("alpha")}}));
                g.to_input(1, build::zeros_like(g.input(1)));
              },
      });
}

void register_exponential_units(Registry& r) {
  add_activation(r, {
                        .name = "Elu",
                        .python = "nn.elu(features)",
                        .attrs = {kHalfFirst},
                        .doc = "exp(features) - 1 where features < 0, else features.",
                        .block = &block_of<functions::Elu, 15>,
                        .grad =
                            [](GradContext& g) {
                              g.to_input(0, emit1("EluGrad", {g.dy(0), g.output(0)}));
                            },
                    });
  add_activation(r,
                 {
                     .name = "Selu",
                     .python = "nn.selu(features)",
                     .attrs = {kHalfFirst},
                     .doc = "scale * alpha * (exp(features) - 1) where features < 0, else scale * features.\n\nscale "
                            "is about 1.0507 and alpha about 1.6733, the constants of self-normalizing networks.",
                     .block = &block_of<functions::Selu, 15>,
                     .grad =
                         [](GradContext& g) {
                           g.to_input(0, emit1("SeluGrad", {g.dy(0), g.output(0)}));
                         },
                 });
  add_activation_grad(r, "outputs: T",
                      {
                          .name = "EluGrad",
                          .attrs = {kHalfFirst},
                          .doc = "gradients * (outputs + 1) where outputs < 0, else gradients: the gradient of Elu.",
                          .block = &block_of<functions::EluGrad>,
                          .grad = exponential_grad<kEluGradName>,
                      });
  add_activation_grad(r, "outputs: T",
                      {
                          .name = "SeluGrad",
                          .attrs = {kHalfFirst},
                          .doc = "gradients * (outputs + scale * alpha) where outputs < 0, else gradients * scale: the "
                                 "gradient of Selu.",
                          .block = &block_of<functions::SeluGrad>,
                          .grad = exponential_grad<kSeluGradName>,
                      });
}

void softplus_grad_grad(GradContext& g) {
  const Operand &dy = g.input(0), &x = g.input(1);
  Operand two = build::scalar(x.dtype(), 2);
  g.to_input(0, emit1("SoftplusGrad", {g.dy(0), x}));
  g.to_input(1, g.dy(0) * dy / (emit1("Exp", {-x}) + two + emit1("Exp", {x})));
}

void softsign_grad_grad(GradContext& g) {
  const Operand &dy = g.input(0), &x = g.input(1);
  Operand size = emit1("Abs", {x}) + build::scalar(x.dtype(), 1);
  g.to_input(0, emit1("SoftsignGrad", {g.dy(0), x}));
  g.to_input(1, build::scale(g.dy(0) * dy * emit1("Sign", {x}), -2) / (size * size * size));
}

}  // namespace

void register_activation(Registry& r) {
  register_rectifiers(r);
  register_exponential_units(r);
  add_activation(r, {
                        .name = "Softplus",
                        .python = "math.softplus(features)",
                        .aliases = {"nn.softplus"},
                        .attrs = {kHalfFirst},
                        .doc = "log(1 + exp(features)), elementwise, without overflow.",
                        .block = &block_of<functions::Softplus, 15>,
                        .grad =
                            [](GradContext& g) {
                              g.to_input(0, emit1("SoftplusGrad", {g.dy(0), g.input(0)}));
                            },
                    });
  add_activation(r, {
                        .name = "Softsign",
                        .python = "math.softsign(features)",
                        .aliases = {"nn.softsign"},
                        .attrs = {kHalfFirst},
                        .doc = "features / (1 + |features|), elementwise.",
                        .block = &block_of<functions::Softsign>,
                        .grad =
                            [](GradContext& g) {
                              g.to_input(0, emit1("SoftsignGrad", {g.dy(0), g.input(0)}));
                            },
                    });
  add_activation_grad(r, "features: T",
                      {
                          .name = "SoftplusGrad",
                          .attrs = {kHalfFirst},
                          .doc = "gradients / (1 + exp(-features)): the gradient of Softplus.",
                          .block = &block_of<functions::SoftplusGrad, 20>,
                          .grad = softplus_grad_grad,
                      });
  add_activation_grad(r, "features: T",
                      {
                          .name = "SoftsignGrad",
                          .attrs = {kHalfFirst},
                          .doc = "gradients / (1 + |features|)**2: the gradient of Softsign.",
                          .block = &block_of<functions::SoftsignGrad>,
                          .grad = softsign_grad_grad,
                      });
}

}  // namespace tracefn
