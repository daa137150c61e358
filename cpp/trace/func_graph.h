// FuncGraph: the graph of a function, branch or loop body while it is traced: captures, name scopes, order of side
// effects. Built by the one thread that traces; its Graph may be read by any thread afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ops/graph_target.h"

namespace tracefn {

class FuncGraph : public GraphTarget, public std::enable_shared_from_this<FuncGraph> {
 public:
  // A tensor from outside, as a value of the outer graph, and its placeholder inside.
  struct Capture {
    Operand outer;
    Value inner;
    Operand origin = {};  // where it was created, which may be further out
    // Never a constant of a graph that it is passed to: a path, which a loaded model replaces.
    bool stays_input = false;
  };

  // `outer` is the graph being traced when this one starts, or null; it must live until finish(). A graph that does not
  // belong to a function (tf.Graph) captures nothing and refuses tensors from outside.
  FuncGraph(std::string name, FuncGraph* outer, bool is_function = true);
  ~FuncGraph() override;

  // The FuncGraph whose graph this is; null if it no longer exists.
  static std::shared_ptr<FuncGraph> of(const Graph* graph);

  // The value to pass for a capture of a function that is called while this graph is built: a trace made in one branch
  // may be called from another. What stays an input there does so here.
  Operand passed_for(const Capture& capture);

  const std::string& name() const { return graph()->name(); }
  bool is_function() const { return is_function_; }
  FuncGraph* outer() const { return outer_; }
  const std::vector<Capture>& captures() const { return captures_; }
  // The captures and, where they were used, the outside tensors small enough to become constants.
  std::vector<Capture> captures_and_constants() const;
  // The constants alone.
  const std::vector<Capture>& constants() const { return constants_; }
  // Adds an input of the function. `handle_*` describe what a resource handle holds.
  Value add_input(DType dtype, Shape shape, const std::string& name, DType handle_dtype = DType::kInvalid,
                  Shape handle_shape = Shape::unknown());
  // The inside value of an outside operand, captured on first use; `name` is as for import().
  virtual Operand capture(const Operand& outer, const std::string& name = {});
  // The same for an eager tensor that stays an input, however small: a saved model gives it another value.
  Operand capture_as_input(const Operand& outer);
  // Until the trace ends, `outer` inside this graph is its value `inner`: the argument whose value it is in the call
  // that is traced. The caller keeps `outer` alive.
  void pass_as(const Operand& outer, const Operand& inner);
  Operand import(const Operand& outer, const std::string& name) override { return capture(outer, name); }
  // Makes a value of this graph an output of the function, through an Identity node.
  Operand add_output(const Operand& value);
  // Ends the trace: captured placeholders become the last inputs and the outer graph is released.
  void finish();
  // The same, with the placeholders of captures in the order in which a call passes them.
  void finish_with(const std::vector<Value>& captured);
  bool finished() const { return finished_; }
  // Whether all nodes with a side effect run, in the order of their creation; initially true in a function's graph.
  void set_orders_effects(bool orders) { orders_effects_ = orders; }
  // True if some node has a side effect: decides between If and StatelessIf, for example.
  bool has_effects() const { return !graph()->control_outputs.empty(); }

  // Name scopes. `enter_scope` returns the previous scope, to be passed to `leave_scope`; an empty name is the root,
  // one that ends in '/' is taken as it is.
  std::string enter_scope(const std::string& name);
  void leave_scope(std::string previous) { scope_ = std::move(previous); }
  const std::string& scope() const { return scope_; }

  // Nodes created until leave_control_dependencies() of the returned number run after these.
  std::uint64_t enter_control_dependencies(std::vector<NodeId> nodes, bool clear = false);
  void leave_control_dependencies(std::uint64_t number);

  // The device of nodes created from now on, as they show it; "" for none in particular.
  const std::string& device() const { return device_; }
  void set_device(std::string device) { device_ = std::move(device); }
  // Places nodes when they have been created, after device(); may run Python code, and fail. May be null.
  class DeviceFunction {
   public:
    virtual ~DeviceFunction() = default;
    virtual void place(FuncGraph& graph, NodeId node) = 0;
  };
  const std::shared_ptr<DeviceFunction>& device_function() const { return device_function_; }
  void set_device_function(std::shared_ptr<DeviceFunction> function) { device_function_ = std::move(function); }
  void set_device_of(NodeId node, std::string device);

