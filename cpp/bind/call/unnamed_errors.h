// TensorFlow appends the node's name to an eager error, "[Op:Sub] name: ", only if its native path accepted the inputs
// unconverted; a list, a str or an object leaves that path, and the text ends in "[Op:Sub]". All functions need the
// GIL.
#pragma once

#include <Python.h>

#include <utility>

#include "base/error.h"

namespace tracefn::bind {

// Eager tensors, Variables, arrays, and Python's numbers.
bool is_taken_natively(PyObject* value);

// The same error without the node's name.
Error without_node_name(const Error& error);

// Calls f(), whose errors name no node unless `natively()`, which is called only after an error.
template <typename Natively, typename F>
auto naming_node_if(Natively&& natively, F&& f) {
  try {
    return f();
  } catch (const Error& e) {
    if (e.reraise() || natively()) throw;
    throw without_node_name(e);
  }
}

}  // namespace tracefn::bind
