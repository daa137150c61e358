// The iterator's type: one row per step.
#include "bind/tensor/tensor_iterator.h"

#include "bind/errors.h"
#include "bind/tensor/symbolic_refusal.h"
#include "bind/tensor/tensor_object.h"
#include "ops/leaked.h"

namespace tracefn::bind {
namespace {

struct IteratorObject {
  PyObject_HEAD
  PyObject* tensor;  // null once exhausted
  std::int64_t next;
};

PyTypeObject* iterator_type = nullptr;

IteratorObject* as_iterator(PyObject* self) { return reinterpret_cast<IteratorObject*>(self); }

void tensor_iterator_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_XDECREF(as_iterator(self)->tensor);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

int tensor_iterator_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_iterator(self)->tensor);
  return 0;
}

Tensor row_of(const Tensor& tensor, std::int64_t i) {
  Dims dims(tensor.shape().dims().begin() + 1, tensor.shape().dims().end());
  // A copy, so that one row does not keep the whole tensor.
  return tensor.rows(i, i + 1).reshaped(Shape(std::move(dims))).copy();
}

PyObject* next(PyObject* object) {
  IteratorObject* self = as_iterator(object);
  if (!self->tensor) return nullptr;
  return guarded([&]() -> PyObject* {
    const Tensor& tensor = operand_of(self->tensor).tensor;
    if (self->next >= tensor.dim(0)) {
      Py_CLEAR(self->tensor);
      return nullptr;
    }
    std::int64_t i = self->next++;
    // A tape, or a trace, must record an op.
    if (current_listener() || !current_target().is_eager()) return checked(PySequence_GetItem(self->tensor, i));
    return wrap(Operand(row_of(tensor, i)));
  });
}

}  // namespace

PyObject* tensor_iterator(PyObject* tensor) {
  return guarded([&] {
    const Operand& operand = operand_of(tensor);
    if (!current_target().is_eager()) refuse_symbolic("Iterating over a symbolic `tf.Tensor`");
    if (operand.shape().has_rank() && operand.shape().is_scalar())
      fail(ErrorKind::kType, "Cannot iterate over a scalar tensor.");
    if (!operand.is_eager()) leaked_tensor(operand, nullptr);
    IteratorObject* self = PyObject_GC_New(IteratorObject, iterator_type);
    if (!self) throw_python_error();
    self->tensor = Py_NewRef(tensor);
    self->next = 0;
    PyObject_GC_Track(reinterpret_cast<PyObject*>(self));
    return reinterpret_cast<PyObject*>(self);
  });
}

void init_tensor_iterator() {
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(tensor_iterator_dealloc)},
      {Py_tp_traverse, reinterpret_cast<void*>(tensor_iterator_traverse)},
      {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
      {Py_tp_iternext, reinterpret_cast<void*>(next)},
      {0, nullptr},
  };
  static PyType_Spec spec = {"tracefn._TensorIterator", sizeof(IteratorObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  iterator_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)));
}

}  // namespace tracefn::bind
