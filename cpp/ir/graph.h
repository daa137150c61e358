// Graph: nodes in a vector by index, edges as (node, output) pairs; no recursive ownership. A graph is built by one
// thread; once finished (as shared_ptr<const Graph>) any thread may read it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/attr.h"
#include "ir/signature.h"

namespace tracefn {

using NodeId = std::int32_t;

struct Value {
  NodeId node = -1;
  std::int32_t output = 0;
  bool operator==(const Value&) const = default;
};

// Where a node was created, in the host language. Opaque: cpp/bind stores a code object and an instruction offset and
// resolves file and line on demand. May be dropped on any thread.
class SourceLocation : public RefCounted {
 public:
  struct Frame {
    std::string file;
    int line = 0;
    std::string function;
    std::string text;  // the source line, stripped; empty if it cannot be read
  };
  // The user's frames, outermost first.
  virtual std::vector<Frame> frames() const = 0;
};

struct OutputInfo {
  DType dtype = DType::kInvalid;
  Shape shape;
  // For resources: what the handle holds, when known (a variable's dtype and shape).
  DType handle_dtype = DType::kInvalid;
  Shape handle_shape = Shape::unknown();
};

// What a pass has made a node for, beyond its op: the executor compiles such a node as a whole.
enum class NodeForm : std::uint8_t {
  kOp,
  kFusionGroup,      // a call of elementwise ops and reductions
  kFinishedProduct,  // a call of a product and the elementwise ops that read it
  kVariableUpdate,   // a call of elementwise ops that reads and updates variables
  kArrayLoop,        // a counted While around elementwise ops
};

struct Node {
  const OpSignature* op = nullptr;
  std::string name;
  SmallVector<Value, 3> inputs;
  SmallVector<NodeId, 2> control_inputs;
  AttrList attrs;
  SmallVector<OutputInfo, 1> outputs;
  Ref<SourceLocation> source;
  // Overrides the op's gradient rule (tf.custom_gradient), a GradientRule of ops/gradient.h; null: the op's own.
  Ref<RefCounted> gradient;
  std::string device;
  NodeForm form = NodeForm::kOp;

  const Attr& attr(std::string_view attr_name) const;
  bool is(OpKind kind) const { return op->kind == kind; }
};

// Data that later stages derive from a graph and cache in it, so that it dies with the graph. A copy of the graph
// starts without it. Any thread may use it.
class Derived {
 public:
  class Kept {
   public:
    virtual ~Kept() = default;
    // See base/owned.h.
    virtual void visit_owned(OwnedVisitor& visitor) const = 0;
  };

  Derived() = default;
  Derived(const Derived&) {}
  Derived& operator=(const Derived&) { return *this; }

  // The cached value of type T, of which there is one; null if there is none.
  template <typename T>
  std::shared_ptr<T> find() const {
    return std::static_pointer_cast<T>(find_by(&key<T>));
  }
  // Caches `value` unless another thread was first; returns the cached one.
  template <typename T>
  std::shared_ptr<T> keep(std::shared_ptr<T> value) const {
    return std::static_pointer_cast<T>(keep_by(&key<T>, std::move(value)));
  }
  // See base/owned.h.
  void visit_owned(OwnedVisitor& visitor) const;

 private:
  template <typename T>
  static constexpr char key = 0;  // its address stands for the type

  std::shared_ptr<Kept> find_by(const void* type) const;
  std::shared_ptr<Kept> keep_by(const void* type, std::shared_ptr<Kept> value) const;

  mutable std::mutex mutex_;
  mutable std::vector<std::pair<const void*, std::shared_ptr<Kept>>> kept_;  // by type
};

// Nodes by name, found out when somebody asks. A copy of the graph begins without. Any thread may use it.
class NameIndex {
 public:
  NameIndex() = default;
  NameIndex(const NameIndex&) {}
  // Begins anew: this graph's nodes become others.
  NameIndex& operator=(const NameIndex&) {
    by_name_.clear();
    indexed_ = 0;
    return *this;
  }

  // -1 when none has that name. Nodes that were added since the last call are looked at first.
  NodeId find(const std::deque<Node>& nodes, std::string_view name) const;

 private:
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, NodeId> by_name_;
  mutable NodeId indexed_ = 0;
};

class Graph {
 public:
  explicit Graph(std::string name = "");
  Graph(const Graph& other);
  Graph& operator=(const Graph& other);
  ~Graph();

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

  NodeId add(Node node);
  // Adds a node that comes before node `at` in order(), whatever its id.
  NodeId insert(Node node, NodeId at);
  // The nodes in topological order: by id, except for inserted ones.
  std::vector<NodeId> order() const;
  // The same number for a graph and its copies: common nodes have the same ids.
  std::int64_t lineage() const { return lineage_; }
  const Derived& derived() const { return derived_; }
  const Node& node(NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  Node& node(NodeId id) { return nodes_[static_cast<std::size_t>(id)]; }
  NodeId size() const { return static_cast<NodeId>(nodes_.size()); }
  const OutputInfo& info(Value v) const { return node(v.node).outputs[static_cast<std::size_t>(v.output)]; }
  OutputInfo& info(Value v) { return node(v.node).outputs[static_cast<std::size_t>(v.output)]; }
  // "add:0"
  std::string value_name(Value v) const;
  // -1 if no node has that name.
  NodeId find(std::string_view name) const;

  // `base`, or base_1, base_2 ... if a node or scope has it; comparison ignores case, as TensorFlow's does. Marks the
  // result as used, and with `is_scope` all of its leading scopes.
  std::string unique_name(const std::string& base);
  // The same without marking anything: the next call of unique_name may return it too.
  std::string next_unique_name(const std::string& base) const;

  // The rules, functions and host objects of its nodes, and what is derived. See base/owned.h.
  void visit_owned(OwnedVisitor& visitor) const;

  // What a call passes in and gets back. Inputs are Placeholder nodes.
  std::vector<Value> inputs;
  std::vector<Value> outputs;
  // Nodes that must run although no output needs them: every stateful node reached in program order.
  std::vector<NodeId> control_outputs;
  // The graph that was being traced when this one, of a function or a body, was begun: used to classify leaked tensors.
  std::weak_ptr<const Graph> outer;

 private:
  std::string name_;
  std::deque<Node> nodes_;
  NameIndex names_;
  std::unordered_map<std::string, int> used_names_;
  // (inserted, before which), in the order of insertion.
  std::vector<std::pair<NodeId, NodeId>> inserted_;
  std::int64_t lineage_;
  Derived derived_;

  static std::int64_t next_lineage();
};

// One line per node: "%3 add = AddV2[T=DT_FLOAT](x:0, Const:0) : float32[2,3]   # file.py:7"; bodies of functions
// follow, indented.
std::string print(const Graph& graph, bool with_sources = true);

// A node as in TensorFlow's messages: "{{node add}} = AddV2[T=DT_FLOAT](x, y)", attributes sorted by name.
std::string node_text(const Graph& graph, const Node& node);

// The nodes that `outputs` and `control_outputs` need, in topological order, as order() has them.
std::vector<NodeId> live_nodes(const Graph& graph);

}  // namespace tracefn
