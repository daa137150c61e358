// Methods and attributes of eager tensors: values for numpy, copies, pickling.
#include <cstring>

#include "bind/convert/from_python.h"
#include "bind/convert/to_numpy.h"
#include "bind/errors.h"
#include "bind/method.h"
#include "bind/tensor/dlpack.h"
#include "bind/tensor/shape_object.h"
#include "bind/tensor/tensor_object.h"
#include "bind/tensor/tensor_slots.h"

namespace tracefn::bind {
namespace {

PyObject* numpy(PyObject* self) { return to_numpy(operand_of(self).tensor); }
PyObject* python_value(PyObject* self) { return to_python(operand_of(self).tensor); }
PyObject* num_elements(PyObject* self) { return checked(PyLong_FromLongLong(operand_of(self).tensor.num_elements())); }
PyObject* is_packed(PyObject*) { return Py_NewRef(Py_False); }
PyObject* itself(PyObject* self) { return wrap(Operand(operand_of(self))); }
PyObject* get_backing_device(PyObject*) { return text(kDevice); }

PyObject* summarize_value(PyObject* self) {
  const Tensor& tensor = operand_of(self).tensor;
  return text(tensor.dtype() == DType::kVariant ? "<Variant>" : "<Resource>");
}

PyObject* array(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"dtype", "copy", nullptr};
  PyObject *dtype = Py_None, *copy_object = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O$O:__array__", const_cast<char**>(keywords), &dtype, &copy_object))
    return nullptr;
  return guarded([&] {
    const Tensor& tensor = operand_of(self).tensor;
    bool must_copy = copy_object == Py_None ? dtype == Py_None : checked(PyObject_IsTrue(copy_object)) != 0;
    bool must_share = copy_object == Py_False;
    if (must_share && !is_plain(tensor.dtype()))
      fail(ErrorKind::kValue, "Unable to avoid copy while creating an array of a ", name(tensor.dtype()), " tensor.");
    PyRef result = PyRef::steal(to_numpy_array(tensor, must_copy));
    if (dtype == Py_None) return result.release();
    PyRef has = owned(PyObject_GetAttrString(result.get(), "dtype"));
    PyRef numpy_module = owned(PyImport_ImportModule("numpy"));
    PyRef wanted = owned(PyObject_CallMethod(numpy_module.get(), "dtype", "(O)", dtype));
    if (checked(PyObject_RichCompareBool(has.get(), wanted.get(), Py_EQ)) == 1)
      return must_share || must_copy ? result.release() : to_numpy_array(tensor, true);
    if (must_share)
      fail(ErrorKind::kValue, "Unable to avoid copy while creating an array of another dtype than the tensor's.");
    return checked(PyObject_CallMethod(result.get(), "astype", "(O)", wanted.get()));
  });
}

// With a version the consumer learns that the memory is read-only; without, it gets a writable copy.
PyObject* dlpack(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"stream", "max_version", "dl_device", "copy", nullptr};
  PyObject *stream = Py_None, *max_version = Py_None, *device = Py_None, *copy_object = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOO:__dlpack__", const_cast<char**>(keywords), &stream,
                                   &max_version, &device, &copy_object))
    return nullptr;
  return guarded([&]() -> PyObject* {
    if (stream != Py_None) fail(ErrorKind::kRuntime, "__dlpack__: tensors on the CPU have no streams");
    int major = 0, minor = 0, device_type = 1, device_id = 0;
    if (max_version != Py_None && !PyArg_ParseTuple(max_version, "ii", &major, &minor)) throw_python_error();
    if (device != Py_None && !PyArg_ParseTuple(device, "ii", &device_type, &device_id)) throw_python_error();
    bool versioned = major >= 1;
    if (device_type != 1 || device_id != 0 || (copy_object == Py_False && !versioned)) {
      PyErr_SetString(PyExc_BufferError, device_type != 1 || device_id != 0
                                             ? "a tensor on the CPU is given to the CPU only"
                                             : "without a DLPack version only a copy can be given");
      throw_python_error();
    }
    return to_dlpack(operand_of(self).tensor, versioned, !versioned || copy_object == Py_True);
  });
}
PyObject* dlpack_device(PyObject*) { return checked(Py_BuildValue("(ii)", 1, 0)); }

// Eager tensors are immutable, so a copy can be the tensor itself.
PyObject* same(PyObject* self) { return Py_NewRef(self); }
PyObject* deepcopy(PyObject* self, PyObject*) { return same(self); }

PyObject* rebuild_function() {
  PyRef module = owned(PyImport_ImportModule("tracefn._core"));
  return checked(PyObject_GetAttrString(module.get(), "_tensor_from_parts"));
}

// Pickled as (dtype number, dimensions, bytes or list of bytes): needs neither numpy nor ml_dtypes.
PyObject* reduce(PyObject* self) {
  const Tensor& tensor = operand_of(self).tensor;
  if (!is_plain(tensor.dtype()) && tensor.dtype() != DType::kString)
    fail(ErrorKind::kType, "Tensors of type ", name(tensor.dtype()), " cannot be pickled.");
  PyRef data;
  if (tensor.dtype() == DType::kString) {
    data = PyRef::steal(to_python(tensor.reshaped(Shape({tensor.num_elements()}))));
  } else {
    data = owned(
        PyBytes_FromStringAndSize(static_cast<const char*>(tensor.raw()), static_cast<Py_ssize_t>(tensor.bytes())));
  }
  PyRef dims = PyRef::steal(dims_tuple(tensor.shape()));
  PyRef function = PyRef::steal(rebuild_function());
  return checked(Py_BuildValue("O(iOO)", function.get(), slot(tensor.dtype()), dims.get(), data.get()));
}

