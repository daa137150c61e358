// Every gradient rule of the elementwise ops against finite differences, in float64 and complex128, found by walking
// the registry: an op of a new name is tested from the first day.
#include <cmath>
#include <complex>
#include <map>
#include <random>

#include "autodiff/backprop.h"
#include "base/hash.h"
#include "check.h"
#include "ops/build.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

using Complex = std::complex<double>;

// Where the arguments are drawn from, when [-2, 2] would leave the domain or meet a kink.
const std::map<std::string, std::pair<double, double>> kDomains = {
    {"Log", {0.3, 3}},       {"Log1p", {-0.5, 3}},     {"Sqrt", {0.3, 3}},      {"Rsqrt", {0.3, 3}},
    {"SqrtGrad", {0.3, 3}},  {"Reciprocal", {0.3, 3}}, {"Inv", {0.3, 3}},       {"Asin", {-0.8, 0.8}},
    {"Acos", {-0.8, 0.8}},   {"Acosh", {1.5, 3}},      {"Atanh", {-0.8, 0.8}},  {"Erfinv", {-0.8, 0.8}},
    {"Ndtri", {0.1, 0.9}},   {"Lgamma", {0.3, 3}},     {"Digamma", {0.5, 3}},   {"Div", {0.3, 3}},
    {"RealDiv", {0.3, 3}},   {"DivNoNan", {0.3, 3}},   {"Xdivy", {0.3, 3}},     {"Xlogy", {0.3, 3}},
    {"Xlog1py", {0.3, 3}},   {"Pow", {0.3, 3}},        {"Atan2", {0.3, 3}},     {"FloorMod", {0.3, 3}},
    {"Zeta", {2, 4}},        {"BesselK0", {0.5, 3}},   {"BesselK0e", {0.5, 3}}, {"BesselK1", {0.5, 3}},
    {"BesselK1e", {0.5, 3}}, {"BesselY0", {0.5, 3}},   {"BesselY1", {0.5, 3}},  {"Expint", {0.3, 3}},
    {"Spence", {0.3, 3}},    {"Igamma", {0.5, 3}},     {"Igammac", {0.5, 3}},
};
// Not differentiable in both operands, or by construction: the operand left out.
const std::map<std::string, std::size_t> kSkippedInput = {{"Polygamma", 0}, {"Zeta", 0}, {"NextAfter", 1}};
// Complex results that are not holomorphic with real value: their gradient holds for real weights.
bool wants_real_weights(const std::string& name) { return name == "SquaredDifference"; }

bool allows(const OpDef& op, DType dtype) {
  int at = op.signature.attr_index("T");
  if (at < 0) return false;
  for (DType d : op.signature.attrs[static_cast<std::size_t>(at)].allowed_types)
    if (d == dtype) return true;
  return op.signature.attrs[static_cast<std::size_t>(at)].allowed_types.empty();
}

class Sampler {
 public:
  explicit Sampler(const std::string& name) : random_(static_cast<unsigned>(hash_add(0, name))) {
    auto found = kDomains.find(name);
    if (found != kDomains.end()) domain_ = found->second;
  }
  double number() { return std::uniform_real_distribution<double>(domain_.first, domain_.second)(random_); }
  Tensor tensor(DType dtype, const Shape& shape) {
    Tensor t(dtype, shape);
    for (std::int64_t i = 0; i < t.num_elements(); ++i) {
      if (dtype == DType::kBool) t.mutable_data<bool>()[i] = random_() % 2;
      if (dtype == DType::kDouble) t.mutable_data<double>()[i] = number();
      if (dtype == DType::kComplex128) t.mutable_data<Complex>()[i] = {number(), number() / 3};
    }
    return t;
  }

 private:
  std::mt19937 random_;
  std::pair<double, double> domain_{-2, 2};
};

// The real number sum(Re(conj(w) z)).
double weighted(const Tensor& z, const Tensor& w) {
  double total = 0;
  for (std::int64_t i = 0; i < z.num_elements(); ++i) {
    if (z.dtype() == DType::kDouble) total += z.data<double>()[i] * w.data<double>()[i];
    if (z.dtype() == DType::kComplex128) total += std::real(std::conj(w.data<Complex>()[i]) * z.data<Complex>()[i]);
  }
  return total;
}

