// GraphDef: TensorFlow's serialized form of a graph, with a library of the functions that its nodes name. Any thread
// may write a finished graph.
#pragma once

#include <cstdint>
#include <string>

#include "ir/graph.h"
#include "wire/tensor_proto.h"

namespace tracefn {

// Implements Graph.as_graph_def(). Functions are collected from the attributes of all nodes, at any depth; two bodies
// with one name are an Error(kInvalidArgument). An object of the host language is written as its text.
Message graph_def(const Graph& graph);
// One node as in the graph's GraphDef.
Message node_def(const Graph& graph, NodeId id);
// The registry's record of an op, as OpDef; without docs.
Message op_def_message(const OpSignature& op);
// VersionDef: that of TensorFlow 2.21; with functions, min_consumer is the oldest reader that understands them.
struct VersionDef {
  std::int64_t producer, min_consumer;  // 0: any reader
  Message message() const;
};
VersionDef version_def(const Graph& graph);
// TensorShapeProto.
Message shape_proto(const Shape& shape);
// TensorSpecProto; an empty name is none.
Message tensor_spec_proto(const std::string& name, const Shape& shape, DType dtype);
// SerializedDType.
Message dtype_proto(DType dtype);
// One function, as an entry of a library: inputs and results named as TensorFlow names them.
Message function_def(const Graph& body, const std::string& name);

// AttrValue, for other formats made of it.
void write_attr(Message& to, const Attr& attr);

}  // namespace tracefn
