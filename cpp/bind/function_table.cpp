// Matches arguments to parameters, and reads the simple kinds.
#include "bind/function_table.h"

#include <algorithm>

namespace tracefn::bind {

Parameters::Parameters(const char* function, std::string_view list) : function_(function) {
  while (!list.empty()) {
    std::size_t comma = list.find(", ");
    std::string_view one = list.substr(0, comma);
    std::size_t equals = one.find('=');
    names_.emplace_back(one.substr(0, equals));
    if (equals == std::string_view::npos) num_required_ = names_.size();
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 2);
  }
}

void Parameters::place_positional(PyObject* const* args, Py_ssize_t count, PyObject** places) const {
  auto given = static_cast<std::size_t>(count);
  if (given > size())
    fail(ErrorKind::kType, function_, "() takes ", size(), " positional argument", size() == 1 ? "" : "s", " but ",
         given, given == 1 ? " was given" : " were given");
  std::copy_n(args, given, places);
  std::fill(places + given, places + size(), nullptr);
}

void Parameters::place_named(PyObject* name, PyObject* value, PyObject** places) const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (PyUnicode_CompareWithASCIIString(name, names_[i].c_str()) != 0) continue;
    if (places[i]) fail(ErrorKind::kType, function_, "() got multiple values for argument '", names_[i], "'");
    places[i] = value;
    return;
  }
  const char* text = PyUnicode_AsUTF8(name);
  if (!text) throw_python_error();
  fail(ErrorKind::kType, function_, "() got an unexpected keyword argument '", text, "'");
}

void Parameters::check_required(PyObject** places) const {
  for (std::size_t i = 0; i < num_required_; ++i)
    if (!places[i])
      fail(ErrorKind::kType, function_, "() missing required argument '", names_[i], "' (pos ", i + 1, ")");
}

void Parameters::place(PyObject* const* args, Py_ssize_t num_positional, PyObject* names, PyObject** places) const {
  place_positional(args, num_positional, places);
  Py_ssize_t num_named = names ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t i = 0; i < num_named; ++i) place_named(PyTuple_GET_ITEM(names, i), args[num_positional + i], places);
  check_required(places);
}

void Parameters::place(PyObject* args, PyObject* kwargs, PyObject** places) const {
  place_positional(PySequence_Fast_ITEMS(args), PyTuple_GET_SIZE(args), places);
  PyObject *name, *value;
  for (Py_ssize_t at = 0; kwargs && PyDict_Next(kwargs, &at, &name, &value);) place_named(name, value, places);
  check_required(places);
}

void Argument::refuse(const char* expected) const {
  fail(ErrorKind::kType, parameters.function(), "() argument '", parameters[index], "' must be ", expected, ", not ",
       value == Py_None ? "None" : Py_TYPE(value)->tp_name);
}

std::int64_t Argument::integer(std::int64_t least, std::int64_t most) const {
  if (!PyIndex_Check(value)) refuse("int");
  PyRef number = owned(PyNumber_Index(value));
  int overflow = 0;
  long long n = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
  if (n == -1 && PyErr_Occurred()) throw_python_error();
  if (overflow || n < least || n > most)
    fail(ErrorKind::kOverflow, parameters.function(), "() argument '", parameters[index], "' is out of range");
  return n;
}

std::string_view Argument::text() const {
  if (PyBytes_Check(value)) return bytes();
  if (!PyUnicode_Check(value)) refuse("str");
  Py_ssize_t size = 0;
  const char* utf8 = PyUnicode_AsUTF8AndSize(value, &size);
  if (!utf8) throw_python_error();
  return {utf8, static_cast<std::size_t>(size)};
}

std::string_view Argument::bytes() const {
  if (!PyBytes_Check(value)) refuse("bytes");
  return {PyBytes_AS_STRING(value), static_cast<std::size_t>(PyBytes_GET_SIZE(value))};
}

const char* signature_and_doc(const char* name, std::string_view parameters, const char* doc) {
  return (new std::string(concat(name, "(", parameters, ")\n--\n\n", doc)))->c_str();
}

}  // namespace tracefn::bind
