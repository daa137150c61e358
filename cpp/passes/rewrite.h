// Rewriter: the base of passes that visit nodes in order and replace some. Nothing is copied before the first change.
// Used by one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ops/graph_target.h"
#include "passes/graph_copy.h"

namespace tracefn {

// Replacements for a node's outputs; empty: the node stays. (For a node without outputs, only whether it is empty
// matters.)
using Replacement = SmallVector<Value, 1>;

class Rewriter {
 public:
  explicit Rewriter(const Graph& from);
  ~Rewriter();

  // Where the current node's inputs are: the old graph before the first change, the new one after it. A node has the
  // same id in both until something changes.
  const Graph& graph() const { return copy_ ? copy_->to() : from_; }
  const OutputInfo& info(Value v) const { return graph().info(v); }
  // The node that produces it; one with control edges appears as a NoOp, since nothing may be taken from behind it.
  const Node& producer(Value v) const;
  // The value as far as constants and static shapes determine it; undefined otherwise.
  Tensor known(Value v);

  // The Operand that `emitting` returns, on a target that adds to the new graph. The nodes replace the current one:
  // they take its source location and its name, made unique.
  template <typename Emitting>
  Replacement make(Emitting emitting) {
    if (!copy_) return {Value{}};  // only asked whether there is a change
    Scope scope(*this);
    return {emitting().value};
  }
  // A node in place of the current one, with the same op, attributes and number of outputs, but with shapes inferred
  // again: on other inputs; or, without them, if some of its inputs are new and its shapes are not known yet.
  Replacement again(const Node& node);
  Replacement again(const Node& node, const SmallVector<Value, 3>& inputs) {
    return again(node, op_def(*node.op), inputs, node.attrs);
  }
  // The same with another op or other attributes.
  Replacement again(const Node& node, const OpDef& op, const SmallVector<Value, 3>& inputs, AttrList attrs);

  // True before the first change: only whether a rule returns a change matters then.
  bool only_asks() const { return !copy_; }
  // Adds a node of another graph whose inputs and control edges belong to graph(), under a unique name that is
  // displayed as the node's; with `infer`, its shapes are inferred again. Precondition: !only_asks().
  Replacement add(const Node& node, bool infer);
  // Control edges to the current node lead to these, once it is replaced.
  void lead_controls(std::vector<NodeId> controls) { controls_ = std::move(controls); }
  // A value of graph() as an operand for emitting. Precondition: inside make().
  Operand operand(Value v) const { return Operand(copy_->shared(), v); }

  // Calls rule(node, id) for every node that is not an argument, in order; `id` is that of the old graph. Null if no
  // rule replaced anything. With `stayed`, stayed(node, id) is called after a rule left a node; the id is that in
  // graph().
  template <typename Rule>
  std::shared_ptr<Graph> run(Rule rule) {
    return run(rule, [](const Node&, NodeId) {});
  }
  template <typename Rule, typename Stayed>
  std::shared_ptr<Graph> run(Rule rule, Stayed stayed) {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      NodeId id = order_[i];
      if (!copy_) {
        if (is_argument(id)) continue;
        if (rule(from_.node(id), id).empty()) {
          stayed(from_.node(id), id);
          continue;
        }
        begin(i);
      }
      Node node = copy_->moved(id);
      if (is_argument(id)) {
        copy_->add(id, std::move(node));
        continue;
      }
      looked_at_ = &node;
      name_taken_ = false;
      Replacement values = rule(std::as_const(node), id);
      if (values.empty()) {
        NodeId added = copy_->add(id, std::move(node));
        stayed(std::as_const(*copy_->shared()).node(added), added);
      } else {
        put(id, values);
      }
    }
    return finish();
  }

 private:
  class Target;
  // Makes the target current; nothing learns of the ops.
  class Scope {
   public:
    explicit Scope(Rewriter& rewriter);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    EmitTarget* target_;
    Unobserved unobserved_;
  };

  bool is_argument(NodeId id) const { return arguments_[static_cast<std::size_t>(id)]; }
  void begin(std::size_t copied);
  void put(NodeId old, const Replacement& values);
  std::shared_ptr<Graph> finish();
  std::string new_name();

  const Graph& from_;
  std::vector<NodeId> order_;
  std::vector<char> arguments_;
  std::unique_ptr<GraphCopy> copy_;
  std::unique_ptr<Target> target_;  // of graph()
  std::vector<char> made_;          // by id in the new graph: whether a rule made it
  std::unordered_set<std::string> names_;
  std::optional<std::vector<NodeId>> controls_;
  const Node* looked_at_ = nullptr;
  bool name_taken_ = false;  // by a node made in its place
};

}  // namespace tracefn
