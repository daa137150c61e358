// Reading of nested sequences: find shape and kind of the first leaf, read all leaves into the widest type of that
// kind, then narrow to the dtype that TensorFlow's rules give.
#include "bind/from_python.h"

#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <vector>

#include "bind/errors.h"
#include "bind/from_numpy.h"

namespace tracefn::bind {
namespace {

enum class Leaf { kNone, kBool, kInt, kFloat, kTypedFloat, kComplex, kString };
enum class Outcome { kOk, kMixed, kRagged, kOverflow, kFoundFloat };

struct Nest {
  Shape shape;
  Leaf kind = Leaf::kNone;         // of the first leaf; kNone when there is no leaf at all
  DType typed = DType::kInvalid;   // dtype of a kTypedFloat leaf
};

bool is_text(PyObject* o) { return PyUnicode_Check(o) || PyBytes_Check(o); }

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

// `typed` gets the dtype of numpy's floats, which keep it.
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

// A rank-0 array stands for its element; a new reference.
PyRef unboxed(PyObject* o) {
  if (is_numpy_array(o)) return owned(PyObject_CallMethod(o, "tolist", nullptr));
  return PyRef::borrow(o);
}

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
    if (n < 0) throw_python_error();
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

template <typename Read>
Outcome read_level(PyObject* value, const Shape& shape, int depth, const Read& read, typename Read::Wide*& out) {
  if (depth == shape.rank()) {
    if (is_sequence(value)) return Outcome::kMixed;
    return read(value, *out++);
  }
  if (!is_sequence(value)) return Outcome::kRagged;
  PyRef as_list = unboxed(value);
  if (!is_sequence(as_list.get())) return Outcome::kRagged;
  PyRef items = owned(PySequence_Fast(as_list.get(), "a sequence that cannot be iterated"));
  // Conversions may run Python code that changes a list while it is read.
  for (std::int64_t i = 0; i < shape[depth]; ++i) {
    if (PySequence_Fast_GET_SIZE(items.get()) != shape[depth]) return Outcome::kRagged;
    PyObject* borrowed = PySequence_Fast_GET_ITEM(items.get(), i);
    PyRef item = is_numpy_array(borrowed) && depth + 1 == shape.rank() ? unboxed(borrowed) : PyRef::borrow(borrowed);
    Outcome outcome = read_level(item.get(), shape, depth + 1, read, out);
    if (outcome != Outcome::kOk) return outcome;
  }
  return PySequence_Fast_GET_SIZE(items.get()) == shape[depth] ? Outcome::kOk : Outcome::kRagged;
}

template <typename Read>
Outcome read_all(PyObject* value, const Shape& shape, const Read& read, Tensor& out) {
  Tensor wide(DTypeOf<typename Read::Wide>::value, shape);
  auto* at = wide.mutable_data<typename Read::Wide>();
  Outcome outcome = read_level(value, shape, 0, read, at);
  if (outcome == Outcome::kOk) out = std::move(wide);
  return outcome;
}

// Narrowing of values read: integers wrap, floats round, as TensorFlow's casts do.
template <typename To, typename From>
To narrowed(const From& v) {
  if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>) {
    return To(static_cast<float>(v));
  } else if constexpr (std::is_same_v<To, std::complex<float>> || std::is_same_v<To, std::complex<double>>) {
    if constexpr (std::is_same_v<From, std::complex<double>>) {
      return To(v);
    } else {
      return To(static_cast<typename To::value_type>(v));
    }
  } else {
    return static_cast<To>(v);
  }
}

template <typename To, typename From>
Tensor narrowed_tensor(const Tensor& wide) {
  Tensor out(DTypeOf<To>::value, wide.shape());
  To* to = out.mutable_data<To>();
  const From* from = wide.data<From>();
  for (std::int64_t i = 0, n = wide.num_elements(); i < n; ++i) to[i] = narrowed<To>(from[i]);
  return out;
}

template <typename From>
Tensor narrow_from(const Tensor& wide, DType dtype) {
  switch (dtype) {
    case DType::kHalf:
      return narrowed_tensor<Half, From>(wide);
    case DType::kBFloat16:
      return narrowed_tensor<BFloat16, From>(wide);
    case DType::kFloat:
      return narrowed_tensor<float, From>(wide);
    case DType::kDouble:
      return narrowed_tensor<double, From>(wide);
    case DType::kComplex64:
      return narrowed_tensor<std::complex<float>, From>(wide);
    case DType::kComplex128:
      return narrowed_tensor<std::complex<double>, From>(wide);
    default:
      break;
  }
  if constexpr (std::is_integral_v<From>) {
    switch (dtype) {
      case DType::kInt8:
        return narrowed_tensor<std::int8_t, From>(wide);
      case DType::kInt16:
        return narrowed_tensor<std::int16_t, From>(wide);
      case DType::kInt32:
        return narrowed_tensor<std::int32_t, From>(wide);
      case DType::kInt64:
        return narrowed_tensor<std::int64_t, From>(wide);
      case DType::kUInt8:
        return narrowed_tensor<std::uint8_t, From>(wide);
      case DType::kUInt16:
        return narrowed_tensor<std::uint16_t, From>(wide);
      case DType::kUInt32:
        return narrowed_tensor<std::uint32_t, From>(wide);
      case DType::kUInt64:
        return narrowed_tensor<std::uint64_t, From>(wide);
      default:
        break;
    }
  }
  return Tensor();
}

// Undefined where TensorFlow makes no such conversion: float to int, complex to float, number to string.
Tensor narrow(const Tensor& wide, DType dtype) {
  if (wide.dtype() == dtype) return wide;
  switch (wide.dtype()) {
    case DType::kInt64:
      return narrow_from<std::int64_t>(wide, dtype);
    case DType::kUInt64:
      return narrow_from<std::uint64_t>(wide, dtype);
    case DType::kDouble:
      return narrow_from<double>(wide, dtype);
    case DType::kComplex128:
      return is_complex(dtype) ? narrowed_tensor<std::complex<float>, std::complex<double>>(wide) : Tensor();
    default:
      return Tensor();
  }
}

bool all_fit_int32(const Tensor& wide) {
  for (std::int64_t v : wide.span<std::int64_t>())
    if (v != static_cast<std::int32_t>(v)) return false;
  return true;
}

[[noreturn]] void report(Outcome outcome) {
  if (outcome == Outcome::kRagged)
    fail(ErrorKind::kValue, "Can't convert non-rectangular Python sequence to Tensor.");
  if (outcome == Outcome::kOverflow)
    fail(ErrorKind::kValue, "Can't convert Python sequence with out-of-range integer to Tensor.");
  fail(ErrorKind::kValue, "Can't convert Python sequence with mixed types to Tensor.");
}

// What the values are by themselves: all leaves in their widest type, and the dtype they would get.
struct Natural {
  Tensor wide;
  DType dtype = DType::kInvalid;
};

Natural read_floats(PyObject* value, const Shape& shape, DType dtype) {
  Natural natural{{}, dtype};
  Outcome outcome = read_all(value, shape, ReadDouble(), natural.wide);
  if (outcome != Outcome::kOk) report(outcome);
  return natural;
}

Natural read_natural(PyObject* value, const Nest& nest, Rules rules) {
  Natural natural;
  Outcome outcome = Outcome::kOk;
  switch (nest.kind) {
    case Leaf::kBool:
      natural.dtype = DType::kBool;
      outcome = read_all(value, nest.shape, ReadBool(), natural.wide);
      break;
    case Leaf::kString:
      natural.dtype = DType::kString;
      outcome = read_all(value, nest.shape, ReadString(), natural.wide);
      break;
    case Leaf::kComplex:
      natural.dtype = DType::kComplex128;
      outcome = read_all(value, nest.shape, ReadComplex(), natural.wide);
      break;
    case Leaf::kFloat:
      return read_floats(value, nest.shape, DType::kFloat);
    case Leaf::kTypedFloat:
      return read_floats(value, nest.shape, nest.typed);
    default:
      outcome = read_all(value, nest.shape, ReadInt(), natural.wide);
      if (outcome == Outcome::kFoundFloat) return read_floats(value, nest.shape, DType::kFloat);
      if (outcome == Outcome::kOverflow && rules == Rules::kGraph) {
        natural.dtype = DType::kUInt64;
        outcome = read_all(value, nest.shape, ReadUnsigned(), natural.wide);
      } else if (outcome == Outcome::kOk) {
        natural.dtype = all_fit_int32(natural.wide) ? DType::kInt32 : DType::kInt64;
      }
  }
  if (outcome != Outcome::kOk) report(outcome);
  return natural;
}

// The dtypes that TensorFlow reads directly, so that a bool or an integer past int64 fits them too.
bool reads_directly(DType wanted) {
  return wanted == DType::kHalf || wanted == DType::kFloat || wanted == DType::kDouble || wanted == DType::kInt32 ||
         wanted == DType::kInt64 || wanted == DType::kUInt64;
}

// Undefined when the values do not fit, or `wanted` is no such dtype.
Tensor read_directly(PyObject* value, const Shape& shape, DType wanted) {
  if (!reads_directly(wanted)) return Tensor();
  Tensor wide;
  Outcome outcome = Outcome::kMixed;
  if (is_floating(wanted))
    outcome = read_all(value, shape, ReadDouble(), wide);
  else if (wanted == DType::kUInt64)
    outcome = read_all(value, shape, ReadUnsigned(), wide);
  else
    outcome = read_all(value, shape, ReadInt(), wide);
  return outcome == Outcome::kOk ? narrow(wide, wanted) : Tensor();
}

// TensorFlow refuses a finite float that becomes infinite in an eager float32, unless float32 was asked for.
void check_float_range(const Tensor& wide) {
  for (double v : wide.span<double>())
    if (std::isfinite(v) && std::isinf(static_cast<float>(v)))
      fail(ErrorKind::kValue,
           "Can't convert Python sequence with a value out of range for a double-precision float.");
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

std::string shown(const PyRef& text) {
  PyRef bytes = owned(PyUnicode_AsEncodedString(text.get(), "utf-8", "backslashreplace"));
  std::string out(PyBytes_AS_STRING(bytes.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get())));
  constexpr std::size_t kLongest = 2000;
  if (out.size() > kLongest) out = out.substr(0, kLongest) + "...";
  return out;
}
std::string str_of(PyObject* value) { return shown(owned(PyObject_Str(value))); }

// Graph rules. The first leaf that does not convert to `wanted`, null if there is none.
PyRef first_misfit(PyObject* value, DType wanted, int depth = 0) {
  if (depth > kMaxRank) return PyRef();  // the shape is refused for it
  if (is_numpy_array(value) || is_sequence(value)) {
    PyRef as_list = unboxed(value);
    if (!is_sequence(as_list.get())) return first_misfit(as_list.get(), wanted, depth + 1);
    Py_ssize_t n = PySequence_Size(as_list.get());
    if (n < 0) throw_python_error();
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyRef item = owned(PySequence_GetItem(as_list.get(), i));
      if (PyRef misfit = first_misfit(item.get(), wanted, depth + 1)) return misfit;
    }
    return PyRef();
  }
  DType typed = DType::kInvalid;
  Leaf kind = classify(value, &typed);
  bool fits = kind == Leaf::kString ? wanted == DType::kString
              : kind == Leaf::kBool ? wanted == DType::kBool || is_numeric(wanted)
              : kind == Leaf::kInt  ? is_numeric(wanted)
              : kind == Leaf::kFloat || kind == Leaf::kTypedFloat ? is_floating(wanted) || is_complex(wanted)
                                                                  : kind == Leaf::kComplex && is_complex(wanted);
  return fits ? PyRef() : PyRef::borrow(value);
}

