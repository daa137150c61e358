// ConcreteFunction in Python: a callable around a Concrete. All functions need the GIL.
#pragma once

#include <Python.h>

#include <cstddef>
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
  std::size_t most_positional;  // more tensors than these are given by name
};

extern PyTypeObject* concrete_type;

inline Concrete& concrete_of(PyObject* object) { return *reinterpret_cast<ConcreteObject*>(object)->concrete; }

// A new reference. Throws.
PyObject* new_concrete(std::shared_ptr<Concrete> concrete);

// An eager tensor that a call is given; with `last_use` it may be moved from.
struct ConcreteArgument {
  Operand* operand;
  bool last_use;
};
// Runs on eager tensors, releasing the GIL for long work, and builds the result; tapes that listen record the call.
// New reference; throws.
PyObject* run_concrete(Concrete& concrete, std::span<const ConcreteArgument> args);
// The same with any arguments a trace may be called with: converts each leaf to its input's type, and emits a call node
// while tracing. Throws.
PyObject* call_concrete(Concrete& concrete, std::span<PyObject* const> leaves);

// The tensor of an argument leaf: a tensor itself, the handle of a variable, or a conversion to `type`.
Operand leaf_operand(PyObject* leaf, const TraceType& type);

// Adds ConcreteFunction to the module.
void init_concrete_object(PyObject* module);

}  // namespace tracefn::bind