struct Call {
  const OpDef& op;
  AttrList attrs;
  std::vector<Tensor> inputs;

  Operand run(std::span<const Operand> operands) const {
    Operands outputs;
    emit(op, operands, attrs, outputs);
    return outputs[0];
  }
  Tensor value() const { return run(std::vector<Operand>(inputs.begin(), inputs.end())).tensor; }
};

// d weighted / d component k of input i, by central differences.
double slope(Call call, std::size_t i, std::int64_t component, const Tensor& w) {
  constexpr double kStep = 1e-6;
  double at[2];
  for (int side = 0; side < 2; ++side) {
    Tensor moved = call.inputs[i].copy();
    moved.mutable_data<double>()[component] += side ? -kStep : kStep;
    Call other = call;
    other.inputs[i] = moved;
    at[side] = weighted(other.value(), w);
  }
  return (at[0] - at[1]) / (2 * kStep);
}

void check_gradient(Call call, const std::string& what) {
  std::vector<Operand> operands(call.inputs.begin(), call.inputs.end());
  for (Operand& x : operands) OpRecorder::watch(x);
  OpRecorder recorder;
  Operand z;
  {
    ListenerScope scope(&recorder);
    z = call.run(operands);
  }
  Sampler weights("weights");
  Tensor w = weights.tensor(z.dtype(), z.shape());
  if (z.dtype() == DType::kComplex128 && wants_real_weights(call.op.name()))
    for (std::int64_t i = 0; i < w.num_elements(); ++i) w.mutable_data<Complex>()[i].imag(0);
  Operand seed = w;
  Operands g = gradients(recorder.ops(), std::span(&z, 1), std::span(&seed, 1), operands);
  auto skipped = kSkippedInput.find(call.op.name());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].dtype() == DType::kBool || (skipped != kSkippedInput.end() && skipped->second == i)) continue;
    if (!g[i].defined()) {
      test::failed(__FILE__, __LINE__, concat(what, ": no gradient for input ", i));
      continue;
    }
    if (!(g[i].shape() == operands[i].shape()) || g[i].dtype() != operands[i].dtype()) {
      test::failed(__FILE__, __LINE__, concat(what, ": gradient ", i, " has shape ", g[i].shape().text()));
      continue;
    }
    std::int64_t components = g[i].tensor.num_elements() * (g[i].dtype() == DType::kComplex128 ? 2 : 1);
    for (std::int64_t k = 0; k < components; ++k) {
      double expected = slope(call, i, k, w), got = g[i].tensor.data<double>()[k];
      if (!(std::fabs(got - expected) <= 2e-6 * (1 + std::fabs(expected) + std::fabs(got))))
        test::failed(__FILE__, __LINE__,
                     concat(what, ": gradient ", i, "[", k, "] is ", got, ", differences give ", expected));
    }
  }
}

// Shapes to try: alike, broadcast both ways, scalar, empty.
std::vector<std::vector<Shape>> shapes_for(const OpDef& op, std::size_t n) {
  if (n == 1) return {{Shape({2, 3})}, {Shape()}, {Shape({0, 2})}};
  bool rigid = op.name() == "AddN" || op.name() == "AccumulateNV2" || op.name() == "Select";
  std::vector<std::vector<Shape>> lists = {std::vector<Shape>(n, Shape({2, 3})), std::vector<Shape>(n, Shape()),
                                           std::vector<Shape>(n, Shape({0, 2}))};
  if (op.name() == "ClipByValue") {
    lists.push_back({Shape({2, 3}), Shape(), Shape({2, 3})});
  } else if (op.block && !rigid && !op.name().ends_with("Grad")) {
    lists.push_back(std::vector<Shape>(n, Shape({3})));
    lists.back()[0] = Shape({2, 1});
    lists.push_back(std::vector<Shape>(n, Shape()));
    lists.back().back() = Shape({2, 2});
    lists.push_back(std::vector<Shape>(n, Shape({1, 0})));
    lists.back()[0] = Shape({2, 1});
  }
  return lists;
}

