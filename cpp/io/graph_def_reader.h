// Parses GraphDef bytes node by node, before anything is checked against ops. Bytes are not trusted: results take
// memory in proportion to them, and tensors given by one repeated value up to a total limit. Any thread may read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/attr.h"
#include "wire/tensor_proto.h"

namespace tracefn {

// An attribute of a node. An unusable value (of an unsupported type, say) matters only if an op has the attribute:
// `problem` says what is wrong with it.
struct AttrRecord {
  enum class Form : std::uint8_t { kMissing, kValue, kEmptyList, kPlaceholder };
  std::string name;
  Form form = Form::kMissing;
  Attr value;  // functions without their bodies
  std::string problem;
  std::size_t place = 0;  // in the file
};

struct NodeRecord {
  std::string name, op, device;
  std::vector<std::string> inputs;
  std::vector<AttrRecord> attrs;  // of two with one name, the last counts
  std::string_view bytes;         // of the file
};

struct FunctionRecord {
  struct Arg {
    std::string name;
    DType type = DType::kInvalid;
    std::string problem;  // why the type is missing
  };
  std::string name;
  std::vector<Arg> inputs, outputs;
  bool has_attrs = false;  // it is a template, to be filled in by its users
  std::vector<NodeRecord> nodes;
  std::vector<std::pair<std::string, std::string>> results;          // for each output, a value of the body
  std::vector<std::pair<std::string, std::string>> control_results;  // names, and nodes that run
  std::string_view bytes;                                            // of the file
};

struct GraphRecord {
  std::vector<NodeRecord> nodes;
  std::vector<FunctionRecord> functions;
  std::int64_t producer = 0, min_consumer = 0;
  std::vector<std::int64_t> bad_consumers;
};

// Error(kValue) with the position in the file if they are not a GraphDef.
GraphRecord read_graph_def(std::string_view bytes);
// The same for a NodeDef and a FunctionDef alone.
NodeRecord read_node_def(std::string_view bytes);
FunctionRecord read_function_def(std::string_view bytes);

// AttrValue without its name. `repeated_left` counts down from kMostRepeatedBytes.
AttrRecord read_attr(WireReader proto, std::size_t& repeated_left);

}  // namespace tracefn
