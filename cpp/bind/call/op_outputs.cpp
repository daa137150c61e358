// The outputs of an op as Python objects.
#include <unordered_map>

#include "bind/call/op_call.h"
#include "bind/errors.h"
#include "bind/graph/graph_object.h"
#include "bind/tensor/tensor_object.h"
#include "ops/graph_target.h"

namespace tracefn::bind {
namespace {

// The named tuple class for an op with several outputs, created once per op.
PyObject* output_class(const OpDef& op) {
  static auto* classes = new std::unordered_map<const OpDef*, PyObject*>();
  PyObject*& found = (*classes)[&op];
  if (found) return found;
  PyObject* collections = PyImport_ImportModule("collections");
  PyObject* fields = PyList_New(0);
  for (const ArgDef& arg : op.signature.outputs) {
    PyObject* field = PyUnicode_FromString(arg.name.c_str());
    PyList_Append(fields, field);
    Py_DECREF(field);
  }
  found = collections ? PyObject_CallMethod(collections, "namedtuple", "sO", op.name().c_str(), fields) : nullptr;
  Py_XDECREF(collections);
  Py_DECREF(fields);
  if (!found) throw_python_error();
  return found;
}

}  // namespace

PyObject* wrap_outputs(const OpDef& op, const AttrList& attrs, Operands outputs) {
  const OpSignature& s = op.signature;
  if (s.outputs.empty()) {
    auto* target = dynamic_cast<GraphTarget*>(&current_target());
    if (!target) return Py_NewRef(Py_None);
    return wrap_operation(target->shared_graph(), target->last_emitted());
  }
  if (s.outputs.size() == 1 && !s.outputs[0].is_list()) return wrap(std::move(outputs[0]));
  std::size_t next = 0;
  auto wrap_arg = [&](const ArgDef& arg) -> PyObject* {
    if (!arg.is_list()) return wrap(std::move(outputs[next++]));
    const std::string& by = arg.number_attr.empty() ? arg.type_list_attr : arg.number_attr;
    const Attr& attr = attrs[static_cast<std::size_t>(s.attr_index(by))];
    std::size_t n = arg.number_attr.empty() ? attr.types().size() : static_cast<std::size_t>(attr.i());
    PyObject* list = PyList_New(static_cast<Py_ssize_t>(n));
    for (std::size_t i = 0; i < n; ++i)
      PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), wrap(std::move(outputs[next++])));
    return list;
  };
  if (s.outputs.size() == 1) return wrap_arg(s.outputs[0]);
  PyObject* cls = output_class(op);
  PyObject* args = PyTuple_New(static_cast<Py_ssize_t>(s.outputs.size()));
  for (std::size_t i = 0; i < s.outputs.size(); ++i)
    PyTuple_SET_ITEM(args, static_cast<Py_ssize_t>(i), wrap_arg(s.outputs[i]));
  PyObject* result = PyObject_CallObject(cls, args);
  Py_DECREF(args);
  if (!result) throw_python_error();
  return result;
}

}  // namespace tracefn::bind
