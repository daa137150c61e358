// Imports a GraphDef into a graph under construction: tf.import_graph_def, and programs that run a file's graph. Used
// by the thread that builds the graph.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "io/graph_def_reader.h"
#include "ops/graph_target.h"

namespace tracefn {

// An output of a node by the node's name in the file; kControl: a control edge.
struct Endpoint {
  static constexpr std::int64_t kControl = -1;
  std::string node;
  std::int64_t output = 0;
  bool operator==(const Endpoint&) const = default;
};

// What "node", "node:1" or "^node" means. Any other text is the name of a node that does not exist.
Endpoint endpoint(const std::string& text);

struct ImportRequest {
  std::string prefix;  // of all names, without a trailing slash; may be empty
  // Replacements for values of the file wherever a node of the file uses them.
  std::vector<std::pair<Endpoint, Operand>> input_map;
  // What to return of the imported nodes: outputs, and by kControl nodes.
  std::vector<Endpoint> wanted;
};

struct Imported {
  // In the order of `wanted`: a value of the graph or its replacement, or a node.
  std::vector<std::variant<Operand, NodeId>> wanted;
};

// Adds the nodes of `file`; the shape rule of each runs, and the whole graph is verified. Errors are kValue with
// TensorFlow's words, kNotFound for unknown ops and functions. After an error, nodes already added stay: nothing uses
// them.
Imported import_graph(GraphTarget& target, const GraphRecord& file, const ImportRequest& request);

}  // namespace tracefn
