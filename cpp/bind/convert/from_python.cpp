// Converts Python values to tensors: scalars directly, nests by the rules of eager tensors or of graphs.
#include "bind/convert/from_python.h"

#include <cmath>

#include "base/poll.h"
#include "bind/convert/from_numpy.h"
#include "bind/convert/narrow.h"
#include "bind/convert/natural_values.h"
#include "bind/convert/numpy_types.h"
#include "bind/errors.h"
#include "bind/graph/graph_constants.h"

namespace tracefn::bind {
namespace {

// TensorFlow rejects a finite float that overflows an eager float32, unless float32 was requested.
void check_float_range(const Tensor& wide) {
  PolledSteps polled(4096);
  for (double v : wide.span<double>()) {
    polled.step();
    if (std::isfinite(v) && std::isinf(static_cast<float>(v)))
      fail(ErrorKind::kValue, "Can't convert Python sequence with a value out of range for a double-precision float.");
  }
}

Tensor read_eager(PyObject* value, const Nest& nest, DType wanted) {
  if (wanted != DType::kInvalid) {
    Tensor direct = read_directly(value, nest.shape, wanted);
    if (direct.defined()) return direct;
  }
  Natural natural = read_natural(value, nest, Rules::kEager);
  if (wanted == DType::kInvalid) {
    if (nest.kind == Leaf::kFloat && natural.dtype == DType::kFloat) check_float_range(natural.wide);
    return narrow(natural.wide, natural.dtype);
  }
  Tensor out = narrow(natural.wide, wanted);
  if (!out.defined())
    fail(ErrorKind::kType, "Cannot convert ", repr_of(value), " to EagerTensor of dtype ", runtime_name(wanted));
  return out;
}

std::string message_text(const char* function, PyObject* value) {
  PyRef module = owned(PyImport_ImportModule("tracefn._value_text"));
  PyRef text = owned(PyObject_CallMethod(module.get(), function, "(O)", value));  // a tuple is one argument
  PyRef bytes = owned(PyUnicode_AsEncodedString(text.get(), "utf-8", "backslashreplace"));
  return {PyBytes_AS_STRING(bytes.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get()))};
}

}  // namespace

bool is_sequence(PyObject* value) {
  if (PyList_CheckExact(value) || PyTuple_CheckExact(value)) return true;
  if (is_text(value) || PyFloat_CheckExact(value) || PyLong_CheckExact(value)) return false;
  if (is_numpy_array(value)) return NumpyArray(value).shape.rank() > 0;
  return PySequence_Check(value) && !is_numpy_scalar(value);
}

std::string repr_of(PyObject* value) { return message_text("value_text", value); }
std::string str_of(PyObject* value) { return message_text("value_str", value); }

std::string short_type_name(PyObject* value) {
  std::string_view type_name = Py_TYPE(value)->tp_name;
  return std::string(type_name.substr(type_name.rfind('.') + 1));
}

std::string shortened(std::string text) {
  constexpr std::size_t kLongest = 800, kTail = 200;
  if (text.size() <= kLongest) return text;
  auto between_characters = [&](std::size_t at) {
    while ((static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    return at;
  };
  std::size_t tail = between_characters(text.size() - kTail);
  return concat(text.substr(0, between_characters(kLongest - kTail)), "...", text.substr(tail));
}

void unsupported_value(PyObject* value) {
  fail(ErrorKind::kValue, "Attempt to convert a value (", repr_of(value), ") with an unsupported type (",
       repr_of(reinterpret_cast<PyObject*>(Py_TYPE(value))), ") to a Tensor.");
}

Tensor scalar_from_python(PyObject* value, DType wanted) {
  if (PyFloat_CheckExact(value)) {
    double v = PyFloat_AS_DOUBLE(value);
    switch (wanted) {
      case DType::kInvalid:
        // The slow path reports an overflow.
        return std::isfinite(v) && std::isinf(static_cast<float>(v)) ? Tensor() : Tensor::scalar(static_cast<float>(v));
      case DType::kFloat:
        return Tensor::scalar(static_cast<float>(v));
      case DType::kDouble:
        return Tensor::scalar(v);
      default:
        return narrow(Tensor::scalar(v), wanted);
    }
  }
  if (PyBool_Check(value)) {
    if (wanted == DType::kInvalid || wanted == DType::kBool) return Tensor::scalar(value == Py_True);
    return reads_directly(wanted) ? narrow(Tensor::scalar<std::int64_t>(value == Py_True), wanted) : Tensor();
  }
  if (PyLong_CheckExact(value)) {
    int overflow = 0;
    long long v = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow) return Tensor();
    bool fits = v == static_cast<std::int32_t>(v);
    if (fits && (wanted == DType::kInvalid || wanted == DType::kInt32))
      return Tensor::scalar(static_cast<std::int32_t>(v));
    if (wanted == DType::kFloat) return Tensor::scalar(static_cast<float>(static_cast<double>(v)));
    Tensor wide = Tensor::scalar(static_cast<std::int64_t>(v));
    if (wanted == DType::kUInt64 && v < 0) return Tensor();
    return wanted == DType::kInvalid ? wide : narrow(wide, wanted);
  }
  if (is_text(value) && (wanted == DType::kInvalid || wanted == DType::kString))
    return Tensor::scalar(bytes_of_text(value));
  return Tensor();
}

Tensor from_python(PyObject* value, DType wanted, Rules rules) {
  if (value == Py_None && rules == Rules::kGraph) fail(ErrorKind::kValue, "None values not supported.");
  Nest nest;
  try {
    nest = measure(value);
  } catch (const Error& e) {
    if (e.reraise() || rules == Rules::kEager) throw;
    if (wanted != DType::kInvalid) report_misfit(value, wanted);
    report_elements(value);
  }
  // No first leaf: eager TensorFlow stops there, so [[], [1]] has shape (2, 0).
  if (nest.kind == Leaf::kNone && rules == Rules::kGraph && wanted != DType::kInvalid) report_misfit(value, wanted);
  if (nest.kind == Leaf::kNone && rules == Rules::kGraph && !is_rectangular(value, nest.shape)) report_ragged(value);
  if (nest.kind == Leaf::kNone) return Tensor::zeros(wanted == DType::kInvalid ? DType::kFloat : wanted, nest.shape);
  return rules == Rules::kEager ? read_eager(value, nest, wanted) : read_graph(value, nest, wanted);
}

}  // namespace tracefn::bind
