// GraphDefs for Python: what they say, and their import into graphs.
#include "bind/graph_import.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "bind/convert.h"
#include "bind/dtype_object.h"
#include "bind/errors.h"
#include "bind/gil.h"
#include "bind/graph_object.h"
#include "bind/op_call.h"
#include "bind/tensor_object.h"
#include "function/graph_import.h"
#include "io/graph_def.h"

namespace py = pybind11;

namespace tracefn::bind {
namespace {

py::object steal(PyObject* object) { return py::reinterpret_steal<py::object>(checked(object)); }

std::string_view view(const py::bytes& bytes) {
  return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}
py::bytes copy(std::string_view bytes) { return py::bytes(bytes.data(), bytes.size()); }

GraphRecord read(std::string_view bytes) {
  GilRelease release(bytes.size() >= 1 << 16);
  return read_graph_def(bytes);
}

// The field of AttrValue, or of its list, that holds such a value.
const char* field_of(Attr::Kind kind) {
  switch (kind) {
    case Attr::Kind::kInt:
    case Attr::Kind::kInts:
      return "i";
    case Attr::Kind::kFloat:
    case Attr::Kind::kFloats:
      return "f";
    case Attr::Kind::kBool:
    case Attr::Kind::kBools:
      return "b";
    case Attr::Kind::kType:
    case Attr::Kind::kTypes:
      return "type";
    case Attr::Kind::kShape:
    case Attr::Kind::kShapes:
      return "shape";
    case Attr::Kind::kTensor:
      return "tensor";
    case Attr::Kind::kFunc:
    case Attr::Kind::kFuncs:
      return "func";
    default:
      return "s";
  }
}

// (name, field, value): a list has the field of its elements behind "list", "" when it has none. What cannot be read
// has "" as its field, and the reason.
py::tuple attr_row(const AttrRecord& record) {
  using Form = AttrRecord::Form;
  if (!record.problem.empty()) return py::make_tuple(record.name, "", record.problem);
  if (record.form == Form::kMissing) return py::make_tuple(record.name, py::none(), py::none());
  if (record.form == Form::kEmptyList) return py::make_tuple(record.name, "list", "", py::list());
  if (record.form == Form::kPlaceholder) return py::make_tuple(record.name, "placeholder", record.value.s());
  const char* field = field_of(record.value.kind());
  py::object value = steal(python_of(record.value));
  if (record.value.kind() >= Attr::Kind::kInts) return py::make_tuple(record.name, "list", field, value);
  return py::make_tuple(record.name, field, value);
}

py::tuple node_row(const NodeRecord& node) {
  py::list attrs;
  for (const AttrRecord& attr : node.attrs) attrs.append(attr_row(attr));
  return py::make_tuple(node.name, node.op, node.device, node.inputs, attrs);
}

template <typename Rows, typename Row>
py::list list_of(const Rows& rows, Row row) {
  py::list list;
  for (const auto& r : rows) list.append(row(r));
  return list;
}

Endpoint endpoint_of(const py::handle& item) {
  auto pair = item.cast<std::pair<std::string, std::int64_t>>();
  return {std::move(pair.first), pair.second};
}

py::list import_bytes(py::handle graph, const py::bytes& bytes, const std::string& prefix, const py::list& input_map,
                      const py::list& wanted) {
  std::shared_ptr<FuncGraph> target = func_graph_of(graph.ptr());
  ImportRequest request{prefix, {}, {}};
  for (py::handle item : input_map) {
    auto row = item.cast<py::tuple>();
    request.input_map.emplace_back(endpoint_of(row[0]), to_operand(py::object(row[1]).ptr()));
  }
  for (py::handle item : wanted) request.wanted.push_back(endpoint_of(item));
  Imported imported = import_graph(*target, read(view(bytes)), request);
  py::list results;
  for (const auto& result : imported.wanted)
    results.append(result.index() == 0 ? steal(wrap(std::get<Operand>(result)))
                                       : steal(wrap_operation(target->shared_graph(), std::get<NodeId>(result))));
  return results;
}

}  // namespace

void init_graph_import(PyObject* raw_module) {
  py::module_ module = py::reinterpret_borrow<py::module_>(raw_module);
  module.def(
      "import_graph_def", &import_bytes, py::arg("graph"), py::arg("graph_def"), py::arg("prefix"),
      py::arg("input_map"), py::arg("wanted"),
      "Adds the nodes of a serialised GraphDef to a Graph. `input_map`: ((node, output), tensor) each; `wanted`: "
      "(node, output) each. An output of -1 is the node itself.");
  module.def(
      "read_graph_def",
      [](const py::bytes& bytes) {
        GraphRecord graph = read(view(bytes));
        return py::make_tuple(list_of(graph.nodes, [](const NodeRecord& n) { return copy(n.bytes); }),
                              list_of(graph.functions, [](const FunctionRecord& f) { return copy(f.bytes); }),
                              graph.producer, graph.min_consumer);
      },
      py::arg("graph_def"), "The serialised nodes and functions of a GraphDef, and its version and oldest reader.");
  module.def(
      "read_node_def", [](const py::bytes& bytes) { return node_row(read_node_def(view(bytes))); }, py::arg("node_def"),
      "(name, op, device, inputs, attributes) of a serialised NodeDef.");
  module.def(
      "read_function_def",
      [](const py::bytes& bytes) {
        FunctionRecord f = read_function_def(view(bytes));
        return py::make_tuple(f.name, list_of(f.nodes, [](const NodeRecord& n) { return copy(n.bytes); }));
      },
      py::arg("function_def"), "(name, serialised nodes) of a serialised FunctionDef.");
  module.def(
      "read_tensor",
      [](const py::bytes& bytes) {
        std::size_t repeated_left = kMostRepeatedBytes;
        return steal(wrap(Operand(read_tensor(WireReader(view(bytes)), repeated_left))));
      },
      py::arg("tensor_proto"), "The eager tensor that a serialised TensorProto holds.");
}

}  // namespace tracefn::bind
