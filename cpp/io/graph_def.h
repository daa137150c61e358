// GraphDef: TensorFlow's serialised form of a graph, with a library of the functions that its nodes name. Any thread
// may write a finished graph.
#pragma once

#include <string>

#include "io/wire.h"
#include "ir/graph.h"

namespace tracefn {

// What Graph.as_graph_def() gives. Functions are collected from the attributes of all nodes, at any depth; two bodies
// of one name are an Error(kInvalidArgument). An object of the host language is written as its text.
Message graph_def(const Graph& graph);
// One node as it stands in the graph's GraphDef.
Message node_def(const Graph& graph, NodeId id);
// What the registry says of an op, as OpDef; without docs.
Message op_def_message(const OpSignature& op);
// TensorShapeProto.
Message shape_proto(const Shape& shape);
// One function, as an entry of a library: inputs and results named as TensorFlow names them.
Message function_def(const Graph& body, const std::string& name);

// AttrValue and TensorProto, for other formats made of them.
void write_attr(Message& to, const Attr& attr);
void write_tensor(Message& to, const Tensor& tensor);

}  // namespace tracefn
