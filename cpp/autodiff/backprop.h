// Backprop: gradients of recorded ops, as ops emitted on the current target. It serves tapes (eager values, or those of
// a graph under construction) and whole graphs alike, because gradient rules use emit.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "ops/emit.h"
#include "ops/gradient.h"

namespace tracefn {

// The identity of an operand: the id of an eager one, graph and value of a symbolic one. Variable handles are
// identified by the variable, whichever tensor holds them.
struct TensorIdentity {
  const void* owner = nullptr;  // the graph, or the variable
  std::int64_t number = 0;      // the eager id, or the node
  std::int32_t output = 0;

  TensorIdentity() = default;
  explicit TensorIdentity(const Operand& x);
  // All outputs of the node together; symbolic tensors only.
  TensorIdentity node() const {
    TensorIdentity all = *this;
    all.output = -1;
    return all;
  }
  // False for constants that cannot be a source.
  bool exists() const { return owner || number != 0; }
  bool operator==(const TensorIdentity&) const = default;
};

struct TensorIdentityHash {
  std::size_t operator()(const TensorIdentity& x) const {
    return hash_add(hash_add(hash_add(0, x.owner), x.number), x.output);
  }
};

// A node's rule that is used when its graph is differentiated, not when a tape recorded the op.
class GraphRule : public GradientRule {};

// One op as recorded, or a call with a rule of its own (then `op` is null or only its name).
struct RecordedOp {
  const OpDef* op = nullptr;
  AttrList attrs;
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
  Ref<GradientRule> rule = {};
  // By input: true if unwatched when the op ran, so that no gradient reaches it. Empty: none.
  std::vector<char> unwatched = {};
  bool of_graph = false;   // read from a graph, not recorded
  std::string scope = {};  // of a node: the name scope that it was made in, ending in "/", or empty

  // See base/owned.h.
  void visit_owned(OwnedVisitor& visitor) const;
  bool watched(std::size_t input) const { return input >= unwatched.size() || !unwatched[input]; }
};

// For each of `sources` the gradient of the sum of targets[i] * target_gradients[i] (of the conjugated gradients, for
// complex numbers, as in TensorFlow): undefined if no target depends on it. An undefined target gradient means ones.
// `ops` are in execution order. Changes to a graph's node since it was recorded (it may have got outputs for a
// gradient) are read from the graph.
std::vector<Gradient> gradients_of(std::span<const RecordedOp* const> ops, std::span<const Operand> targets,
                                   std::span<const Operand> target_gradients, std::span<const Operand> sources);
// Whether one of `targets` depends on `source`.
bool depends(std::span<const RecordedOp* const> ops, std::span<const Operand> targets, const Operand& source);
// The same as gradients_of, with dense gradients.
Operands gradients(std::span<const RecordedOp> ops, std::span<const Operand> targets,
                   std::span<const Operand> target_gradients, std::span<const Operand> sources);

// The gradient rule of ops that return each input as the output of the same number.
Ref<GradientRule> pass_on_rule();

// The nodes of a graph as records, in order, without those that no gradient flows through.
std::vector<RecordedOp> records_of(const std::shared_ptr<Graph>& graph);

// A new identity for an eager operand. Callers hold the host language's lock, or there is only one thread.
inline std::int64_t new_operand_id() {
  static std::int64_t last = 0;
  return ++last;
}

// A listener that records every op, for gradients(). Install it by ListenerScope; use it on one thread. `next`, if
// given, is notified too, so that recorders can be nested for higher orders.
class OpRecorder final : public EmitListener {
 public:
  explicit OpRecorder(EmitListener* next = nullptr) : next_(next) {}
  void emitted(const OpDef& op, std::span<const Operand> inputs, const AttrList& attrs, Operands& outputs) override;
  // Gives an eager operand an identity, so that it can be a source. Symbolic operands have one.
  static void watch(Operand& operand);
  const std::vector<RecordedOp>& ops() const { return ops_; }

 private:
  EmitListener* next_;
  std::vector<RecordedOp> ops_;
};

class ListenerScope {
 public:
  explicit ListenerScope(EmitListener* listener) : previous_(set_listener(listener)) {}
  ~ListenerScope() { set_listener(previous_); }
  ListenerScope(const ListenerScope&) = delete;
  ListenerScope& operator=(const ListenerScope&) = delete;

 private:
  EmitListener* previous_;
};

}  // namespace tracefn
