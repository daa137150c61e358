// Graphs in TensorFlow's formats, for Python.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// Adds `graph_def(graph)` and `graph_def_text(graph)` to the module. Need the GIL.
void init_graph_export(PyObject* module);

}  // namespace tracefn::bind
