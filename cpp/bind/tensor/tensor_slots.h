// The slots that the files tensor_*.cpp add to the types Tensor, EagerTensor and SymbolicTensor. Used by
// tensor_object.cpp only.
#pragma once

#include <Python.h>

#include <vector>

namespace tracefn::bind {

using Slots = std::vector<PyType_Slot>;

void add_operator_slots(Slots& tensor);                 // tensor_operators.cpp: numbers, rich comparison, hash
void add_index_slots(Slots& tensor);                    // tensor_index.cpp: subscripts, length, iteration
void add_text_slots(Slots& tensor);                     // tensor_text.cpp: repr and str
void add_scalar_slots(Slots& tensor, Slots& eager);     // tensor_scalar.cpp: bool, int, float, index
void add_buffer_slots(Slots& eager);                    // tensor_buffer.cpp: the buffer protocol
void add_method_slots(Slots& tensor, Slots& symbolic);  // tensor_methods.cpp: methods, attributes
void add_eager_method_slots(Slots& eager);              // eager_methods.cpp
void init_eager_methods(PyObject* module);              // adds the function that unpickling calls

// Methods without slots.
PyObject* tensor_old_div(PyObject* self, PyObject* other);            // __div__
PyObject* tensor_reflected_old_div(PyObject* self, PyObject* other);  // __rdiv__
PyObject* eager_to_complex(PyObject* self);                           // __complex__; throws

// The attribute __dict__ (tensor_object.cpp).
PyObject* tensor_get_dict(PyObject* self, void*);
int tensor_set_dict(PyObject* self, PyObject* value, void*);

}  // namespace tracefn::bind
