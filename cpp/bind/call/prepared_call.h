// PreparedCall: an op with its arguments, which were converted and checked once, for what runs it again and again, such
// as an iterator. All functions need the GIL.
#pragma once

#include <Python.h>

#include "ops/emit.h"

namespace tracefn::bind {

// A new reference to a callable without arguments. It returns the output, or a tuple of several; NotImplemented where
// ops do not run eagerly. `inputs` are eager tensors, `attrs` complete. Throws.
PyObject* new_prepared_call(const OpDef& op, const Operands& inputs, AttrList attrs);

// Adds PreparedCall to the module.
void init_prepared_call(PyObject* module);

}  // namespace tracefn::bind
