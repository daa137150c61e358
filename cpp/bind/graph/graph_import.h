#pragma once

#include <Python.h>

namespace tracefn::bind {

// Adds import_graph_def and the functions that read GraphDefs to the module.
void init_graph_import(PyObject* module);

}  // namespace tracefn::bind
