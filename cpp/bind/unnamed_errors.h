// TensorFlow names the node at the end of an eager error's text, "[Op:Sub] name: ", only where its native path took the
// inputs as they were given; a list, a str or an object makes it leave that path, and the text ends in "[Op:Sub]". All
// functions need the GIL.
#pragma once

#include <Python.h>

#include <utility>

#include "base/error.h"

namespace tracefn::bind {

// Eager tensors, Variables, arrays, and Python's numbers.
bool is_taken_natively(PyObject* value);

// The same error without the node's name.
Error without_node_name(const Error& error);

// f(), whose errors name no node unless `natively()`, which is asked after an error only.
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
