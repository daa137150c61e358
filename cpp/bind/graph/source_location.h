// Source locations of nodes: code objects and instruction offsets, resolved to files and lines on demand.
#pragma once

#include <Python.h>

#include "ir/graph.h"

namespace tracefn::bind {

// The frames of this thread, from the innermost out to the call that traces. Needs the GIL.
Ref<SourceLocation> capture_source();
// The same, and if none of them is the user's, the frames outside of that call, to the one that traces it.
Ref<SourceLocation> capture_call();

// Whether code is from a file of this package, not the user's.
bool is_own_code(PyCodeObject* code);

// Adds `set_trace_root(code)`: frames outside of that code's frame are not recorded.
void init_source_location(PyObject* module);

}  // namespace tracefn::bind