std::string short_type_name(PyObject* value) {
  std::string_view type_name = Py_TYPE(value)->tp_name;
  return std::string(type_name.substr(type_name.rfind('.') + 1));
}

// Throws if a leaf does not convert to `wanted`.
void report_misfit(PyObject* value, DType wanted) {
  if (PyRef misfit = first_misfit(value, wanted))
    fail(ErrorKind::kType, "Expected ", name(wanted), ", but got ", str_of(misfit.get()), " of type '",
         short_type_name(misfit.get()), "'.");
}

[[noreturn]] void report_elements(PyObject* value) {
  fail(ErrorKind::kType, "Failed to convert elements of ", str_of(value),
       " to Tensor. Consider casting elements to a supported type. See "
       "https://www.tensorflow.org/api_docs/python/tf/dtypes for supported TF dtypes.");
}

// Accepts any leaf.
struct ReadNothing {
  using Wide = bool;
  Outcome operator()(PyObject*, Wide& out) const {
    out = false;
    return Outcome::kOk;
  }
};

bool is_rectangular(PyObject* value, const Shape& shape) {
  Tensor ignored;
  return read_all(value, shape, ReadNothing(), ignored) == Outcome::kOk;
}

// A graph's constants are made by numpy, whose words these are.
[[noreturn]] void report_ragged(PyObject* value) {
  PyRef numpy = owned(PyImport_ImportModule("numpy"));
  PyRef array = owned(PyObject_CallMethod(numpy.get(), "array", "O", value));
  report(Outcome::kRagged);
}

