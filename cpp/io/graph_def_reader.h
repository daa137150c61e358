// Reading of GraphDef: what its bytes say, node by node, before any of it is checked against ops. Bytes are not
// trusted: what is read takes memory in proportion to them, tensors that are given by one repeated value up to a limit
// over all of them. Any thread may read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/wire_reader.h"
#include "ir/attr.h"

namespace tracefn {

// An attribute of a node. A value of no use (of a type that is not supported, say) matters only where an op has the
// attribute: `problem` says what is wrong with it.
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
    std::string problem;  // why the type is none
  };
  std::string name;
  std::vector<Arg> inputs, outputs;
  bool has_attrs = false;  // is a template, to be filled in by those who name it
  std::vector<NodeRecord> nodes;
  std::vector<std::pair<std::string, std::string>> results;          // of each output, a value of the body
  std::vector<std::pair<std::string, std::string>> control_results;  // names, and nodes that run
  std::string_view bytes;                                            // of the file
};

struct GraphRecord {
  std::vector<NodeRecord> nodes;
  std::vector<FunctionRecord> functions;
  std::int64_t producer = 0, min_consumer = 0;
  std::vector<std::int64_t> bad_consumers;
};

// Error(kValue) with the place in the file when they are no GraphDef.
GraphRecord read_graph_def(std::string_view bytes);
// The same for a NodeDef and a FunctionDef alone.
NodeRecord read_node_def(std::string_view bytes);
FunctionRecord read_function_def(std::string_view bytes);

// Tensors given by repeated values may be larger than the file by this much, all together.
inline constexpr std::size_t kMostRepeatedBytes = std::size_t{256} << 20;

// AttrValue, but for its name. `repeated_left` counts down from kMostRepeatedBytes.
AttrRecord read_attr(WireReader proto, std::size_t& repeated_left);
// TensorProto. Error(kInvalidArgument) when its fields do not make a tensor.
Tensor read_tensor(WireReader proto, std::size_t& repeated_left);
// TensorShapeProto. Error(kInvalidArgument) when it is no shape.
Shape read_shape(WireReader proto);
// A number of the enum DataType. Error(kInvalidArgument) when it is no dtype that is supported.
DType read_dtype(std::uint64_t number);

}  // namespace tracefn
