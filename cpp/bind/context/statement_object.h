// Statement: the base of AutoGraph's staged statements, which are open while the code between their first and last line
// runs.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// Adds Statement, unwind() and open_statements() to the module.
void init_statement_object(PyObject* module);

}  // namespace tracefn::bind