  // Changes of nodes after their creation (graph_edits.cpp): Error(kRuntime) if a function that has been traced holds
  // them, Error(kValue) if an input was created after the node that is to read it, Error(kInvalidArgument) if its shape
  // is another one: nodes are run in the order of their creation, and the shapes of results stay.
  void update_input(NodeId node, std::int64_t index, Value input);
  void add_control_input(NodeId node, NodeId before);
  void remove_control_inputs(NodeId node);
  // How many there were: what was made from the graph before the last one is out of date.
  std::int64_t edits() const { return edits_; }

  // The gradient functions of nodes created from now on: op name -> the function's, in tf.RegisterGradient's table.
  using GradientNames = std::map<std::string, std::string>;
  const GradientNames& gradient_names() const { return gradient_names_; }
  void set_gradient_names(GradientNames names) { gradient_names_ = std::move(names); }
  // Whether the user has forbidden further nodes.
  bool finalized() const { return finalized_; }
  void set_finalized(bool finalized) { finalized_ = finalized; }
  // Whether it, and the graphs within it, also capture tensors of graphs that they do not lie in, whose values nobody
  // can pass to them.
  void set_captures_others(bool captures_others) { captures_others_ = captures_others; }
  // A NoOp that runs after all side effects; TensorFlow's functions that return something end with one.
  void add_control_output();

  // The graphs that it and its captures are of. See base/owned.h.
  void visit_owned(OwnedVisitor& visitor) const;

  // Also looks through captures into the outer graph.
  Tensor constant_value(const Operand& operand) override;

 protected:
  void check_name(const OpDef& op, std::string_view name) const override;
  std::string scoped_name(std::string_view name) override;
  void added(NodeId id) override;
  // Also looks through captures into the outer graph.
  Shape contents(Value value) override;
  bool lies_within() const override { return outer_ != nullptr; }

  // Whether a tensor of this other graph can be captured, and as which value of the outer graph.
  virtual bool reaches(const Graph* other) const;
  virtual Operand known_around(const Operand& outer) { return outer_->capture(outer); }

 private:
  bool is_valid_name(std::string_view name) const;
  // Error(kValue) unless a scope, or an op in one of its own, can have this name in the current scope.
  void check_scope(std::string_view name) const;
  bool captures_others() const;
  Operand add_capture(const Operand& outer, std::string final_name);
  Value add_placeholder(DType dtype, Shape shape, std::string final_name, DType handle_dtype, Shape handle_shape);
  void order_effects(NodeId id);

  FuncGraph* outer_;
  bool is_function_;
  bool orders_effects_;
  bool finished_ = false;
  bool finalized_ = false;
  bool captures_others_ = false;
  std::string scope_;
  std::string device_;
  std::shared_ptr<DeviceFunction> device_function_;
  GradientNames gradient_names_;
  std::vector<Capture> captures_;
  // Key of an outside operand (graph and value, or memory) to its inside value.
  std::unordered_map<std::string, Operand> captured_;
  std::vector<std::string> passed_;  // keys of captured_ that are arguments
  std::vector<Capture> constants_;
  std::vector<std::size_t> constant_positions_;
  struct ControlFrame {
    std::uint64_t number;
    std::vector<NodeId> before;
    bool clear;                         // ignores the enclosing frames
    std::unordered_set<NodeId> inside;  // nodes created in it: their users run after `before` anyway
  };
  void order_by_frames(NodeId id, Node& node);

  // The node, which is to be changed.
  Node& edited(NodeId id);

  std::int64_t edits_ = 0;
  std::vector<ControlFrame> control_stack_;
  std::uint64_t last_control_frame_ = 0;
  // The last node with a side effect on a resource (by its placeholder), and the last with any other.
  std::unordered_map<NodeId, NodeId> last_on_resource_;
  NodeId last_effect_ = -1;
};

// The FuncGraph being traced on this thread, or null.
FuncGraph* current_func_graph();

// What the host language adds to graphs being traced; each may be null.
struct TraceHooks {
  // Called for each new node; may return null.
  Ref<SourceLocation> (*source)() = nullptr;
  // The same for an argument of a function, which nothing in the function has made: where the function was called.
  Ref<SourceLocation> (*argument_source)() = nullptr;
  // Called with a graph and a new node that may make it own objects of the host language: one that holds such an
  // object, or functions.
  void (*owner)(const std::shared_ptr<Graph>& graph, const Node& node) = nullptr;
};
// Once, before any graph is traced.
void set_trace_hooks(const TraceHooks& hooks);

}  // namespace tracefn
