// GraphDefs for Python: what they say, and their import into graphs.
#include "bind/graph/graph_import.h"

#include "bind/call/op_call.h"
#include "bind/convert/convert.h"
#include "bind/function_table.h"
#include "bind/gil.h"
#include "bind/graph/graph_object.h"
#include "bind/py_list.h"
#include "bind/tensor/dtype_object.h"
#include "bind/tensor/tensor_object.h"
#include "io/graph_def.h"
#include "runtime/graph_import.h"

namespace tracefn::bind {
namespace {

PyObject* bytes_object(std::string_view bytes) {
  return PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size()));
}
// UnicodeDecodeError for a file's string that is no UTF-8.
PyObject* decoded(std::string_view string) {
  return checked(PyUnicode_DecodeUTF8(string.data(), static_cast<Py_ssize_t>(string.size()), nullptr));
}

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
PyObject* attr_row(const AttrRecord& record) {
  using Form = AttrRecord::Form;
  PyRef name = owned(decoded(record.name));
  if (!record.problem.empty()) return Py_BuildValue("(OsN)", name.get(), "", text(record.problem));
  if (record.form == Form::kMissing) return Py_BuildValue("(OOO)", name.get(), Py_None, Py_None);
  if (record.form == Form::kEmptyList) return Py_BuildValue("(Oss[])", name.get(), "list", "");
  if (record.form == Form::kPlaceholder)
    return Py_BuildValue("(OsN)", name.get(), "placeholder", decoded(record.value.s()));
  const char* field = field_of(record.value.kind());
  PyObject* value = checked(python_of(record.value));
  if (record.value.kind() >= Attr::Kind::kInts) return Py_BuildValue("(OssN)", name.get(), "list", field, value);
  return Py_BuildValue("(OsN)", name.get(), field, value);
}

PyObject* python_read_node_def(BytesView bytes) {
  NodeRecord node = read_node_def(bytes.content);
  PyRef name = owned(decoded(node.name)), op = owned(decoded(node.op)), device = owned(decoded(node.device));
  PyRef inputs = list_of(node.inputs, decoded), attrs = list_of(node.attrs, attr_row);
  return PyTuple_Pack(5, name.get(), op.get(), device.get(), inputs.get(), attrs.get());
}

PyRef bytes_of_nodes(const std::vector<NodeRecord>& nodes) {
  return list_of(nodes, [](const NodeRecord& node) { return bytes_object(node.bytes); });
}

PyObject* python_read_graph_def(BytesView bytes) {
  GraphRecord graph = read(bytes.content);
  PyRef nodes = bytes_of_nodes(graph.nodes);
  PyRef functions = list_of(graph.functions, [](const FunctionRecord& f) { return bytes_object(f.bytes); });
  return Py_BuildValue("(OOLL)", nodes.get(), functions.get(), static_cast<long long>(graph.producer),
                       static_cast<long long>(graph.min_consumer));
}

PyObject* python_read_function_def(BytesView bytes) {
  FunctionRecord function = read_function_def(bytes.content);
  PyRef name = owned(decoded(function.name)), nodes = bytes_of_nodes(function.nodes);
  return PyTuple_Pack(2, name.get(), nodes.get());
}

PyObject* python_read_tensor(BytesView bytes) {
  std::size_t repeated_left = kMostRepeatedBytes;
  return wrap(Operand(read_tensor(WireReader(bytes.content), repeated_left)));
}

// (node, output)
Endpoint endpoint_of(PyObject* pair) {
  const char* node;
  long long output;
  if (!PyArg_ParseTuple(pair, "sL:import_graph_def", &node, &output)) throw_python_error();
  return {node, output};
}

PyRef import_graph_def(PyObject* graph, BytesView bytes, const std::string& prefix, PyObject* input_map,
                       PyObject* wanted) {
  std::shared_ptr<FuncGraph> target = func_graph_of(graph);
  ImportRequest request{prefix, {}, {}};
  for_each(input_map, [&](PyObject* row) {
    PyObject *pair, *tensor;
    if (!PyArg_ParseTuple(row, "O!O:import_graph_def", &PyTuple_Type, &pair, &tensor)) throw_python_error();
    request.input_map.emplace_back(endpoint_of(pair), to_operand(tensor));
  });
  for_each(wanted, [&](PyObject* pair) { request.wanted.push_back(endpoint_of(pair)); });
  Imported imported = import_graph(*target, read(bytes.content), request);
  return list_of(imported.wanted, [&](const std::variant<Operand, NodeId>& result) {
    return result.index() == 0 ? wrap(std::get<Operand>(result))
                               : wrap_operation(target->shared_graph(), std::get<NodeId>(result));
  });
}

}  // namespace

void init_graph_import(PyObject* module) {
  static PyMethodDef functions[] = {
      function<import_graph_def>(
          "import_graph_def", "graph, graph_def, prefix, input_map, wanted",
          "Adds the nodes of a serialised GraphDef to a Graph. `input_map`: ((node, output), tensor) each; `wanted`: "
          "(node, output) each. An output of -1 is the node itself."),
      function<python_read_graph_def>("read_graph_def", "graph_def",
                                      "The serialised nodes and functions of a GraphDef, and its version and oldest "
                                      "reader."),
      function<python_read_node_def>("read_node_def", "node_def",
                                     "(name, op, device, inputs, attributes) of a serialised NodeDef."),
      function<python_read_function_def>("read_function_def", "function_def",
                                         "(name, serialised nodes) of a serialised FunctionDef."),
      function<python_read_tensor>("read_tensor", "tensor_proto",
                                   "The eager tensor that a serialised TensorProto holds."),
      {}};
  checked(PyModule_AddFunctions(module, functions));
}

}  // namespace tracefn::bind
