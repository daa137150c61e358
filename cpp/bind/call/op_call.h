// Op callables: `tf.math.exp` and `tf.raw_ops.Exp`. Each is created from an op's record; a call converts its arguments,
// emits the op on the current target, and wraps the outputs. All functions need the GIL.
#pragma once

#include <Python.h>

#include <span>
#include <string>
#include <string_view>

#include "trace/func_graph.h"

namespace tracefn::bind {

// Converts `values` (one per declared input of the op, lists for list inputs) as TensorFlow's op library does: an input
// whose type attribute is determined by another tensor is converted to that type. Fills type attributes in `attrs` that
// the conversion determined. Eager tensors are captured by `graph`, if given, in this order and named after the inputs
// in its current scope. Throws.
Operands convert_inputs(const OpDef& op, std::span<PyObject* const> values, AttrList& attrs,
                        FuncGraph* graph = nullptr);

// The name of TensorFlow's function for an op: "max_pool" of MaxPool, "conv2d_backprop_input" of Conv2DBackpropInput.
std::string function_name_of(const OpDef& op);

// A Python value as an attribute; throws Error(kType) with TensorFlow's words.
Attr attr_of(const OpDef& op, const AttrDef& def, PyObject* value);
// An attribute as a Python value.
PyObject* python_of(const Attr& attr);

// A new reference: a tensor; a list for a list output; a named tuple for several; None (eager) or the Operation
// (traced) for none.
PyObject* wrap_outputs(const OpDef& op, const AttrList& attrs, Operands outputs);

// Adds to the module: the type OpCallable, `raw_op(name)`, `public_ops()` (path -> callable, made on first use).
void init_op_call(PyObject* module);

}  // namespace tracefn::bind
