// graph_def() and graph_def_text(): a Graph as a serialised GraphDef, and as that message's text.
#include "bind/graph_export.h"

#include <pybind11/pybind11.h>

#include "bind/errors.h"
#include "bind/graph_object.h"
#include "io/graph_def.h"

namespace tracefn::bind {

namespace py = pybind11;

void init_graph_export(PyObject* raw_module) {
  py::module_ module = py::reinterpret_borrow<py::module_>(raw_module);
  module.def(
      "graph_def", [](py::handle graph) { return py::bytes(graph_def(*func_graph_of(graph.ptr())->graph()).binary()); },
      py::arg("graph"), "A Graph as a serialised GraphDef.");
  module.def(
      "graph_def_text", [](py::handle graph) { return graph_def(*func_graph_of(graph.ptr())->graph()).text(); },
      py::arg("graph"), "The text of a Graph's GraphDef.");
}

}  // namespace tracefn::bind
