// Python's containers as seen by trace types: the kind, the parts, and rebuilding (tracing rules 34-36, Y5). All
// functions need the GIL and throw.
#pragma once

#include <Python.h>

#include <vector>

#include "bind/errors.h"
#include "spec/trace_type.h"

namespace tracefn::bind {

// kList, kTuple, kDict (any Mapping), kNamedTuple, kAttrs or kCustomNest; kLiteral if it is not a container. Plain
// dataclasses are excluded, for as arguments most of them are objects.
TypeKind container_kind(PyObject* value);
bool is_plain_dataclass(PyObject* value);

// A container that contains itself ends in RecursionError.
class RecursionGuard {
 public:
  explicit RecursionGuard(const char* where) {
    if (Py_EnterRecursiveCall(where)) throw_python_error();
  }
  ~RecursionGuard() { Py_LeaveRecursiveCall(); }
  RecursionGuard(const RecursionGuard&) = delete;
  RecursionGuard& operator=(const RecursionGuard&) = delete;
};

struct Container {
  TypeKind kind;
  std::vector<PyRef> values;  // in the container's own order
  std::vector<PyRef> keys;    // of a dict; the names of a record's fields
  PyRef metadata;             // of a custom nest
};
// Precondition: container_kind(value) is `kind`, or `kind` is kDataclass and is_plain_dataclass(value).
Container open_container(PyObject* value, TypeKind kind);
// The type of such a container whose values have these types.
TraceTypePtr container_type(PyObject* value, const Container& container, std::vector<TraceTypePtr> types);

// The values of `value` in the order of type.children(). `value` is a container of the kind of `type`; KeyError or
// AttributeError if a part is missing, TypeError for another kind.
std::vector<PyRef> values_like(PyObject* value, const TraceType& type);
// A container of the class that `type` remembers, with these values in the order of type.children().
PyRef rebuild_container(const TraceType& type, std::vector<PyRef> values);

}  // namespace tracefn::bind
