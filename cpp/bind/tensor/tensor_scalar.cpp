// Tensors as Python scalars: bool, int, float, complex, index, and the errors of symbolic tensors.
#include "bind/convert/to_numpy.h"
#include "bind/errors.h"
#include "bind/method.h"
#include "bind/tensor/symbolic_refusal.h"
#include "bind/tensor/tensor_object.h"
#include "bind/tensor/tensor_slots.h"
#include "tensor/stored_types.h"

namespace tracefn::bind {
namespace {

const Tensor& scalar_of(PyObject* self) {
  const Tensor& tensor = operand_of(self).tensor;
  if (tensor.rank() > 0) fail(ErrorKind::kType, "only 0-dimensional arrays can be converted to Python scalars");
  return tensor;
}

PyRef value_of(const Tensor& tensor) {
  if (tensor.dtype() == DType::kResource || tensor.dtype() == DType::kVariant)
    invalid_argument("Cannot convert a Tensor of dtype ", name(tensor.dtype()), " to a NumPy array.");
  return PyRef::steal(to_python(tensor.reshaped(Shape())));
}

int truth(PyObject* self) {
  return guarded(
      [&]() -> int {
        const Operand& operand = operand_of(self);
        if (!operand.is_eager()) refuse_symbolic("Using a symbolic `tf.Tensor` as a Python `bool`");
        const Tensor& tensor = operand.tensor;
        std::int64_t n = tensor.num_elements();
        if (n == 0) return 0;  // as in TensorFlow 2.21, which asks numpy
        if (n > 1)
          fail(ErrorKind::kValue,
               "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()");
        if (tensor.dtype() == DType::kBool) return tensor.item<bool>();
        PyRef value = value_of(tensor);
        return checked(PyObject_IsTrue(value.get()));
      },
      -1);
}

PyObject* to_int(PyObject* self) {
  return guarded([&] {
    const Tensor& tensor = scalar_of(self);
    PyRef value = value_of(tensor);
    // numpy drops the imaginary part with a warning, so TensorFlow does not raise.
    if (PyComplex_Check(value.get())) value = owned(PyFloat_FromDouble(PyComplex_RealAsDouble(value.get())));
    return checked(PyNumber_Long(value.get()));
  });
}

PyObject* to_float(PyObject* self) {
  return guarded([&] {
    const Tensor& tensor = scalar_of(self);
    if (tensor.dtype() == DType::kFloat) return checked(PyFloat_FromDouble(tensor.item<float>()));
    if (tensor.dtype() == DType::kDouble) return checked(PyFloat_FromDouble(tensor.item<double>()));
    PyRef value = value_of(tensor);
    if (PyComplex_Check(value.get())) return checked(PyFloat_FromDouble(PyComplex_RealAsDouble(value.get())));
    if (!PyBytes_Check(value.get())) return checked(PyNumber_Float(value.get()));
    return checked(PyFloat_FromString(value.get()));
  });
}

PyObject* to_complex(PyObject* self) {
  PyRef value = PyRef::steal(to_python(scalar_of(self)));
  return checked(PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyComplex_Type), value.get()));
}

PyObject* to_index(PyObject* self) {
  return guarded([&] {
    const Tensor& tensor = operand_of(self).tensor;
    if (tensor.rank() > 0) fail(ErrorKind::kType, "only integer scalar arrays can be converted to a scalar index");
    if (!is_integer(tensor.dtype()) && !is_quantized(tensor.dtype()))
      fail(ErrorKind::kType, "only integer tensors can be converted to an index, got a tensor of dtype ",
           name(tensor.dtype()));
    if (tensor.dtype() == DType::kInt32) return checked(PyLong_FromLong(tensor.item<std::int32_t>()));
    return to_python(tensor);
  });
}

}  // namespace

void refuse_symbolic(std::string_view action) {
  fail(ErrorKind::kOperatorNotAllowedInGraph, action,
       " is not allowed. You can attempt the following resolutions to the problem: If you are running in Graph mode, "
       "use Eager execution mode or decorate this function with @tf.function. If you are using AutoGraph, you can try "
       "decorating this function with @tf.function. If that does not work, then you may be using an unsupported "
       "feature or your source code may not be visible to AutoGraph. See "
       "https://github.com/tensorflow/tensorflow/blob/master/tensorflow/python/autograph/g3doc/reference/"
       "limitations.md#access-to-source-code for more information.");
}

PyObject* eager_to_complex(PyObject* self) { return to_complex(self); }

void add_scalar_slots(Slots& tensor, Slots& eager) {
  tensor.push_back({Py_nb_bool, reinterpret_cast<void*>(truth)});
  eager.push_back({Py_nb_int, reinterpret_cast<void*>(to_int)});
  eager.push_back({Py_nb_float, reinterpret_cast<void*>(to_float)});
  eager.push_back({Py_nb_index, reinterpret_cast<void*>(to_index)});
}

}  // namespace tracefn::bind
