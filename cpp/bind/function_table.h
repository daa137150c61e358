// Python functions written as C++ functions of typed arguments, for tables of PyMethodDef:
//
//   PyObject* node_text(PyObject* graph, NodeId id, std::optional<bool> full);
//   static PyMethodDef functions[] = {function<node_text>("node_text", "graph, id, full=True", "A node as text."), {}};
//
// Arguments may be given by name. Each is read by the Reader of its C++ type. An omitted one is None as a PyObject* and
// empty as a std::optional; other types are for required parameters. C++ exceptions become Python exceptions. The
// common code is compiled once, in function_table.cpp.
#pragma once

#include <Python.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bind/errors.h"
#include "bind/method.h"

namespace tracefn::bind {

// The name of a function and its parameters, written as in Python: "graph, style='leaves'". Those with a default come
// last.
class Parameters {
 public:
  Parameters(const char* function, std::string_view list);
  std::size_t size() const { return names_.size(); }
  const std::string& function() const { return function_; }
  const std::string& operator[](std::size_t i) const { return names_[i]; }

  // Stores the arguments of a call (`names` is null or a tuple, as in METH_FASTCALL) at their parameters' places:
  // borrowed references, null for omitted ones. TypeErrors in Python's own words.
  void place(PyObject* const* args, Py_ssize_t num_positional, PyObject* names, PyObject** places) const;
  // The same for a tuple and a dict (or null).
  void place(PyObject* args, PyObject* kwargs, PyObject** places) const;

 private:
  void place_named(PyObject* name, PyObject* value, PyObject** places) const;
  void place_positional(PyObject* const* args, Py_ssize_t count, PyObject** places) const;
  void check_required(PyObject** places) const;

  std::string function_;
  std::vector<std::string> names_;
  std::size_t num_required_ = 0;
};

// One argument of a call.
struct Argument {
  PyObject* value;  // borrowed; null if omitted
  const Parameters& parameters;
  std::size_t index;

  // TypeError: f() argument 'name' must be `expected`, not int
  [[noreturn]] void refuse(const char* expected) const;
  std::int64_t integer(std::int64_t least, std::int64_t most) const;
  // Of a str or of bytes; lives as long as the argument.
  std::string_view text() const;
  std::string_view bytes() const;
};

// The content of a bytes object; lives as long as the argument.
struct BytesView {
  std::string_view content;
};

template <typename T>
struct Reader;
template <>
struct Reader<PyObject*> {
  static PyObject* read(const Argument& argument) { return argument.value ? argument.value : Py_None; }
};
template <>
struct Reader<bool> {
  static bool read(const Argument& argument) { return checked(PyObject_IsTrue(argument.value)) != 0; }
};
template <std::integral T>
struct Reader<T> {
  static T read(const Argument& argument) {
    constexpr std::int64_t kLeast = std::is_signed_v<T> ? static_cast<std::int64_t>(std::numeric_limits<T>::min()) : 0;
    constexpr std::int64_t kMost = sizeof(T) < 8 ? static_cast<std::int64_t>(std::numeric_limits<T>::max())
                                                 : std::numeric_limits<std::int64_t>::max();
    return static_cast<T>(argument.integer(kLeast, kMost));
  }
};
template <>
struct Reader<std::string> {
  static std::string read(const Argument& argument) { return std::string(argument.text()); }
};
template <>
struct Reader<std::string_view> {
  static std::string_view read(const Argument& argument) { return argument.text(); }
};
template <>
struct Reader<BytesView> {
  static BytesView read(const Argument& argument) { return {argument.bytes()}; }
};
template <typename T>
struct Reader<std::optional<T>> {
  static std::optional<T> read(const Argument& argument) {
    return argument.value ? std::optional<T>(Reader<T>::read(argument)) : std::nullopt;
  }
};

// Results: new references.
inline PyObject* result_of(PyObject* object) { return object; }
inline PyObject* result_of(PyRef object) { return object.release(); }
inline PyObject* result_of(std::string_view string) { return text(string); }
inline PyObject* result_of(const std::string& string) { return text(string); }
inline PyObject* result_of(const char* string) { return text(string); }
template <std::integral T>
PyObject* result_of(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return PyBool_FromLong(value);
  } else if constexpr (std::is_signed_v<T>) {
    return PyLong_FromLongLong(value);
  } else {
    return PyLong_FromUnsignedLongLong(value);
  }
}

// Calls `function` and returns its result; void is None.
template <typename F>
PyObject* python_result(F&& function) {
  if constexpr (std::is_void_v<decltype(function())>) {
    function();
    Py_RETURN_NONE;
  } else {
    return result_of(function());
  }
}

template <auto function>
struct FunctionEntry;
template <typename Result, typename... Args, Result (*function)(Args...)>
struct FunctionEntry<function> {
  static inline const Parameters* parameters = nullptr;  // of the process, set by function<>()

  static PyObject* call(PyObject*, PyObject* const* args, Py_ssize_t num_positional, PyObject* names) {
    return guarded([&] {
      PyObject* places[sizeof...(Args) + 1];
      parameters->place(args, num_positional, names, places);
      return call_with(places, std::index_sequence_for<Args...>());
    });
  }
  template <std::size_t... i>
  static PyObject* call_with(PyObject** places, std::index_sequence<i...>) {
    return python_result([&] { return function(Reader<std::decay_t<Args>>::read({places[i], *parameters, i})...); });
  }
};

// An entry's text: the signature, in the form that inspect.signature() reads, and `doc`. Lives as long as the process.
const char* signature_and_doc(const char* name, std::string_view parameters, const char* doc);

template <auto f>
PyMethodDef function(const char* name, const char* parameters, const char* doc) {
  if (!FunctionEntry<f>::parameters) FunctionEntry<f>::parameters = new Parameters(name, parameters);
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(FunctionEntry<f>::call)),
          METH_FASTCALL | METH_KEYWORDS, signature_and_doc(name, parameters, doc)};
}

}  // namespace tracefn::bind