void check_op(const OpDef& op, DType dtype) {
  const OpSignature& s = op.signature;
  AttrList attrs(s.attrs.size());
  int tout = s.attr_index("Tout");
  if (tout >= 0) attrs[static_cast<std::size_t>(tout)] = dtype == DType::kDouble ? DType::kComplex128 : DType::kDouble;
  std::size_t n = s.inputs[0].is_list() ? 3 : s.inputs.size();
  if (int shape = s.attr_index("shape"); shape >= 0) attrs[static_cast<std::size_t>(shape)] = Shape::unknown();
  for (const std::vector<Shape>& shapes : shapes_for(op, n)) {
    Sampler sampler(op.name());
    Call call{op, attrs, {}};
    std::string what = concat(op.name(), " of ", name(dtype));
    for (std::size_t i = 0; i < n; ++i) {
      DType own = s.inputs[0].is_list() || s.inputs[i].type_attr == "T" ? dtype : s.inputs[i].type;
      call.inputs.push_back(sampler.tensor(own, shapes[i]));
      what += " " + shapes[i].text();
    }
    if (op.name() == "Polygamma")
      for (std::int64_t i = 0; i < call.inputs[0].num_elements(); ++i) {
        call.inputs[0].mutable_data<double>()[i] = 1 + static_cast<double>(i % 2);
        if (i < call.inputs[1].num_elements()) call.inputs[1].mutable_data<double>()[i] += 3;
      }
    if (op.name() == "ClipByValue")  // the bounds in their order
      for (std::size_t side : {1, 2})
        for (std::int64_t i = 0; i < call.inputs[side].num_elements(); ++i)
          call.inputs[side].mutable_data<double>()[i] = (side == 1 ? -1 : 1) * (0.5 + 0.1 * static_cast<double>(i));
    check_gradient(std::move(call), what);
  }
}

}  // namespace

TEST(gradient_rules_of_elementwise_ops) {
  const std::string_view others[] = {"LeakyRelu", "LeakyReluGrad", "Select", "ClipByValue", "AddN", "AccumulateNV2"};
  int checked = 0;
  for (const OpDef* op : Registry::get().all()) {
    bool ours = op->block || std::find(std::begin(others), std::end(others), op->name()) != std::end(others);
    if (!ours || op->grad == not_differentiable || op->grad == without_gradient || op->name() == "Cast") continue;
    if (allows(*op, DType::kDouble)) check_op(*op, DType::kDouble), ++checked;
    // There is no order of complex numbers to clip by; the others are not conjugated, as in TensorFlow.
    const std::string_view without[] = {"ClipByValue", "MulNoNan", "Xlogy", "Xlog1py", "Xdivy"};
    bool complex_rule = std::find(std::begin(without), std::end(without), op->name()) == std::end(without);
    if (allows(*op, DType::kComplex128) && complex_rule) check_op(*op, DType::kComplex128), ++checked;
  }
  CHECK(checked > 120);
}

TEST(gradient_rule_of_cast) {
  const OpDef& op = Registry::get().at("Cast");
  Sampler sampler("Cast");
  AttrList attrs(3);
  attrs[1] = DType::kComplex128;
  check_gradient({op, attrs, {sampler.tensor(DType::kDouble, Shape({3}))}}, "Cast to complex128");
  attrs[1] = DType::kDouble;
  check_gradient({op, attrs, {sampler.tensor(DType::kComplex128, Shape({3}))}}, "Cast to float64");
}

TEST(gradient_rule_of_pow_at_edges) {
  // d/dy x**y at x <= 0 counts as zero; d/dx is exact.
  const double x[] = {-2, 0, 3}, y[] = {2, 2, 2};
  std::vector<Operand> operands = {Tensor::vector(std::span<const double>(x)),
                                   Tensor::vector(std::span<const double>(y))};
  for (Operand& o : operands) OpRecorder::watch(o);
  OpRecorder recorder;
  Operand z;
  {
    ListenerScope scope(&recorder);
    z = emit1("Pow", {operands[0], operands[1]});
  }
  Operand seed;
  Operands g = gradients(recorder.ops(), std::span(&z, 1), std::span(&seed, 1), operands);
  CHECK_EQ(g[0].tensor.data<double>()[0], -4.0);
  CHECK_EQ(g[0].tensor.data<double>()[1], 0.0);
  CHECK_EQ(g[1].tensor.data<double>()[0], 0.0);
  CHECK_EQ(g[1].tensor.data<double>()[1], 0.0);
  CHECK(std::fabs(g[1].tensor.data<double>()[2] - 9 * std::log(3.0)) < 1e-14);
}

}  // namespace tracefn
