// Leaf readers, and the walk shared by both passes over a nest.
#include "bind/convert/nest_values.h"

#include <complex>

#include "base/poll.h"
#include "bind/convert/from_numpy.h"
#include "bind/convert/from_python.h"
#include "bind/convert/numpy_types.h"
#include "bind/errors.h"
#include "bind/graph/graph_constants.h"
#include "ops/emit.h"

namespace tracefn::bind {
namespace {

Leaf leaf_of_dtype(DType dtype, DType* typed) {
  if (dtype == DType::kBool) return Leaf::kBool;
  if (is_integer(dtype)) return Leaf::kInt;
  if (is_floating(dtype)) {
    *typed = dtype;
    return Leaf::kTypedFloat;
  }
  if (is_complex(dtype)) return Leaf::kComplex;
  return dtype == DType::kString ? Leaf::kString : Leaf::kNone;
}

}  // namespace

bool is_text(PyObject* o) { return PyUnicode_Check(o) || PyBytes_Check(o); }

Leaf classify(PyObject* o, DType* typed) {
  if (PyBool_Check(o)) return Leaf::kBool;
  if (PyLong_Check(o)) return Leaf::kInt;
  if (PyFloat_CheckExact(o)) return Leaf::kFloat;
  if (is_text(o)) return Leaf::kString;
  if (is_numpy_scalar(o)) return leaf_of_dtype(dtype_of_numpy_scalar(o), typed);
  if (PyFloat_Check(o)) return Leaf::kFloat;
  if (PyComplex_Check(o)) return Leaf::kComplex;
  return Leaf::kNone;
}

PyRef unboxed(PyObject* o) {
  if (is_numpy_array(o)) return owned(PyObject_CallMethod(o, "tolist", nullptr));
  return PyRef::borrow(o);
}

namespace {

// Leaf readers. Each returns kOk and sets `out`, or says why not. A number's own conversion (__index__, __float__) may
// run Python code.
struct ReadInt {
  using Wide = std::int64_t;
  Outcome operator()(PyObject* o, Wide& out) const {
    DType typed = DType::kInvalid;
    Leaf kind = classify(o, &typed);
    if (kind == Leaf::kFloat || kind == Leaf::kTypedFloat) return Outcome::kFoundFloat;
    if (kind != Leaf::kInt && !PyBool_Check(o)) return Outcome::kMixed;
    PyRef number = owned(PyNumber_Index(o));
    int overflow = 0;
    out = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
    if (overflow) return Outcome::kOverflow;
    if (out == -1 && PyErr_Occurred()) throw_python_error();
    return Outcome::kOk;
  }
};

struct ReadUnsigned {
  using Wide = std::uint64_t;
  Outcome operator()(PyObject* o, Wide& out) const {
    DType typed = DType::kInvalid;
    Leaf kind = classify(o, &typed);
    if (kind == Leaf::kFloat || kind == Leaf::kTypedFloat) return Outcome::kFoundFloat;
    if (kind != Leaf::kInt && !PyBool_Check(o)) return Outcome::kMixed;
    PyRef number = owned(PyNumber_Index(o));
    out = PyLong_AsUnsignedLongLong(number.get());
    if (out == static_cast<Wide>(-1) && PyErr_Occurred()) {
      if (!PyErr_ExceptionMatches(PyExc_OverflowError)) throw_python_error();
      PyErr_Clear();
      return Outcome::kOverflow;
    }
    return Outcome::kOk;
  }
};

struct ReadDouble {
  using Wide = double;
  Outcome operator()(PyObject* o, Wide& out) const {
    if (PyFloat_CheckExact(o)) {
      out = PyFloat_AS_DOUBLE(o);
      return Outcome::kOk;
    }
    DType typed = DType::kInvalid;
    Leaf kind = classify(o, &typed);
    bool number = kind == Leaf::kInt || kind == Leaf::kFloat || kind == Leaf::kTypedFloat || PyBool_Check(o);
    if (!number) return Outcome::kMixed;
    out = PyFloat_AsDouble(o);
    if (out == -1.0 && PyErr_Occurred()) {
      if (!PyErr_ExceptionMatches(PyExc_OverflowError)) throw_python_error();
      PyErr_Clear();
      return Outcome::kOverflow;
    }
    return Outcome::kOk;
  }
};

struct ReadComplex {
  using Wide = std::complex<double>;
  Outcome operator()(PyObject* o, Wide& out) const {
    DType typed = DType::kInvalid;
    Leaf kind = classify(o, &typed);
    if (kind == Leaf::kNone || kind == Leaf::kString || (kind == Leaf::kBool && !PyBool_Check(o)))
      return Outcome::kMixed;
    Py_complex z = PyComplex_AsCComplex(o);
    if (z.real == -1.0 && PyErr_Occurred()) {
      if (!PyErr_ExceptionMatches(PyExc_OverflowError)) throw_python_error();
      PyErr_Clear();
      return Outcome::kOverflow;
    }
    out = {z.real, z.imag};
    return Outcome::kOk;
  }
};

struct ReadBool {
  using Wide = bool;
  Outcome operator()(PyObject* o, Wide& out) const {
    DType typed = DType::kInvalid;
    if (classify(o, &typed) != Leaf::kBool) return Outcome::kMixed;
    out = checked(PyObject_IsTrue(o)) != 0;
    return Outcome::kOk;
  }
};

struct ReadString {
  using Wide = std::string;
  Outcome operator()(PyObject* o, Wide& out) const {
    if (!is_text(o)) return Outcome::kMixed;
    out = bytes_of_text(o);
    return Outcome::kOk;
  }
};

// Accepts any leaf.
struct ReadNothing {
  using Wide = bool;
  Outcome operator()(PyObject*, Wide& out) const {
    out = false;
    return Outcome::kOk;
  }
};

template <typename Reader>
Outcome read_level(PyObject* value, const Shape& shape, int depth, const Reader& read, typename Reader::Wide*& out) {
  if (depth == shape.rank()) {
    if (is_sequence(value)) return Outcome::kMixed;
    return read(value, *out++);
  }
  if (!is_sequence(value)) return Outcome::kRagged;
  PyRef as_list = unboxed(value);
  if (!is_sequence(as_list.get())) return Outcome::kRagged;
  PyRef items = owned(PySequence_Fast(as_list.get(), "a sequence that cannot be iterated"));
  // Conversions, and signal handlers, may run Python code that changes a list while it is read.
  PolledSteps polled(1024);
  for (std::int64_t i = 0; i < shape[depth]; ++i) {
    polled.step();
    if (PySequence_Fast_GET_SIZE(items.get()) != shape[depth]) return Outcome::kRagged;
    PyObject* borrowed = PySequence_Fast_GET_ITEM(items.get(), i);
    PyRef item = is_numpy_array(borrowed) && depth + 1 == shape.rank() ? unboxed(borrowed) : PyRef::borrow(borrowed);
    Outcome outcome = read_level(item.get(), shape, depth + 1, read, out);
    if (outcome != Outcome::kOk) return outcome;
  }
  return PySequence_Fast_GET_SIZE(items.get()) == shape[depth] ? Outcome::kOk : Outcome::kRagged;
}

template <typename Reader>
Outcome read_as(PyObject* value, const Shape& shape, const Reader& read, Tensor& out) {
  Tensor wide(DTypeOf<typename Reader::Wide>::value, shape);
  auto* at = wide.mutable_data<typename Reader::Wide>();
  Outcome outcome = read_level(value, shape, 0, read, at);
  if (outcome == Outcome::kOk) out = std::move(wide);
  return outcome;
}

}  // namespace

// Of a sequence that does not tell its length, in the words that TensorFlow has where ops run now, or while tracing.
[[noreturn]] void report_unsized(PyObject* value) {
  PyRef exception = PyRef::borrow(PyErr_Occurred());
  if (!PyErr_GivenExceptionMatches(exception.get(), PyExc_Exception)) throw_python_error();
  if (!current_target().is_eager()) {
    PyErr_Clear();
    report_elements(value);
  }
  PyObject *type, *raised, *traceback;
  PyErr_Fetch(&type, &raised, &traceback);
  PyErr_NormalizeException(&type, &raised, &traceback);
  PyRef owned_type = PyRef::steal(type), owned_raised = PyRef::steal(raised), owned_traceback = PyRef::steal(traceback);
  fail(ErrorKind::kValue, reinterpret_cast<PyTypeObject*>(type)->tp_name, ": ", str_of(raised), "\n");
}

Nest measure(PyObject* value) {
  Nest nest;
  PyRef current = PyRef::borrow(value);
  while (is_sequence(current.get())) {
    if (nest.shape.rank() >= kMaxRank)
      fail(ErrorKind::kValue, "Can't convert Python sequence with more than ", kMaxRank,
           " levels of nesting to Tensor.");
    if (is_numpy_array(current.get())) {
      NumpyArray array(current.get());
      for (std::int64_t dim : array.shape.dims()) nest.shape.push_back(dim);
      if (array.shape.num_elements() > 0) nest.kind = leaf_of_dtype(array.dtype, &nest.typed);
      if (nest.kind == Leaf::kNone && array.shape.num_elements() > 0) unsupported_value(current.get());
      return nest;
    }
    Py_ssize_t n = PySequence_Size(current.get());
    if (n < 0) report_unsized(value);
    nest.shape.push_back(n);
    if (n == 0) return nest;
    current = owned(PySequence_GetItem(current.get(), 0));
  }
  if (is_numpy_array(current.get())) {
    nest.kind = leaf_of_dtype(NumpyArray(current.get()).dtype, &nest.typed);
  } else {
    nest.kind = classify(current.get(), &nest.typed);
  }
  if (nest.kind == Leaf::kNone) unsupported_value(current.get());
  return nest;
}

Outcome read_all(PyObject* value, const Shape& shape, Read read, Tensor& out) {
  switch (read) {
    case Read::kBool:
      return read_as(value, shape, ReadBool(), out);
    case Read::kInt:
      return read_as(value, shape, ReadInt(), out);
    case Read::kUnsigned:
      return read_as(value, shape, ReadUnsigned(), out);
    case Read::kDouble:
      return read_as(value, shape, ReadDouble(), out);
    case Read::kComplex:
      return read_as(value, shape, ReadComplex(), out);
    case Read::kString:
      return read_as(value, shape, ReadString(), out);
    case Read::kNothing:
      break;
  }
  return read_as(value, shape, ReadNothing(), out);
}

}  // namespace tracefn::bind