// The widest kind of the leaves, so that [True, 1] and [1.5, 1j] have one.
Tensor read_mixed(PyObject* value, const Shape& shape, DType wanted) {
  Tensor wide;
  Outcome outcome = read_all(value, shape, ReadBool(), wide);
  DType dtype = DType::kBool;
  if (outcome != Outcome::kOk) {
    outcome = read_all(value, shape, ReadInt(), wide);
    if (outcome == Outcome::kOk) dtype = all_fit_int32(wide) ? DType::kInt32 : DType::kInt64;
  }
  if (outcome == Outcome::kOverflow) {
    outcome = read_all(value, shape, ReadUnsigned(), wide);
    dtype = DType::kUInt64;
    if (outcome == Outcome::kOverflow) return Tensor();
  }
  if (outcome != Outcome::kOk) outcome = read_all(value, shape, ReadDouble(), wide), dtype = DType::kFloat;
  if (outcome != Outcome::kOk) outcome = read_all(value, shape, ReadComplex(), wide), dtype = DType::kComplex128;
  if (outcome != Outcome::kOk) return Tensor();
  if (wanted == DType::kInvalid) return narrow(wide, dtype);
  if (wide.dtype() == DType::kBool && is_numeric(wanted)) read_all(value, shape, ReadInt(), wide);
  return narrow(wide, wanted);
}

