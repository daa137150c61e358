// Reads call arguments into words.
#include "bind/call/fingerprint.h"

#include <bit>

#include "bind/convert/from_numpy.h"
#include "bind/convert/numpy_types.h"
#include "bind/structure/classes.h"
#include "bind/tensor/tensor_object.h"

namespace tracefn::bind {
namespace {

enum Tag : std::uint64_t {
  kTensor = 1,
  kInt,
  kFloat,
  kPinned,
  kList,
  kTuple,
  kNamedTuple,
  kDict,
  kVariable,
  kObject,
  kKeywords,
  kNumpy,
  kResource
};

constexpr int kMaxDepth = 16;

std::uint64_t address(PyObject* object) { return reinterpret_cast<std::uint64_t>(object); }

// Appends the words that are read.
struct Recorder {
  Fingerprint& f;
  bool word(std::uint64_t w) {
    f.words.push_back(w);
    return true;
  }
  void leaf(PyObject* object) { f.leaves.push_back(object); }
  void pin(PyObject* object) { f.pins.push_back(object); }
  void watch(PyObject* object) { f.watched.push_back(object); }
  void container() { ++f.containers; }
  void resource() { ++f.resources; }
  void by_name() { f.in_order = false; }
};

// Compares the words with an earlier call's. Equal words are read the same way, so the end is reached only where a
// keyword may follow, or as the end; and a leaf is reported only if its words are equal, so never one too many.
struct Comparer {
  const std::uint64_t* next;
  PyObject** leaves;
  bool word(std::uint64_t w) { return *next++ == w; }
  void leaf(PyObject* object) { *leaves++ = object; }
  void pin(PyObject*) {}
  void watch(PyObject*) {}
  void container() {}
  void resource() {}
  void by_name() {}
};

template <typename Out>
bool add_other(PyObject* value, int depth, Out& out);

// Tensors are by far the most common arguments, so the loops over arguments and items handle them inline.
template <typename Out>
inline bool add(PyObject* value, int depth, Out& out) {
  if (!is_eager(value)) return add_other(value, depth, out);
  const Tensor& t = operand_of(value).tensor;
  if (!out.word(kTensor | static_cast<std::uint64_t>(slot(t.dtype())) << 8 |
                static_cast<std::uint64_t>(t.rank()) << 16))
    return false;
  for (std::int64_t d : t.shape().dims())
    if (!out.word(static_cast<std::uint64_t>(d))) return false;
  out.leaf(value);
  return true;
}

template <typename Out>
bool add_call(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, Out& out) {
  if (!out.word(static_cast<std::uint64_t>(nargs))) return false;
  for (Py_ssize_t i = 0; i < nargs; ++i)
    if (!add(args[i], 0, out)) return false;
  if (!kwnames) return true;
  Py_ssize_t keywords = PyTuple_GET_SIZE(kwnames);
  out.by_name();
  for (Py_ssize_t k = 0; k < keywords; ++k) {
    PyObject* key = PyTuple_GET_ITEM(kwnames, k);
    if (!out.word(kKeywords) || !out.word(address(key))) return false;
    out.pin(key);
    if (!add(args[nargs + k], 0, out)) return false;
  }
  return true;
}

// Of a list or tuple.
template <typename Out>
bool add_sequence(PyObject* value, Tag tag, int depth, Out& out) {
  if (depth >= kMaxDepth) return false;
  out.container();
  if (!out.word(tag | static_cast<std::uint64_t>(PySequence_Fast_GET_SIZE(value)) << 8)) return false;
  if (tag == kNamedTuple) {
    auto* type = reinterpret_cast<PyObject*>(Py_TYPE(value));
    if (!out.word(address(type))) return false;
    out.watch(type);
  }
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i)
    if (!add(PySequence_Fast_GET_ITEM(value, i), depth + 1, out)) return false;
  return true;
}

template <typename Out>
bool add_dict(PyObject* value, int depth, Out& out) {
  if (depth >= kMaxDepth) return false;
  out.container();
  out.by_name();
  if (!out.word(kDict | static_cast<std::uint64_t>(PyDict_GET_SIZE(value)) << 8)) return false;
  PyObject *key, *item;
  for (Py_ssize_t at = 0; PyDict_Next(value, &at, &key, &item);) {
    if (!PyUnicode_CheckExact(key)) return false;
    if (!out.word(address(key))) return false;
    out.pin(key);
    if (!add(item, depth + 1, out)) return false;
  }
  return true;
}

template <typename Out>
bool add_other(PyObject* value, int depth, Out& out) {
  if (PyList_CheckExact(value)) return add_sequence(value, kList, depth, out);
  if (PyTuple_CheckExact(value)) return add_sequence(value, kTuple, depth, out);
  if (PyDict_CheckExact(value)) return add_dict(value, depth, out);
  if (value == Py_None || value == Py_True || value == Py_False) return out.word(kPinned) && out.word(address(value));
  if (PyLong_CheckExact(value)) {
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow) return false;
    return out.word(kInt) && out.word(static_cast<std::uint64_t>(number));
  }
  if (PyFloat_CheckExact(value))
    return out.word(kFloat) && out.word(std::bit_cast<std::uint64_t>(PyFloat_AS_DOUBLE(value)));
  if (PyUnicode_CheckExact(value) || PyBytes_CheckExact(value) || PyComplex_CheckExact(value) || PyRange_Check(value)) {
    out.pin(value);
    return out.word(kPinned) && out.word(address(value));
  }
  if (is_exact_numpy_array(value)) {
    NumpyArray array(value);
    if (!is_plain(array.dtype) || !out.word(kNumpy | static_cast<std::uint64_t>(slot(array.dtype)) << 8 |
                                            static_cast<std::uint64_t>(array.shape.rank()) << 16))
      return false;
    for (std::int64_t d : array.shape.dims())
      if (!out.word(static_cast<std::uint64_t>(d))) return false;
    out.leaf(value);
    return true;
  }
  if (depth >= kMaxDepth || is_symbolic(value)) return false;
  if (PyTuple_Check(value)) return add_sequence(value, kNamedTuple, depth, out);
  if (is_variable(value)) {
    if (!out.word(kVariable) || !out.word(address(value))) return false;
    out.watch(value);
    out.leaf(value);
    return true;
  }
  if (is_numpy_scalar(value)) {
    DType dtype = dtype_of_numpy_scalar(value);
    if (!is_plain(dtype) || !out.word(kNumpy | static_cast<std::uint64_t>(slot(dtype)) << 8)) return false;
    out.leaf(value);
    return true;
  }
  if (PyList_Check(value) || PyDict_Check(value) || PyLong_Check(value) || PyFloat_Check(value)) return false;
  out.watch(value);
  if (!is_resource_owner(value)) return out.word(kObject) && out.word(address(value));
  out.resource();
  if (!out.word(kResource) || !out.word(address(value))) return false;
  out.leaf(value);
  return true;
}

}  // namespace

bool Fingerprint::read(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  Recorder recorder{*this};
  return add_call(args, nargs, kwnames, recorder);
}

bool reads_as(const std::uint64_t* words, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
              PyObject** leaves) {
  static_assert(Fingerprint::kEnd != kKeywords);
  Comparer comparer{words, leaves};
  return add_call(args, nargs, kwnames, comparer) && *comparer.next == Fingerprint::kEnd;
}

}  // namespace tracefn::bind
