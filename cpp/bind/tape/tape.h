// Gradients and gradient rules between Python and the core. All functions need the GIL.
#pragma once

#include <Python.h>

#include <string>
#include <vector>

#include "ops/gradient.h"

namespace tracefn::bind {

// A rule that calls `function(*dys)` with the gradients of the first outputs, as many as `num_dys`; it returns a
// gradient or None for each input. Needs the GIL.
Ref<GradientRule> python_rule(PyObject* function, std::size_t num_dys, std::string name = {});

// The gradient of an op without a rule, by the function that tf.RegisterGradient has for it; for a Runtime. The rule
// that calls the function registered under a name: see ir/named_gradient.h.
void registered_gradient(GradContext& c);
Ref<RefCounted> named_gradient(const std::string& name);

// A gradient as Python sees it: a tensor, tf.IndexedSlices, or None. New reference; throws.
PyObject* gradient_to_python(const Gradient& gradient);
// The inverse; also accepts anything that converts to a tensor.
Gradient gradient_from_python(PyObject* object);

// A list of them; throws.
PyObject* gradients_to_python(const std::vector<Gradient>& gradients);

// The operand of a tensor; throws Error(kType) otherwise.
Operand tensor_operand_of(PyObject* object);
// The operands of a sequence; None becomes an undefined one.
std::vector<Operand> tensor_operands(PyObject* tensors);

// Adds Tape, TapeRecorder, record_gradient, variable_accessed and graph_gradients to the module.
void init_tape(PyObject* module);

}  // namespace tracefn::bind
