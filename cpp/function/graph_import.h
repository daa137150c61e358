// Import of a GraphDef into a graph that is being built: what tf.import_graph_def does. Used by the thread that builds
// the graph.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "function/func_graph.h"
#include "io/graph_def_reader.h"

namespace tracefn {

// An output of a node by the node's name in the file; kControl: that the node has run.
struct Endpoint {
  static constexpr std::int64_t kControl = -1;
  std::string node;
  std::int64_t output = 0;
  bool operator==(const Endpoint&) const = default;
};

struct ImportRequest {
  std::string prefix;  // of all names, without a slash at its end; may be empty
  // What stands for values of the file wherever a node of the file uses them.
  std::vector<std::pair<Endpoint, Operand>> input_map;
  // What is wanted of the nodes imported: outputs, and by kControl nodes.
  std::vector<Endpoint> wanted;
};

struct Imported {
  // In the order of `wanted`: a value of the graph or what was mapped to it, or a node.
  std::vector<std::variant<Operand, NodeId>> wanted;
};

// Adds the nodes of `file`; the shape rule of each runs, and the whole graph is verified. Errors are kValue with
// TensorFlow's words, kNotFound for ops and functions that there are not. After an error, nodes that were added stay:
// nothing uses them.
Imported import_graph(FuncGraph& graph, const GraphRecord& file, const ImportRequest& request);

}  // namespace tracefn