PyObject* tensor_from_parts(PyObject*, PyObject* args) {
  int number = 0;
  PyObject *dims = nullptr, *data = nullptr;
  if (!PyArg_ParseTuple(args, "iO!O:_tensor_from_parts", &number, &PyTuple_Type, &dims, &data)) return nullptr;
  return guarded([&] {
    if (!is_dtype(number)) fail(ErrorKind::kValue, "There is no dtype of number ", number, ".");
    auto dtype = static_cast<DType>(number);
    Shape shape = parse_shape(dims);
    if (!shape.is_fully_known()) fail(ErrorKind::kValue, "A pickled tensor has an unknown dimension.");
    if (PyList_Check(data)) {
      Tensor strings = from_python(data, DType::kString, Rules::kEager);
      if (dtype != DType::kString || strings.num_elements() != shape.num_elements())
        fail(ErrorKind::kValue, "A pickled tensor does not have the size that its shape says.");
      return wrap(Operand(strings.reshaped(std::move(shape))));
    }
    if (!PyBytes_Check(data) || !is_plain(dtype)) fail(ErrorKind::kType, "A pickled tensor holds no bytes.");
    auto size = static_cast<std::size_t>(PyBytes_GET_SIZE(data));
    // Compared before anything is allocated: the shape may claim any size.
    if (static_cast<std::size_t>(shape.num_elements()) != size / size_of(dtype) || size % size_of(dtype) != 0)
      fail(ErrorKind::kValue, "A pickled tensor does not have the size that its shape says.");
    Tensor tensor(dtype, std::move(shape));
    copy_elements(DType::kUInt8, PyBytes_AS_STRING(data), tensor.mutable_raw(), static_cast<std::int64_t>(size));
    return wrap(Operand(std::move(tensor)));
  });
}

template <int which>
PyObject* undefined_when_eager(PyObject*) {
  constexpr const char* kNames[] = {"name", "op", "graph", "value_index"};
  fail(ErrorKind::kAttribute, "Tensor.", kNames[which], " is undefined when eager execution is enabled.");
}
PyObject* eager_consumers(PyObject*) {
  fail(ErrorKind::kNotImplemented, "Tensor.consumers is undefined when eager execution is enabled.");
}
PyObject* gpu(PyObject*) { fail(ErrorKind::kRuntime, "GPU:0 unknown device."); }

PyGetSetDef eager_getset[] = {
    {"name", getter<undefined_when_eager<0>>, nullptr, nullptr, nullptr},
    {"op", getter<undefined_when_eager<1>>, nullptr, nullptr, nullptr},
    {"graph", getter<undefined_when_eager<2>>, nullptr, nullptr, nullptr},
    {"value_index", getter<undefined_when_eager<3>>, nullptr, nullptr, nullptr},
    {"backing_device", getter<get_backing_device>, nullptr, "The name of the device whose memory is used.", nullptr},
    {"is_packed", getter<is_packed>, nullptr, "False: a tensor lives on one device.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMethodDef eager_methods[] = {
    {"numpy", method<numpy>, METH_NOARGS,
     "The value as NumPy's: an array, which is a copy that may be written; a NumPy scalar for rank 0; strings as "
     "bytes.\n\n>>> tf.constant([1, 2]).numpy()\narray([1, 2], dtype=int32)"},
    {"_numpy", method<numpy>, METH_NOARGS, nullptr},
    {"_python_value", method<python_value>, METH_NOARGS, nullptr},
    {"_num_elements", method<num_elements>, METH_NOARGS, nullptr},
    {"_summarize_value", method<summarize_value>, METH_NOARGS, nullptr},
    {"cpu", method<itself>, METH_NOARGS, "A tensor of the same value on the CPU."},
    {"gpu", with_keywords([](PyObject* self, PyObject*, PyObject*) { return method<gpu>(self, nullptr); }),
     METH_VARARGS | METH_KEYWORDS, "RuntimeError: there is no GPU."},
    {"consumers", method<eager_consumers>, METH_NOARGS, nullptr},
    {"__array__", with_keywords(array), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__dlpack__", with_keywords(dlpack), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__dlpack_device__", method<dlpack_device>, METH_NOARGS, nullptr},
    {"__complex__", method<eager_to_complex>, METH_NOARGS, nullptr},
    {"__copy__", method<same>, METH_NOARGS, nullptr},
    {"__deepcopy__", method1<deepcopy>, METH_O, nullptr},
    {"__reduce__", method<reduce>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMethodDef eager_methods_functions[] = {
    {"_tensor_from_parts", tensor_from_parts, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void add_eager_method_slots(Slots& eager) {
  eager.push_back({Py_tp_methods, eager_methods});
  eager.push_back({Py_tp_getset, eager_getset});
}

void init_eager_methods(PyObject* module) { checked(PyModule_AddFunctions(module, eager_methods_functions)); }

}  // namespace tracefn::bind
