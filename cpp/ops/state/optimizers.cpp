// The steps of optimizers (TensorFlow's training ops): each reads and writes a variable and those beside it once.
#include <algorithm>
#include <array>
#include <cstring>
#include <deque>

#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel_table.h"
#include "ops/no_kernel.h"
#include "ops/state/effect_records.h"
#include "ops/state/variable_resource.h"
#include "ops/type_sets.h"

namespace tracefn {
namespace {

// An update rule: its ops' names end in `name`.
struct Rule {
  std::string_view name;
  Optimizer optimizer;
  // The variables beside the one updated, and the scalars, in the order of the inputs.
  std::vector<std::string_view> states, numbers;
  // After how many of the scalars the gradient comes, then, if the rule is sparse, the indices.
  std::size_t numbers_before_gradient;
  std::vector<std::string_view> flags;
  bool has_sparse;
  std::string_view doc;
};

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = {
      {"Momentum",
       kMomentum,
       {"accum"},
       {"lr", "momentum"},
       1,
       {"use_nesterov"},
       true,
       "accum = accum * momentum + grad; var -= lr * accum, or with Nesterov's momentum lr * (grad + momentum * "
       "accum)"},
      {"KerasMomentum",
       kKerasMomentum,
       {"accum"},
       {"lr", "momentum"},
       1,
       {"use_nesterov"},
       true,
       "accum = accum * momentum - lr * grad; var += accum, or with Nesterov's momentum accum * momentum - lr * grad"},
      {"Adam",
       kAdam,
       {"m", "v"},
       {"beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon"},
       6,
       {"use_nesterov"},
       false,
       "m += (grad - m) * (1 - beta1); v += (grad^2 - v) * (1 - beta2); var -= rate * m / (sqrt(v) + epsilon) with "
       "rate "
       "= lr * sqrt(1 - beta2_power) / (1 - beta1_power)"},
      {"AdamWithAmsgrad",
       kAdamWithAmsgrad,
       {"m", "v", "vhat"},
       {"beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon"},
       6,
       {},
       false,
       "as Adam, with vhat, the largest v so far, in place of v in the step"},
      {"AdaMax",
       kAdaMax,
       {"m", "v"},
       {"beta1_power", "lr", "beta1", "beta2", "epsilon"},
       5,
       {},
       false,
       "m += (grad - m) * (1 - beta1); v = max(beta2 * v, |grad|); var -= lr / (1 - beta1_power) * m / (v + epsilon)"},
      {"Adagrad",
       kAdagrad,
       {"accum"},
       {"lr"},
       1,
       {"update_slots"},
       true,
       "accum += grad^2, unless update_slots is false; var -= lr * grad / sqrt(accum)"},
      {"AdagradV2",
       kAdagradV2,
       {"accum"},
       {"lr", "epsilon"},
       2,
       {"update_slots"},
       true,
       "accum += grad^2, unless update_slots is false; var -= lr * grad / (sqrt(accum) + epsilon)"},
      {"Adadelta",
       kAdadelta,
       {"accum", "accum_update"},
       {"lr", "rho", "epsilon"},
       3,
       {},
       true,
       "accum = rho * accum + (1 - rho) * grad^2; update = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * "
       "grad; "
       "accum_update = rho * accum_update + (1 - rho) * update^2; var -= lr * update"},
      {"RMSProp",
       kRMSProp,
       {"ms", "mom"},
       {"lr", "rho", "momentum", "epsilon"},
       4,
       {},
       true,
       "ms += (grad^2 - ms) * (1 - rho); mom = momentum * mom + lr * grad / sqrt(ms + epsilon); var -= mom"},
      {"CenteredRMSProp",
       kCenteredRMSProp,
       {"mg", "ms", "mom"},
       {"lr", "rho", "momentum", "epsilon"},
       4,
       {},
       true,
       "mg += (grad - mg) * (1 - rho); ms += (grad^2 - ms) * (1 - rho); mom = momentum * mom + lr * grad / sqrt(ms - "
       "mg^2 + epsilon); var -= mom"},
      {"Ftrl",
       kFtrl,
       {"accum", "linear"},
       {"lr", "l1", "l2", "lr_power"},
       0,
       {"multiply_linear_by_lr"},
       true,
       "sum = accum + grad^2; linear += grad - (sum^-lr_power - accum^-lr_power) / lr * var; var = (sign(linear) * l1 "
       "- "
       "linear) / (sum^-lr_power / lr + 2 * l2) where |linear| > l1, else 0; accum = sum"},
      {"FtrlV2",
       kFtrl,
       {"accum", "linear"},
       {"lr", "l1", "l2", "l2_shrinkage", "lr_power"},
       0,
       {"multiply_linear_by_lr"},
       true,
       "as Ftrl, with grad + 2 * l2_shrinkage * var for the grad that linear adds"},
      {"AddSign",
       kAddSign,
       {"m"},
       {"lr", "alpha", "sign_decay", "beta"},
       4,
       {},
       false,
       "m = beta * m + (1 - beta) * grad; var -= lr * (alpha + sign_decay * sign(grad) * sign(m)) * grad"},
      {"PowerSign",
       kPowerSign,
       {"m"},
       {"lr", "logbase", "sign_decay", "beta"},
       4,
       {},
       false,
       "m = beta * m + (1 - beta) * grad; var -= lr * exp(logbase * sign_decay * sign(grad) * sign(m)) * grad"},
      {"ProximalGradientDescent",
       kProximalGradientDescent,
       {},
       {"alpha", "l1", "l2"},
       3,
       {},
       true,
       "x = var - alpha * delta; var = sign(x) / (1 + alpha * l2) * max(|x| - alpha * l1, 0)"},
      {"ProximalAdagrad",
       kProximalAdagrad,
       {"accum"},
       {"lr", "l1", "l2"},
       3,
       {},
       true,
       "accum += grad^2; rate = lr / sqrt(accum); x = var - rate * grad; var = sign(x) / (1 + rate * l2) * max(|x| - "
       "rate * l1, 0)"},
  };
  return all;
}

constexpr std::string_view kDense = "ResourceApply", kSparse = "ResourceSparseApply";

// Where an op of a rule has its inputs.
struct Inputs {
  const Rule& rule;
  bool sparse;

