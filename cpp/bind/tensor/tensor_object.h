// The Python types Tensor (abstract, public as tf.Tensor), EagerTensor and SymbolicTensor: our own heap types around an
// Operand. All functions need the GIL.
#pragma once

#include <Python.h>

#include "ops/emit.h"

namespace tracefn::bind {

struct TensorObject {
  PyObject_HEAD
  Operand operand;  // always defined
  PyObject* weakrefs;
  PyObject* dict;   // null until an attribute is set
  PyObject* owner;  // of a tensor in a tf.Graph: the Graph, which lives as long as its tensors; null for all others
};

// Created by init_tensor_object, never freed.
extern PyTypeObject* tensor_type;
extern PyTypeObject* eager_tensor_type;
extern PyTypeObject* symbolic_tensor_type;

// A new tensor around a defined operand, also if the value has one. Throws.
PyObject* wrap_apart(Operand operand);
// A new reference to a new EagerTensor around a defined operand, or to the SymbolicTensor of a value. Throws.
PyObject* wrap(Operand operand);

inline bool is_eager(PyObject* object) { return Py_TYPE(object) == eager_tensor_type; }
inline bool is_symbolic(PyObject* object) { return Py_TYPE(object) == symbolic_tensor_type; }
inline bool is_tensor(PyObject* object) { return is_eager(object) || is_symbolic(object); }

// Precondition of the next two: is_tensor(object).
inline const Operand& operand_of(PyObject* object) { return reinterpret_cast<TensorObject*>(object)->operand; }
// For tapes (which give eager operands an id) and set_shape.
inline Operand& mutable_operand_of(PyObject* object) { return reinterpret_cast<TensorObject*>(object)->operand; }

// Attributes of SymbolicTensor that need the graph binding, which sets these hooks once. Each returns a new reference
// and may throw. A null hook makes the attribute an AttributeError that says so.
struct SymbolicHooks {
  PyObject* (*owner)(const Operand&) = nullptr;      // TensorObject::owner; null if there is none
  PyObject* (*graph)(const Operand&) = nullptr;      // tensor.graph: the FuncGraph
  PyObject* (*op)(const Operand&) = nullptr;         // tensor.op: the Operation
  PyObject* (*consumers)(const Operand&) = nullptr;  // tensor.consumers(): Operations
};
extern SymbolicHooks symbolic_hooks;
// tensor.__tf_tracing_type__(context), for both kinds; set by the binding of trace types.
extern PyObject* (*tracing_type_hook)(PyObject* tensor, PyObject* context);

// Adds Tensor, EagerTensor and SymbolicTensor to the module.
void init_tensor_object(PyObject* module);

}  // namespace tracefn::bind
