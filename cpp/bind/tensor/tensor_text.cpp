// repr and str of tensors. Parts that need numpy's printing are in the Python module tracefn._tensor_text.
#include "bind/tensor/tensor_text.h"

#include "bind/convert/from_python.h"
#include "bind/errors.h"
#include "bind/tensor/tensor_object.h"
#include "bind/tensor/tensor_slots.h"

namespace tracefn::bind {
namespace {

PyObject* unicode(const std::string& text) {
  return checked(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}

std::string symbolic_repr(const Operand& operand) {
  const Shape& shape = operand.shape();
  return concat("<tf.Tensor '", operand.graph->value_name(operand.value),
                "' shape=", shape.has_rank() ? shape.python_text() : "<unknown>", " dtype=", name(operand.dtype()),
                ">");
}

std::string symbolic_str(const Operand& operand) {
  const Shape& shape = operand.shape();
  return concat("Tensor(\"", operand.graph->value_name(operand.value), "\"",
                shape.has_rank() ? ", shape=" + shape.python_text() : std::string(), ", dtype=", name(operand.dtype()),
                ")");
}

PyObject* call_text(const char* function, PyObject* self) {
  PyRef module = owned(PyImport_ImportModule("tracefn._tensor_text"));
  return checked(PyObject_CallMethod(module.get(), function, "(O)", self));
}

PyObject* repr(PyObject* self) {
  return guarded([&] {
    const Operand& operand = operand_of(self);
    return operand.is_eager() ? call_text("eager_repr", self) : unicode(symbolic_repr(operand));
  });
}

PyObject* str(PyObject* self) {
  return guarded([&] {
    const Operand& operand = operand_of(self);
    return operand.is_eager() ? call_text("eager_str", self) : unicode(symbolic_str(operand));
  });
}

}  // namespace

std::string dtype_text(DType dtype) { return concat("<dtype: '", name(dtype), "'>"); }

std::string tensor_repr(const Operand& operand) {
  if (!operand.is_eager()) return symbolic_repr(operand);
  PyRef tensor = PyRef::steal(wrap(operand));
  return repr_of(tensor.get());
}

void add_text_slots(Slots& tensor) {
  tensor.push_back({Py_tp_repr, reinterpret_cast<void*>(repr)});
  tensor.push_back({Py_tp_str, reinterpret_cast<void*>(str)});
}

}  // namespace tracefn::bind
