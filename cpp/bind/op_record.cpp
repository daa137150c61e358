// op_record(): an OpDef as a dict.
#include "bind/op_record.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "bind/errors.h"
#include "bind/op_call.h"
#include "ops/op_summary.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn::bind {
namespace {

namespace py = pybind11;

py::str dtype_text(DType dtype) { return py::str(std::string(name(dtype))); }

py::dict arg_record(const ArgDef& arg) {
  py::dict record;
  record["name"] = arg.name;
  if (arg.type != DType::kInvalid) record["type"] = dtype_text(arg.type);
  if (!arg.type_attr.empty()) record["type_attr"] = arg.type_attr;
  if (!arg.number_attr.empty()) record["number_attr"] = arg.number_attr;
  if (!arg.type_list_attr.empty()) record["type_list_attr"] = arg.type_list_attr;
  return record;
}

py::dict attr_record(const AttrDef& attr) {
  py::dict record;
  record["name"] = attr.name;
  record["type"] = kind_text(attr.kind);
  if (attr.default_value.has_value())
    record["default"] = py::reinterpret_steal<py::object>(python_of(attr.default_value));
  py::list allowed;
  for (DType dtype : attr.allowed_types) allowed.append(dtype_text(dtype));
  for (const std::string& text : attr.allowed_strings) allowed.append(text);
  if (!allowed.empty()) record["allowed"] = allowed;
  if (attr.minimum) record["minimum"] = *attr.minimum;
  return record;
}

py::dict op_record(const std::string& op_name) {
  const OpDef& op = Registry::get().at(op_name);
  py::dict record;
  py::list inputs, outputs, attrs;
  for (const ArgDef& arg : op.signature.inputs) inputs.append(arg_record(arg));
  for (const ArgDef& arg : op.signature.outputs) outputs.append(arg_record(arg));
  for (const AttrDef& attr : op.signature.attrs) attrs.append(attr_record(attr));
  record["inputs"] = inputs;
  record["outputs"] = outputs;
  record["attrs"] = attrs;
  record["is_stateful"] = op.signature.stateful;
  record["is_commutative"] = op.signature.commutative;
  record["gradient"] = op.grad == not_differentiable || op.grad == without_gradient ? "none" : "rule";
  record["elementwise"] = op.elementwise();
  record["doc"] = op.doc;
  record["paths"] = py::cast(op.python_paths);
  py::list parameters;
  for (const PublicParameter& p : op.parameters) {
    const std::string& declared = p.input >= 0 ? op.signature.inputs[static_cast<std::size_t>(p.input)].name
                                               : op.signature.attrs[static_cast<std::size_t>(p.attr)].name;
    parameters.append(py::make_tuple(p.name, declared));
  }
  record["parameters"] = parameters;
  return record;
}

}  // namespace

void init_op_record(PyObject* raw_module) {
  py::module_ module = py::reinterpret_borrow<py::module_>(raw_module);
  module.def("op_record", &op_record, py::arg("name"),
             "What is recorded of an op, as plain data: inputs, outputs, attributes, effects, gradient, public paths.");
}

}  // namespace tracefn::bind