  std::size_t states() const { return 1 + rule.states.size(); }
  std::size_t gradient() const { return states() + rule.numbers_before_gradient; }
  std::size_t indices() const { return gradient() + 1; }
  std::size_t number(std::size_t i) const {
    return states() + i + (i < rule.numbers_before_gradient ? 0 : sparse ? 2 : 1);
  }
};

Inputs inputs_of(std::string_view op) {
  const bool sparse = op.starts_with(kSparse);
  const std::string_view name = op.substr(sparse ? kSparse.size() : kDense.size());
  for (const Rule& rule : rules())
    if (rule.name == name) return {rule, sparse};
  fail(ErrorKind::kInternal, "No update rule is called ", name, ".");
}

void infer_step(InferContext& c) {
  const Inputs in = inputs_of(c.op().name);
  Shape shape = handle_info(c, 0).shape;
  for (std::size_t i = 1; i < in.states(); ++i) shape = merge(shape, handle_info(c, i).shape);
  for (std::size_t i = 0; i < in.rule.numbers.size(); ++i) c.require_rank(in.number(i), 0);
  const Shape& gradient = c.shape(in.gradient());
  if (!in.sparse) {
    merge(shape, gradient);
    return;
  }
  c.require_rank(in.indices(), 1);
  if (gradient.has_rank() && gradient.rank() < 1) invalid_argument("Shape must be at least rank 1 but is rank 0");
  if (!gradient.has_rank() || !shape.has_rank()) return;
  Shape rows = gradient;
  rows[0] = kUnknownDim;
  if (c.shape(in.indices()).has_rank()) merge(Shape({gradient[0]}), c.shape(in.indices()));
  merge(shape, rows);
}

// What the messages call an input.
std::string_view shown(const Inputs& in, std::string_view name) {
  const Rule& rule = in.rule;
  if (in.sparse && rule.optimizer == kProximalGradientDescent && name == "alpha") return "lr";
  const bool ftrl = rule.optimizer == kFtrl;
  if (ftrl && name == "l1") return "l1 regularization strength";
  if (ftrl && name == "l2") return "l2 regularization strength";
  if (ftrl && name == "l2_shrinkage") return "l2 shrinkage regularization strength";
  return name;
}

double number(const Tensor& x) {
  const Tensor wide = as_float(x);
  return wide.dtype() == DType::kDouble ? wide.item<double>() : static_cast<double>(wide.item<float>());
}

// Sparse FTRL limits its numbers.
void check_limits(const KernelContext& c, const Inputs& in, std::size_t i) {
  const Tensor& x = c.input(in.number(i));
  const std::string_view name = in.rule.numbers[i];
  const double value = x.rank() == 0 ? number(x) : 0;
  auto require = [&](bool good, std::string_view what) {
    if (x.rank() != 0 || !good) invalid_argument(shown(in, name), " is not a ", what, ": ", x.shape().text());
  };
  if (name == "lr") {
    const bool zero = c.attr("multiply_linear_by_lr").b();
    return require(value > 0 || (zero && value == 0), "positive scalar (or zero if multiply_linear_by_lr is set)");
  }
  if (name == "lr_power") return require(value <= 0, "non-positive scalar");
  require(value >= 0, "non-negative scalar");
}

// The scalars, then the flags, as floats or doubles.
struct Numbers {
  alignas(8) std::array<char, kMostNumbers * sizeof(double)> bytes{};
};

// Ftrl has no shrinkage; the kernels' rule has.
bool skips_shrinkage(const Rule& rule, std::size_t i) { return rule.name == "Ftrl" && i == 3; }

template <typename T>
Numbers numbers_of(const KernelContext& c, const Inputs& in) {
  std::array<T, kMostNumbers> values{};
  std::size_t n = 0;
  for (std::size_t i = 0; i < in.rule.numbers.size(); ++i) {
    if (skips_shrinkage(in.rule, i)) values[n++] = T(0);
    values[n++] = static_cast<T>(number(c.input(in.number(i))));
  }
  for (std::string_view flag : in.rule.flags) values[n++] = c.attr(flag).b() ? T(1) : T(0);
  Numbers numbers;
  std::memcpy(numbers.bytes.data(), values.data(), sizeof(values));
  return numbers;
}

void check_numbers(const KernelContext& c, const Inputs& in) {
  for (std::size_t i = 0; i < in.rule.numbers.size(); ++i) {
    if (in.sparse && in.rule.optimizer == kFtrl) {
      check_limits(c, in, i);
      continue;
    }
    const Tensor& x = c.input(in.number(i));
    const std::string_view name = in.rule.numbers[i];
    if (x.rank() != 0)
      invalid_argument(shown(in, name), " is not a scalar", name == "lr_power" ? "" : ": ", x.shape().text());
  }
}

void check_shapes(const KernelContext& c, const Inputs& in, std::span<Tensor* const> values) {
  const Shape& shape = values[0]->shape();
  for (std::size_t i = 1; i < values.size(); ++i)
    if (!(values[i]->shape() == shape))
      invalid_argument("var and ", in.rule.states[i - 1], " do not have the same shape", shape.text(), " ",
                       values[i]->shape().text());
  const Tensor& gradient = c.input(in.gradient());
  if (!in.sparse) {
    const std::string_view name = c.op().signature.inputs[in.gradient()].name;
    if (!(gradient.shape() == shape))
      invalid_argument("var and ", name, " do not have the same shape", shape.text(), " ", gradient.shape().text());
    return;
  }
  const Tensor& indices = c.input(in.indices());
  if (shape.rank() < 1) invalid_argument("var must be at least 1 dimensional");
  if (indices.rank() != 1) invalid_argument("indices must be one-dimensional");
  if (gradient.rank() != shape.rank())
    invalid_argument("var and grad must have the same number of dimensions: ", shape.text(), " vs. ",
                     gradient.shape().text());
  for (int i = 1; i < shape.rank(); ++i)
    if (shape[i] != gradient.dim(i)) invalid_argument("var and grad must match in dimension ", i);
  if (gradient.dim(0) != indices.dim(0))
    invalid_argument("grad must be the same size as indices in the first dimension.");
  for (std::int64_t i = 0; i < indices.dim(0); ++i)
    if (indices.int_at(i) < 0 || indices.int_at(i) >= shape[0])
      invalid_argument("Index ", indices.int_at(i), " at offset ", i, " in indices is out of range");
}

// Nanoseconds per element.
double cost_of(const Inputs& in) { return 0.4 + 0.3 * static_cast<double>(in.states()); }

void step(KernelContext& c) {
  const Inputs in = inputs_of(c.op().name());
  const Tensor& gradient = c.input(in.gradient());
  const DType dtype = gradient.dtype();
  std::array<VariableResource*, kMostStates> variables{};
  for (std::size_t i = 0; i < in.states(); ++i) {
    variables[i] = &variable_input(c, i);
    if (variables[i]->dtype() != dtype) invalid_argument("DType of variable handle and value does not match.");
  }
  if (!kernel_table().optimizers.step[in.rule.optimizer][slot(dtype)]) no_kernel();
  check_numbers(c, in);
  Optimizer optimizer = in.rule.optimizer;
  const Numbers numbers = dtype == DType::kDouble ? numbers_of<double>(c, in) : numbers_of<float>(c, in);
  if (optimizer == kFtrl && number(c.input(in.number(in.rule.numbers.size() - 1))) != -0.5) optimizer = kFtrlByPower;
  const OptimizerStep kernel = kernel_table().optimizers.step[optimizer][slot(dtype)];
  VariableResource::update_together({variables.data(), in.states()}, [&](std::span<Tensor* const> values) {
    check_shapes(c, in, values);
    const auto size = static_cast<std::int64_t>(size_of(dtype));
    // n elements, from `at` of the variables and from `from` of the gradient on.
    auto run = [&](std::int64_t at, std::int64_t from, std::int64_t n) {
      std::array<void*, kMostStates> states{};
      for (std::size_t i = 0; i < values.size(); ++i) states[i] = values[i]->mutable_data<char>() + at * size;
      kernel(states.data(), numbers.bytes.data(), gradient.data<char>() + from * size, n);
    };
    const double cost = cost_of(in);
    if (!in.sparse) {
      c.parallel_for(gradient.num_elements(), cost,
                     [&](std::int64_t begin, std::int64_t end) { run(begin, begin, end - begin); });
      return;
    }
    // One after the other: an index may come twice. Threads take columns.
    const Tensor& indices = c.input(in.indices());
    if (gradient.num_elements() == 0) return;
    const std::int64_t rows = indices.dim(0), columns = gradient.num_elements() / rows;
    c.parallel_for(columns, cost * static_cast<double>(rows), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = 0; i < rows; ++i)
        run(indices.int_at(i) * columns + begin, i * columns + begin, end - begin);
    });
  });
}

