// Reading of call arguments into words.
#include "bind/fingerprint.h"

#include <bit>

#include "bind/spec_classes.h"
#include "bind/tensor_object.h"

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
  kKeywords
};

constexpr int kMaxDepth = 16;

std::uint64_t address(PyObject* object) { return reinterpret_cast<std::uint64_t>(object); }

}  // namespace

bool Fingerprint::read(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  words.push_back(static_cast<std::uint64_t>(nargs));
  for (Py_ssize_t i = 0; i < nargs; ++i)
    if (!add(args[i], 0)) return false;
  if (!kwnames) return true;
  Py_ssize_t keywords = PyTuple_GET_SIZE(kwnames);
  for (Py_ssize_t k = 0; k < keywords; ++k) {
    PyObject* key = PyTuple_GET_ITEM(kwnames, k);
    words.push_back(kKeywords);
    words.push_back(address(key));
    pins.push_back(key);
    if (!add(args[nargs + k], 0)) return false;
  }
  return true;
}

bool Fingerprint::add(PyObject* value, int depth) {
  if (is_eager(value)) {
    const Tensor& t = operand_of(value).tensor;
    words.push_back(kTensor | static_cast<std::uint64_t>(slot(t.dtype())) << 8 |
                    static_cast<std::uint64_t>(t.rank()) << 16);
    for (std::int64_t d : t.shape().dims()) words.push_back(static_cast<std::uint64_t>(d));
    leaves.push_back(value);
    return true;
  }
  if (value == Py_None || value == Py_True || value == Py_False) {
    words.push_back(kPinned);
    words.push_back(address(value));
    return true;
  }
  if (PyLong_CheckExact(value)) {
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow) return false;
    words.push_back(kInt);
    words.push_back(static_cast<std::uint64_t>(number));
    return true;
  }
  if (PyFloat_CheckExact(value)) {
    words.push_back(kFloat);
    words.push_back(std::bit_cast<std::uint64_t>(PyFloat_AS_DOUBLE(value)));
    return true;
  }
  if (PyUnicode_CheckExact(value) || PyBytes_CheckExact(value) || PyComplex_CheckExact(value) || PyRange_Check(value)) {
    words.push_back(kPinned);
    words.push_back(address(value));
    pins.push_back(value);
    return true;
  }
  if (depth >= kMaxDepth || is_symbolic(value)) return false;
  if (PyList_CheckExact(value) || PyTuple_Check(value)) {
    bool list = PyList_CheckExact(value);
    ++containers;
    words.push_back((list                        ? kList
                     : PyTuple_CheckExact(value) ? kTuple
                                                 : kNamedTuple) |
                    static_cast<std::uint64_t>(PySequence_Fast_GET_SIZE(value)) << 8);
    if (!list && !PyTuple_CheckExact(value)) {
      auto* type = reinterpret_cast<PyObject*>(Py_TYPE(value));
      words.push_back(address(type));
      watched.push_back(type);
    }
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i)
      if (!add(PySequence_Fast_GET_ITEM(value, i), depth + 1)) return false;
    return true;
  }
  if (PyDict_CheckExact(value)) {
    ++containers;
    words.push_back(kDict | static_cast<std::uint64_t>(PyDict_GET_SIZE(value)) << 8);
    PyObject *key, *item;
    for (Py_ssize_t at = 0; PyDict_Next(value, &at, &key, &item);) {
      if (!PyUnicode_CheckExact(key)) return false;
      words.push_back(address(key));
      pins.push_back(key);
      if (!add(item, depth + 1)) return false;
    }
    return true;
  }
  if (is_variable(value)) {
    words.push_back(kVariable);
    words.push_back(address(value));
    watched.push_back(value);
    leaves.push_back(value);
    return true;
  }
  if (PyList_Check(value) || PyDict_Check(value) || PyLong_Check(value) || PyFloat_Check(value)) return false;
  words.push_back(kObject);
  words.push_back(address(value));
  watched.push_back(value);
  return true;
}

}  // namespace tracefn::bind
