// Reads names of nodes.
#include "bind/graph/node_name.h"

#include "bind/errors.h"
#include "bind/py_ref.h"
#include "trace/func_graph.h"

namespace tracefn::bind {

std::string node_name_of(PyObject* given) {
  if (!given || given == Py_None) return {};
  if (PyUnicode_Check(given)) return std::string(utf8(given));
  if (current_target().is_eager()) {
    const PyRef text = owned(PyObject_Str(given));
    return std::string(utf8(text.get()));
  }
  if (!PyBytes_Check(given))
    fail(ErrorKind::kType, "expected string or bytes-like object, got '", Py_TYPE(given)->tp_name, "'");
  const PyRef text = owned(PyUnicode_FromEncodedObject(given, "utf-8", nullptr));
  return std::string(utf8(text.get()));
}

}  // namespace tracefn::bind
