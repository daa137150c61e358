// The table of rules and their shared helpers.
#include "passes/simplify.h"

#include <algorithm>
#include <cmath>

#include "ops/registry.h"
#include "ops/typed.h"
#include "passes/pass.h"

namespace tracefn {
namespace simplify {
namespace {

template <typename T>
bool every(const Tensor& t, double value) {
  for (const T& x : t.span<T>()) {
    const double is = static_cast<double>(compute_value(x));
    if (is != value || std::signbit(is) != std::signbit(value)) return false;
  }
  return true;
}

}  // namespace

void add(Rules& rules, std::string_view op, Rule rule) { rules[&Registry::get().at(op).signature].push_back(rule); }

Tensor constant(const Rewriter& r, Value v) {
  const Node& node = r.producer(v);
  return node.is(OpKind::kConst) ? node.attr("value").tensor() : Tensor();
}

bool all_are(const Tensor& t, double value) {
  bool are = false;
  if (is_floating(t.dtype()))
    with_float(t.dtype(), [&]<typename T>(std::type_identity<T>) { are = every<T>(t, value); });
  if (is_integer(t.dtype()))
    with_integer(t.dtype(), [&]<typename T>(std::type_identity<T>) { are = every<T>(t, value); });
  if (t.dtype() == DType::kBool) {
    std::span<const bool> elements = t.span<bool>();
    are = std::all_of(elements.begin(), elements.end(), [&](bool b) { return b == (value != 0); });
  }
  return are;
}

bool keeps_shape(const Rewriter& r, Value x, const Shape& other) {
  if (other.is_scalar()) return true;
  const Shape& own = r.info(x).shape;
  if (!own.has_rank() || !other.has_rank() || other.rank() > own.rank()) return false;
  for (int i = 1; i <= other.rank(); ++i) {
    std::int64_t d = other[other.rank() - i];
    if (d != 1 && (d < 0 || d != own[own.rank() - i])) return false;
  }
  return true;
}

bool says_as_much(const Rewriter& r, Value v, const OutputInfo& of) {
  const OutputInfo& info = r.info(v);
  return info.dtype == of.dtype && (of.shape == info.shape || of.shape.is_supertype_of(info.shape));
}

Replacement first_input(const Rewriter& r, const Node& node) {
  if (says_as_much(r, node.inputs[0], node.outputs[0])) return {node.inputs[0]};
  return {};
}

}  // namespace simplify

namespace {

const simplify::Rules& rules() {
  static const simplify::Rules all = [] {
    simplify::Rules made;
    simplify::add_arithmetic(made);
    simplify::add_arrays(made);
    simplify::add_reshapes(made);
    return made;
  }();
  return all;
}

std::shared_ptr<Graph> run_simplify(const Graph& graph) {
  Rewriter rewriter(graph);
  return rewriter.run([&](const Node& node, NodeId) {
    if (node.outputs.size() != 1 || !node.control_inputs.empty()) return Replacement();
    auto found = rules().find(node.op);
    if (found == rules().end()) return Replacement();
    for (simplify::Rule rule : found->second)
      if (Replacement made = rule(rewriter, node); !made.empty()) return made;
    return Replacement();
  });
}

}  // namespace

const Pass kSimplify{"simplify", "what changes nothing need not run, and some ops do the same for less",
                     kArithmeticOptimization, run_simplify};

}  // namespace tracefn