void add_rule(Registry& r, const Rule& rule, bool sparse) {
  std::deque<std::string> texts;
  auto text = [&](auto... parts) -> std::string_view { return texts.emplace_back(concat(parts...)); };
  std::vector<std::string_view> inputs = {"var: resource"};
  for (std::string_view state : rule.states) inputs.push_back(text(state, ": resource"));
  auto add_gradient = [&] {
    const bool delta = !sparse && rule.optimizer == kProximalGradientDescent;
    inputs.push_back(delta ? "delta: T" : "grad: T");
    if (sparse) inputs.push_back("indices: Tindices");
  };
  for (std::size_t i = 0; i < rule.numbers.size(); ++i) {
    if (i == rule.numbers_before_gradient) add_gradient();
    inputs.push_back(text(rule.numbers[i], ": T"));
  }
  if (rule.numbers_before_gradient == rule.numbers.size()) add_gradient();
  std::vector<std::string_view> attrs = {"T: " TRACEFN_NUMBERS};
  if (sparse) attrs.push_back("Tindices: {int32, int64}");
  attrs.push_back("use_locking: bool = false");
  for (std::string_view flag : rule.flags)
    attrs.push_back(text(flag, ": bool = ", flag == "update_slots" ? "true" : "false"));
  r.add({.name = text(sparse ? kSparse : kDense, rule.name),
         .inputs = std::move(inputs),
         .attrs = std::move(attrs),
         .stateful = true,
         .doc = text("One step of an optimizer", sparse ? " on the rows of the variables at `indices`" : "", ": ",
                     rule.doc, "."),
         .infer = infer_step,
         .kernel = step,
         .grad = not_differentiable});
}

}  // namespace

void register_optimizers(Registry& r) {
  for (const Rule& rule : rules()) {
    add_rule(r, rule, false);
    if (rule.has_sparse) add_rule(r, rule, true);
  }
}

}  // namespace tracefn
