// op_record(): an OpDef as a dict.
#include "bind/call/op_record.h"

#include "bind/call/op_call.h"
#include "bind/errors.h"
#include "bind/function_table.h"
#include "bind/py_list.h"
#include "ops/op_summary.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn::bind {
namespace {

PyObject* arg_record(const ArgDef& arg) {
  PyRef record = owned(PyDict_New());
  set_item(record, "name", text(arg.name));
  if (arg.type != DType::kInvalid) set_item(record, "type", text(name(arg.type)));
  if (!arg.type_attr.empty()) set_item(record, "type_attr", text(arg.type_attr));
  if (!arg.number_attr.empty()) set_item(record, "number_attr", text(arg.number_attr));
  if (!arg.type_list_attr.empty()) set_item(record, "type_list_attr", text(arg.type_list_attr));
  return record.release();
}

PyObject* attr_record(const AttrDef& attr) {
  PyRef record = owned(PyDict_New());
  set_item(record, "name", text(attr.name));
  set_item(record, "type", text(kind_text(attr.kind)));
  if (attr.default_value.has_value()) set_item(record, "default", python_of(attr.default_value));
  PyRef allowed = list_of(attr.allowed_types, [](DType dtype) { return text(name(dtype)); });
  for (const std::string& string : attr.allowed_strings) append(allowed, text(string));
  if (PyList_GET_SIZE(allowed.get()) > 0) set_item(record, "allowed", allowed.release());
  if (attr.minimum) set_item(record, "minimum", PyLong_FromLongLong(*attr.minimum));
  return record.release();
}

const char* allocation_text(Allocation allocation) {
  switch (allocation) {
    case Allocation::kByShapeRule:
      return "by shape rule";
    case Allocation::kByValues:
      return "by values";
    case Allocation::kShared:
      return "shared";
    case Allocation::kObjects:
      break;
  }
  return "objects";
}

// "missing": asking for the gradient is an error; "none": no gradient flows.
const char* gradient_text(const OpDef& op) {
  if (op.grad == without_gradient) return "missing";
  return op.grad == not_differentiable ? "none" : "rule";
}

PyRef op_record(const std::string& op_name) {
  const OpDef& op = Registry::get().at(op_name);
  const OpSignature& s = op.signature;
  PyRef record = owned(PyDict_New());
  set_item(record, "inputs", list_of(s.inputs, arg_record).release());
  set_item(record, "outputs", list_of(s.outputs, arg_record).release());
  set_item(record, "attrs", list_of(s.attrs, attr_record).release());
  set_item(record, "is_stateful", PyBool_FromLong(s.stateful));
  set_item(record, "is_commutative", PyBool_FromLong(s.commutative));
  set_item(record, "gradient", text(gradient_text(op)));
  set_item(record, "elementwise", PyBool_FromLong(op.elementwise()));
  set_item(record, "allocation", text(allocation_text(op.allocation)));
  set_item(record, "doc", text(op.doc));
  set_item(record, "paths", list_of(op.python_paths, [](const std::string& path) { return text(path); }).release());
  PyRef parameters = list_of(op.parameters, [&](const PublicParameter& p) {
    const std::string& declared = p.input >= 0 ? s.inputs[static_cast<std::size_t>(p.input)].name
                                               : s.attrs[static_cast<std::size_t>(p.attr)].name;
    return Py_BuildValue("(ss)", p.name.c_str(), declared.c_str());
  });
  set_item(record, "parameters", parameters.release());
  return record;
}

}  // namespace

void init_op_record(PyObject* module) {
  static PyMethodDef functions[] = {function<op_record>("op_record", "name",
                                                        "What is recorded of an op, as plain data: inputs, outputs, "
                                                        "attributes, effects, allocation, gradient, public "
                                                        "paths."),
                                    {}};
  checked(PyModule_AddFunctions(module, functions));
}

}  // namespace tracefn::bind
