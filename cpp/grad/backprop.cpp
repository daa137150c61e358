// The reverse walk over recorded ops.
#include "grad/backprop.h"

#include <atomic>
#include <unordered_map>

#include "base/check.h"
#include "base/hash.h"
#include "ops/gradient.h"

namespace tracefn {
namespace {

// What makes two operands the same tensor.
struct Identity {
  const Graph* graph = nullptr;
  std::int64_t number = 0;  // the eager id, or the node
  std::int32_t output = 0;

  explicit Identity(const Operand& x)
      : graph(x.graph.get()), number(x.graph ? x.value.node : x.id), output(x.graph ? x.value.output : 0) {}
  bool exists() const { return graph || number != 0; }
  bool operator==(const Identity&) const = default;
};

struct IdentityHash {
  std::size_t operator()(const Identity& x) const {
    return hash_add(hash_add(hash_add(0, x.graph), x.number), x.output);
  }
};

bool is_differentiable(DType d) {
  return is_floating(d) || is_complex(d) || d == DType::kResource || d == DType::kVariant;
}

// The gradients that have come in for each tensor that depends on a source.
class Accumulated {
 public:
  // From now on contributions for x are kept.
  void expect(const Operand& x) {
    if (Identity id(x); id.exists()) pending_.try_emplace(id);
  }
  bool expects(const Operand& x) const {
    Identity id(x);
    return id.exists() && pending_.count(id) != 0;
  }
  void add(const Operand& x, Operand gradient) {
    if (auto found = pending_.find(Identity(x)); found != pending_.end() && Identity(x).exists())
      found->second.push_back(std::move(gradient));
  }
  // Their sum; undefined when there were none.
  Operand total(const Operand& x) {
    auto found = pending_.find(Identity(x));
    if (found == pending_.end() || found->second.empty()) return {};
    Operands& parts = found->second;
    if (parts.size() > 1) {
      Operand sum = emit_all("AddN", parts)[0];
      parts.clear();
      parts.push_back(std::move(sum));
    }
    return parts[0];
  }

 private:
  std::unordered_map<Identity, Operands, IdentityHash> pending_;
};

// Marks what depends on a source; those ops, in order.
std::vector<const RecordedOp*> ops_between(std::span<const RecordedOp> ops, Accumulated& accumulated) {
  std::vector<const RecordedOp*> between;
  for (const RecordedOp& op : ops) {
    bool depends = false;
    for (const Operand& in : op.inputs) depends = depends || (is_differentiable(in.dtype()) && accumulated.expects(in));
    if (!depends) continue;
    between.push_back(&op);
    for (const Operand& out : op.outputs)
      if (is_differentiable(out.dtype())) accumulated.expect(out);
  }
  return between;
}

void step_back(const RecordedOp& op, Accumulated& accumulated) {
  Operands incoming;
  bool any = false;
  for (const Operand& out : op.outputs) {
    incoming.push_back(accumulated.total(out));
    any = any || incoming.back().defined();
  }
  if (!any) return;
  GradContext context(*op.op, op.attrs, op.inputs, op.outputs, incoming);
  op.op->grad(context);
  const Operands& results = context.results();
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].defined() && is_differentiable(op.inputs[i].dtype())) accumulated.add(op.inputs[i], results[i]);
}

}  // namespace

Operands gradients(std::span<const RecordedOp> ops, std::span<const Operand> targets,
                   std::span<const Operand> target_gradients, std::span<const Operand> sources) {
  TRACEFN_CHECK(targets.size() == target_gradients.size());
  Accumulated accumulated;
  for (const Operand& source : sources) accumulated.expect(source);
  std::vector<const RecordedOp*> between = ops_between(ops, accumulated);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (!accumulated.expects(targets[i])) continue;
    accumulated.add(targets[i], target_gradients[i].defined() ? target_gradients[i] : build::ones_like(targets[i]));
  }
  for (std::size_t i = between.size(); i-- > 0;) step_back(*between[i], accumulated);
  Operands results;
  for (const Operand& source : sources) results.push_back(accumulated.total(source));
  return results;
}

void OpRecorder::watch(Operand& operand) {
  static std::atomic<std::int64_t> last{0};
  if (operand.is_eager() && operand.id == 0) operand.id = ++last;
}

void OpRecorder::emitted(const OpDef& op, std::span<const Operand> inputs, const AttrList& attrs, Operands& outputs) {
  for (Operand& out : outputs) watch(out);
  ops_.push_back({&op, attrs, Operands(inputs.begin(), inputs.end()), outputs});
  if (next_) next_->emitted(op, inputs, attrs, outputs);
}

}  // namespace tracefn
