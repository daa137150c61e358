// Graph: nodes in a vector by index, edges as (node, output) pairs; nothing is owned by recursion. A graph is built by
// one thread; once finished (handed out as shared_ptr<const Graph>) it may be read by any.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
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

// Where a node was made, in the host language. Kept opaque: cpp/bind stores a code object and an instruction offset and
// computes file and line only when asked. May be dropped on any thread.
class SourceLocation : public RefCounted {
 public:
  struct Frame {
    std::string file;
    int line = 0;
    std::string function;
    std::string text;  // the source line, stripped; empty when it cannot be read
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

struct Node {
  const OpSignature* op = nullptr;
  std::string name;
  SmallVector<Value, 3> inputs;
  SmallVector<NodeId, 2> control_inputs;
  AttrList attrs;
  SmallVector<OutputInfo, 1> outputs;
  Ref<SourceLocation> source;
  std::string device;

  const Attr& attr(std::string_view attr_name) const;
};

class Graph {
 public:
  explicit Graph(std::string name = "") : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

  NodeId add(Node node);
  const Node& node(NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  Node& node(NodeId id) { return nodes_[static_cast<std::size_t>(id)]; }
  NodeId size() const { return static_cast<NodeId>(nodes_.size()); }
  const OutputInfo& info(Value v) const { return node(v.node).outputs[static_cast<std::size_t>(v.output)]; }
  OutputInfo& info(Value v) { return node(v.node).outputs[static_cast<std::size_t>(v.output)]; }
  // "add:0"
  std::string value_name(Value v) const { return node(v.node).name + ":" + std::to_string(v.output); }
  // -1 when no node has that name.
  NodeId find(std::string_view name) const;

  // `base`, or base_1, base_2 ... if a node or scope has it; comparison ignores case, as TensorFlow's does. Marks the
  // result as used, and with `is_scope` all of its leading scopes.
  std::string unique_name(const std::string& base);

  // What a call passes in and gets back. Inputs are Placeholder nodes.
  std::vector<Value> inputs;
  std::vector<Value> outputs;
  // Nodes that must run although no output needs them: every stateful node reached in program order.
  std::vector<NodeId> control_outputs;

 private:
  std::string name_;
  std::deque<Node> nodes_;
  mutable std::unordered_map<std::string, NodeId> by_name_;
  mutable NodeId indexed_ = 0;
  std::unordered_map<std::string, int> used_names_;
};

// One line per node: "%3 add = AddV2[T=DT_FLOAT](x:0, Const:0) : float32[2,3]   # file.py:7"; bodies of functions
// follow, indented.
std::string print(const Graph& graph, bool with_sources = true);

// A node as TensorFlow's messages have it: "{{node add}} = AddV2[T=DT_FLOAT](x, y)", attributes in order of their names.
std::string node_text(const Graph& graph, const Node& node);

// The nodes that `outputs` and `control_outputs` need, in an order in which each comes after what it needs (the order
// of creation).
std::vector<NodeId> live_nodes(const Graph& graph);

}  // namespace tracefn
