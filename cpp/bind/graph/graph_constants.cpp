// The misfits that a graph reports, and mixed values that it accepts.
#include "bind/graph/graph_constants.h"

#include "bind/convert/from_python.h"
#include "bind/convert/narrow.h"
#include "bind/convert/natural_values.h"
#include "bind/convert/numpy_types.h"
#include "bind/errors.h"

namespace tracefn::bind {
namespace {

// The first leaf that does not convert to `wanted`, null if there is none.
PyRef first_misfit(PyObject* value, DType wanted, int depth = 0) {
  if (depth > kMaxRank) return PyRef();  // the shape is rejected for it
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
  bool fits = kind == Leaf::kString                               ? wanted == DType::kString
              : kind == Leaf::kBool                               ? wanted == DType::kBool || is_numeric(wanted)
              : kind == Leaf::kInt                                ? is_numeric(wanted)
              : kind == Leaf::kFloat || kind == Leaf::kTypedFloat ? is_floating(wanted) || is_complex(wanted)
                                                                  : kind == Leaf::kComplex && is_complex(wanted);
  return fits ? PyRef() : PyRef::borrow(value);
}

}  // namespace

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

bool is_rectangular(PyObject* value, const Shape& shape) {
  Tensor ignored;
  return read_all(value, shape, Read::kNothing, ignored) == Outcome::kOk;
}

// numpy makes a graph's constants; these are its words.
[[noreturn]] void report_ragged(PyObject* value) {
  PyRef numpy = owned(PyImport_ImportModule("numpy"));
  PyRef array = owned(PyObject_CallMethod(numpy.get(), "array", "(O)", value));
  report(Outcome::kRagged);
}

namespace {

// The widest kind of the leaves, so that [True, 1] and [1.5, 1j] have one.
Tensor read_mixed(PyObject* value, const Shape& shape, DType wanted) {
  Tensor wide;
  Outcome outcome = read_all(value, shape, Read::kBool, wide);
  DType dtype = DType::kBool;
  if (outcome != Outcome::kOk) {
    outcome = read_all(value, shape, Read::kInt, wide);
    if (outcome == Outcome::kOk) dtype = all_fit_int32(wide) ? DType::kInt32 : DType::kInt64;
  }
  if (outcome == Outcome::kOverflow) {
    outcome = read_all(value, shape, Read::kUnsigned, wide);
    dtype = DType::kUInt64;
    if (outcome == Outcome::kOverflow) return Tensor();
  }
  if (outcome != Outcome::kOk) outcome = read_all(value, shape, Read::kDouble, wide), dtype = DType::kFloat;
  if (outcome != Outcome::kOk) outcome = read_all(value, shape, Read::kComplex, wide), dtype = DType::kComplex128;
  if (outcome != Outcome::kOk) return Tensor();
  if (wanted == DType::kInvalid) return narrow(wide, dtype);
  if (wide.dtype() == DType::kBool && is_numeric(wanted)) read_all(value, shape, Read::kInt, wide);
  return narrow(wide, wanted);
}

}  // namespace

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

}  // namespace tracefn::bind
