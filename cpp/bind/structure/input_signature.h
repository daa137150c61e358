// input_signature: the types that a Function's author gives its parameters (tracing rules 57-61). Needs the GIL and
// throws.
#pragma once

#include <Python.h>

#include "bind/structure/binder.h"

namespace tracefn::bind {

struct SignedFunction {
  CallBinder binder;     // without *args and **kwargs: their members are parameters, or not accepted
  FunctionTypePtr type;  // every parameter has a type
};

// TypeError with TensorFlow's words if `input_signature` is not a nest of TypeSpecs, or does not fit the parameters.
SignedFunction apply_input_signature(const CallBinder& binder, PyObject* input_signature);

}  // namespace tracefn::bind
