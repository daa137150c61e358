// Graphs, nodes, ops and shapes as TensorFlow's messages: each in the wire format and as text.
#include "bind/graph/graph_export.h"

#include "bind/function_table.h"
#include "bind/graph/graph_object.h"
#include "bind/tensor/dtype_object.h"
#include "bind/tensor/shape_object.h"
#include "io/graph_def.h"
#include "ops/registry.h"

namespace tracefn::bind {
namespace {

// (bytes, str)
PyRef both_forms(const Message& message) {
  std::string binary = message.binary();
  PyRef bytes = owned(PyBytes_FromStringAndSize(binary.data(), static_cast<Py_ssize_t>(binary.size())));
  PyRef shown = owned(text(message.text()));
  return owned(PyTuple_Pack(2, bytes.get(), shown.get()));
}

const Graph& graph_in(PyObject* object) { return *func_graph_of(object)->graph(); }

PyRef python_graph_def(PyObject* graph) { return both_forms(graph_def(graph_in(graph))); }

PyObject* graph_versions(PyObject* graph) {
  VersionDef versions = version_def(graph_in(graph));
  return Py_BuildValue("(LL)", static_cast<long long>(versions.producer),
                       static_cast<long long>(versions.min_consumer));
}

PyRef python_version_def(std::int64_t producer, std::int64_t min_consumer) {
  return both_forms(VersionDef{producer, min_consumer}.message());
}

PyRef python_function_def(PyObject* graph, const std::string& name) {
  return both_forms(function_def(graph_in(graph), name));
}

PyRef python_node_def(PyObject* graph, NodeId id) {
  const Graph& g = graph_in(graph);
  if (id < 0 || id >= g.size()) fail(ErrorKind::kIndex, "no such operation");
  return both_forms(node_def(g, id));
}

PyRef python_op_def(const std::string& name) { return both_forms(op_def_message(Registry::get().at(name).signature)); }

PyRef python_shape_proto(PyObject* shape) { return both_forms(shape_proto(parse_shape(shape))); }

PyRef python_tensor_spec_proto(const std::string& name, PyObject* shape, PyObject* dtype) {
  return both_forms(tensor_spec_proto(name, parse_shape(shape), parse_dtype(dtype)));
}

PyRef python_dtype_proto(PyObject* dtype) { return both_forms(dtype_proto(parse_dtype(dtype))); }

}  // namespace

void init_graph_export(PyObject* module) {
  static PyMethodDef functions[] = {
      function<python_graph_def>("graph_def", "graph", "A Graph's GraphDef: serialised, and its text."),
      function<graph_versions>("graph_versions", "graph",
                               "The version of a Graph's GraphDef, and that of the oldest reader, 0 for any."),
      function<python_version_def>("version_def", "producer, min_consumer", "A VersionDef: serialised, and its text."),
      function<python_function_def>("function_def", "graph, name",
                                    "The FunctionDef of a trace: serialised, and its text."),
      function<python_node_def>("node_def", "graph, id",
                                "The NodeDef of a graph's operation: serialised, and its text."),
      function<python_op_def>("op_def", "name", "An op's OpDef: serialised, and its text."),
      function<python_shape_proto>("shape_proto", "shape", "A TensorShapeProto: serialised, and its text."),
      function<python_tensor_spec_proto>("tensor_spec_proto", "name, shape, dtype",
                                         "A TensorSpecProto: serialised, and its text."),
      function<python_dtype_proto>("dtype_proto", "dtype", "A SerializedDType: serialised, and its text."),
      {}};
  checked(PyModule_AddFunctions(module, functions));
}

}  // namespace tracefn::bind
