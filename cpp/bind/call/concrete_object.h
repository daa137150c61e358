// ConcreteFunction in Python: a callable around a Concrete. All functions need the GIL.
#pragma once

#include <Python.h>

#include <memory>
#include <span>

#include "trace/concrete.h"

namespace tracefn::bind {

struct ConcreteObject {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  std::shared_ptr<Concrete> concrete;
  PyObject* dict;
  PyObject* weakrefs;
};

extern PyTypeObject* concrete_type;

inline Concrete& concrete_of(PyObject* object) { return *reinterpret_cast<ConcreteObject*>(object)->concrete; }

// A new reference. Throws.
PyObject* new_concrete(std::shared_ptr<Concrete> concrete);

// Runs on eager tensors (moved from), releasing the GIL for long work, and builds the result. Not recorded on tapes.
// New reference; throws.
PyObject* run_concrete(Concrete& concrete, std::span<Tensor> args);
// The same with only the tensors of Concrete::used_args(), which is not null.
PyObject* run_concrete_used(Concrete& concrete, std::span<Tensor> used);
// The same for a Concrete that computes_scalars(). Null, with nothing done, if an argument is not a scalar.
PyObject* run_concrete_scalars(const Concrete& concrete, std::span<const Tensor* const> used);
// A call recorded on tapes; `args` are eager.
PyObject* run_concrete_recorded(Concrete& concrete, std::span<const Operand> args);
// The same with any arguments a trace may be called with: converts each leaf to its input's type, and emits a call node
// while tracing. Throws.
PyObject* call_concrete(Concrete& concrete, std::span<PyObject* const> leaves);

// The tensor of an argument leaf: a tensor itself, the handle of a variable, or a conversion to `type`.
Operand leaf_operand(PyObject* leaf, const TraceType& type);

// Adds ConcreteFunction to the module.
void init_concrete_object(PyObject* module);

}  // namespace tracefn::bind
