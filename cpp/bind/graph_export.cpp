// Graphs, nodes, ops and shapes as TensorFlow's messages: each in the wire format and as text.
#include "bind/graph_export.h"

#include <pybind11/pybind11.h>

#include "bind/dtype_object.h"
#include "bind/errors.h"
#include "bind/graph_object.h"
#include "bind/shape_object.h"
#include "io/graph_def.h"
#include "ops/registry.h"

namespace tracefn::bind {

namespace py = pybind11;

namespace {

// (bytes, str)
py::tuple both_forms(const Message& message) { return py::make_tuple(py::bytes(message.binary()), message.text()); }

}  // namespace

void init_graph_export(PyObject* raw_module) {
  py::module_ module = py::reinterpret_borrow<py::module_>(raw_module);
  module.def(
      "graph_def", [](py::handle graph) { return both_forms(graph_def(*func_graph_of(graph.ptr())->graph())); },
      py::arg("graph"), "A Graph's GraphDef: serialised, and its text.");
  module.def(
      "graph_versions",
      [](py::handle graph) {
        VersionDef versions = version_def(*func_graph_of(graph.ptr())->graph());
        return py::make_tuple(versions.producer, versions.min_consumer);
      },
      py::arg("graph"), "The version of a Graph's GraphDef, and that of the oldest reader, 0 for any.");
  module.def(
      "version_def",
      [](std::int64_t producer, std::int64_t min_consumer) {
        return both_forms(VersionDef{producer, min_consumer}.message());
      },
      py::arg("producer"), py::arg("min_consumer"), "A VersionDef: serialised, and its text.");
  module.def(
      "function_def",
      [](py::handle graph, const std::string& name) {
        return both_forms(function_def(*func_graph_of(graph.ptr())->graph(), name));
      },
      py::arg("graph"), py::arg("name"), "The FunctionDef of a trace: serialised, and its text.");
  module.def(
      "node_def",
      [](py::handle graph, NodeId id) {
        const Graph& g = *func_graph_of(graph.ptr())->graph();
        if (id < 0 || id >= g.size()) fail(ErrorKind::kIndex, "no such operation");
        return both_forms(node_def(g, id));
      },
      py::arg("graph"), py::arg("id"), "The NodeDef of a graph's operation: serialised, and its text.");
  module.def(
      "op_def", [](const std::string& name) { return both_forms(op_def_message(Registry::get().at(name).signature)); },
      py::arg("name"), "An op's OpDef: serialised, and its text.");
  module.def(
      "shape_proto", [](py::handle shape) { return both_forms(shape_proto(parse_shape(shape.ptr()))); },
      py::arg("shape"), "A TensorShapeProto: serialised, and its text.");
  module.def(
      "tensor_spec_proto",
      [](const std::string& name, py::handle shape, py::handle dtype) {
        return both_forms(tensor_spec_proto(name, parse_shape(shape.ptr()), parse_dtype(dtype.ptr())));
      },
      py::arg("name"), py::arg("shape"), py::arg("dtype"), "A TensorSpecProto: serialised, and its text.");
  module.def(
      "dtype_proto", [](py::handle dtype) { return both_forms(dtype_proto(parse_dtype(dtype.ptr()))); },
      py::arg("dtype"), "A SerializedDType: serialised, and its text.");
}

}  // namespace tracefn::bind