Tensor read_graph(PyObject* value, const Nest& nest, DType wanted) {
  if (wanted != DType::kInvalid) {
    report_misfit(value, wanted);
    Tensor direct = read_directly(value, nest.shape, wanted);
    if (direct.defined()) return direct;
  }
  try {
    Natural natural = read_natural(value, nest, Rules::kGraph);
    // A list of numpy's float64 is a list of floats to a graph.
    if (natural.dtype == DType::kDouble) natural.dtype = DType::kFloat;
    Tensor out = narrow(natural.wide, wanted == DType::kInvalid ? natural.dtype : wanted);
    if (out.defined()) return out;
  } catch (const Error& e) {
    Tensor out = e.reraise() ? Tensor() : read_mixed(value, nest.shape, wanted);
    if (out.defined()) return out;
    if (e.reraise()) throw;
    if (!is_rectangular(value, nest.shape)) report_ragged(value);
    report_elements(value);
  }
  Tensor out = read_mixed(value, nest.shape, wanted);
  if (!out.defined()) report(Outcome::kMixed);
  return out;
}

}  // namespace

Tensor narrow_ints(const Tensor& wide, DType dtype) { return narrow(wide, dtype); }

bool is_sequence(PyObject* value) {
  if (PyList_CheckExact(value) || PyTuple_CheckExact(value)) return true;
  if (is_text(value) || PyFloat_CheckExact(value) || PyLong_CheckExact(value)) return false;
  if (is_numpy_array(value)) return NumpyArray(value).shape.rank() > 0;
  return PySequence_Check(value) && !is_numpy_scalar(value);
}

std::string repr_of(PyObject* value) { return shown(owned(PyObject_Repr(value))); }

void unsupported_value(PyObject* value) {
  fail(ErrorKind::kValue, "Attempt to convert a value (", repr_of(value), ") with an unsupported type (",
       repr_of(reinterpret_cast<PyObject*>(Py_TYPE(value))), ") to a Tensor.");
}

Tensor scalar_from_python(PyObject* value, DType wanted) {
  if (PyFloat_CheckExact(value)) {
    double v = PyFloat_AS_DOUBLE(value);
    switch (wanted) {
      case DType::kInvalid:
        // An overflow is an error of the general path.
        return std::isfinite(v) && std::isinf(static_cast<float>(v)) ? Tensor()
                                                                     : Tensor::scalar(static_cast<float>(v));
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
  // No first leaf: eagerly TensorFlow looks no further, so [[], [1]] has shape (2, 0).
  if (nest.kind == Leaf::kNone && rules == Rules::kGraph && wanted != DType::kInvalid) report_misfit(value, wanted);
  if (nest.kind == Leaf::kNone && rules == Rules::kGraph && !is_rectangular(value, nest.shape)) report_ragged(value);
  if (nest.kind == Leaf::kNone) return Tensor::zeros(wanted == DType::kInvalid ? DType::kFloat : wanted, nest.shape);
  return rules == Rules::kEager ? read_eager(value, nest, wanted) : read_graph(value, nest, wanted);
}

}  // namespace tracefn::bind
