// emit: the only way to run or record an op. Python callables, operators, gradient rules and passes all call it; the
// current target decides whether the op runs now (exec/eager) or becomes a node (ops/graph_target, trace/func_graph).
// The current target and tape are per thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "ir/graph.h"
#include "ops/op_def.h"
#include "tensor/tensor.h"

namespace tracefn {

// A tensor as input or output of an op: a value (eager), or an output of a node in a graph.
struct Operand {
  Tensor tensor;                 // eager
  std::shared_ptr<Graph> graph;  // symbolic
  Value value;
  std::int64_t id = 0;  // eager: identity for tapes, 0 until one needs it

  Operand() = default;
  Operand(Tensor t) : tensor(std::move(t)) {}  // NOLINT(google-explicit-constructor)
  Operand(std::shared_ptr<Graph> g, Value v) : graph(std::move(g)), value(v) {}

  bool defined() const { return graph || tensor.defined(); }
  bool is_eager() const { return !graph; }
  DType dtype() const { return graph ? graph->info(value).dtype : tensor.dtype(); }
  const Shape& shape() const { return graph ? graph->info(value).shape : tensor.shape(); }
  // See base/owned.h.
  void visit_owned(OwnedVisitor& visitor) const { visitor.shared(graph); }
};

using Operands = SmallVector<Operand, 4>;

class EmitTarget {
 public:
  virtual ~EmitTarget() = default;
  // `attrs` is complete and checked. `name` is the wanted node name, or empty for the op's own.
  virtual void emit(const OpDef& op, std::span<const Operand> inputs, AttrList attrs, std::string_view name,
                    Operands& outputs) = 0;
  // The value of an operand if it is known without running anything with a side effect; undefined otherwise.
  virtual Tensor constant_value(const Operand& operand) = 0;
  virtual bool is_eager() const = 0;
};

// Per thread. The bottom of the stack is the eager target, which exec/eager installs.
EmitTarget& current_target();
// The bottom of the stack, whatever the current target is.
EmitTarget& eager_target();
void set_default_target(EmitTarget* target);  // once, at startup

// Makes `target` current (null: the default one) and returns the previous one; for callers without C++ scopes.
EmitTarget* exchange_target(EmitTarget* target);

class TargetScope {
 public:
  explicit TargetScope(EmitTarget& target);
  ~TargetScope();
  TargetScope(const TargetScope&) = delete;
  TargetScope& operator=(const TargetScope&) = delete;

 private:
  EmitTarget* previous_;
};

// Called for every op on this thread while it is installed (a gradient tape).
class EmitListener {
 public:
  virtual ~EmitListener() = default;
  virtual void emitted(const OpDef& op, std::span<const Operand> inputs, const AttrList& attrs, Operands& outputs) = 0;
};
EmitListener* current_listener();
// Returns the previous one.
EmitListener* set_listener(EmitListener* listener);

// Called for every op on this thread, and for every input of a graph that it creates, while it is set (tf.debugging's
// enable_check_numerics).
class OpCallback {
 public:
  virtual ~OpCallback() = default;
  virtual void emitted(const OpSignature& op, std::span<const Operand> inputs, std::span<const Operand> outputs) = 0;
};
OpCallback* op_callback();
// Null: none.
void set_op_callback(OpCallback* callback);

// During its lifetime neither listener nor callback of this thread learns of ops.
class Unobserved {
 public:
  Unobserved() : listener_(set_listener(nullptr)), callback_(op_callback()) { set_op_callback(nullptr); }
  ~Unobserved() {
    set_op_callback(callback_);
    set_listener(listener_);
  }
  Unobserved(const Unobserved&) = delete;
  Unobserved& operator=(const Unobserved&) = delete;

 private:
  EmitListener* listener_;
  OpCallback* callback_;
};

// Infers missing type and number attributes from the inputs and defaults, checks them (Error(kType), TensorFlow's
// words), and emits. `attrs` is in the order of the signature; an empty Attr, or a missing tail, is inferred or takes
// its default.
void emit(const OpDef& op, std::span<const Operand> inputs, AttrList attrs, Operands& outputs,
          std::string_view name = {});

// Only infers and checks.
AttrList complete_attrs(const OpDef& op, std::span<const Operand> inputs, AttrList attrs);
// Only emits, with what complete_attrs() has returned.
void emit_completed(const OpDef& op, std::span<const Operand> inputs, AttrList attrs, Operands& outputs,
                    std::string_view name = {});

struct NamedAttr {
  std::string_view name;
  Attr value;
};
// For C++ callers: the first output of op `op_name`.
Operand emit1(std::string_view op_name, std::initializer_list<Operand> inputs,
              std::initializer_list<NamedAttr> attrs = {});
Operands emit_all(std::string_view op_name, std::span<const Operand> inputs,
                  std::initializer_list<NamedAttr> attrs = {});

}  // namespace tracefn
