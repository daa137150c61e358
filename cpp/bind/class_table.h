// Python classes around C++ values, with methods and attributes in the manner of function_table.h:
//
//   PyRef leaves(const Bound& bound);
//   static PyMethodDef methods[] = {member<leaves>("leaves", "", "The tensors of the call."), {}};
//   static PyGetSetDef attributes[] = {attribute<key>("key", "The call's key."), {}};
//   add_class<Bound>(module, "tracefn._core.Bound", "A call.", {{Py_tp_methods, methods}, {Py_tp_getset, attributes}});
//
// The first parameter of such a function is the object's value. An object owns its value, supports weak references, and
// is not tracked by the garbage collector. All functions need the GIL.
#pragma once

#include <Python.h>

#include <initializer_list>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "bind/function_table.h"

namespace tracefn::bind {

// The object layout for class T.
template <typename T>
struct Boxed {
  PyObject_HEAD
  PyObject* weakrefs;
  T value;
};

// Of the process; set by add_class().
template <typename T>
inline PyTypeObject* class_of = nullptr;

template <typename T>
bool is_boxed(PyObject* object) {
  return PyObject_TypeCheck(object, class_of<T>);
}
// Precondition: is_boxed<T>(object).
template <typename T>
T& unboxed(PyObject* object) {
  return reinterpret_cast<Boxed<T>*>(object)->value;
}
// A new object; throws.
template <typename T>
PyObject* box_as(PyTypeObject* type, T value) {
  PyObject* object = checked(type->tp_alloc(type, 0));
  new (&reinterpret_cast<Boxed<T>*>(object)->value) T(std::move(value));
  return object;
}
template <typename T>
PyRef box(T value) {
  return PyRef::steal(box_as(class_of<T>, std::move(value)));
}

// An argument of such a class.
template <typename T>
const T& boxed_argument(const Argument& argument) {
  if (!argument.value || !is_boxed<T>(argument.value)) argument.refuse(class_of<T>->tp_name);
  return unboxed<T>(argument.value);
}

// The type of `self` in a method.
template <typename T>
struct Self {
  static T& of(PyObject* object) { return unboxed<T>(object); }
};

template <auto function>
struct MemberEntry;
template <typename Result, typename Value, typename... Args, Result (*function)(Value&, Args...)>
struct MemberEntry<function> {
  using Object = Self<std::remove_const_t<Value>>;
  static inline const Parameters* parameters = nullptr;  // of the process, set by member<>()

  static PyObject* call(PyObject* self, PyObject* const* args, Py_ssize_t num_positional, PyObject* names) {
    return guarded([&] {
      PyObject* places[sizeof...(Args) + 1];
      parameters->place(args, num_positional, names, places);
      return call_with(self, places, std::index_sequence_for<Args...>());
    });
  }
  template <std::size_t... i>
  static PyObject* call_with(PyObject* self, [[maybe_unused]] PyObject** places, std::index_sequence<i...>) {
    return python_result([&] {
      return function(Object::of(self), Reader<std::decay_t<Args>>::read({places[i], *parameters, i})...);
    });
  }
  static PyObject* get(PyObject* self, void*) {
    return guarded([&] { return python_result([&] { return of(self); }); });
  }
  static Result of(PyObject* self, Args... args) { return function(Object::of(self), args...); }
};

// A method.
template <auto f>
PyMethodDef member(const char* name, const char* parameters, const char* doc) {
  if (!MemberEntry<f>::parameters) MemberEntry<f>::parameters = new Parameters(name, parameters);
  std::string_view more = parameters;
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(MemberEntry<f>::call)),
          METH_FASTCALL | METH_KEYWORDS, signature_and_doc(name, concat("$self", more.empty() ? "" : ", ", more), doc)};
}
// A read-only attribute.
template <auto get>
PyGetSetDef attribute(const char* name, const char* doc = nullptr) {
  return {name, MemberEntry<get>::get, nullptr, doc, nullptr};
}

// Slots. `make` creates the value of a new object; without it the class has no constructor. `parameters` are also those
// of the class itself.
template <auto make>
struct Constructor;
template <typename T, typename... Args, T (*make)(Args...)>
struct Constructor<make> {
  static inline const Parameters* parameters = nullptr;  // of the process, set by constructor<>()

  static PyObject* call(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    return guarded([&] {
      PyObject* places[sizeof...(Args) + 1];
      parameters->place(args, kwargs, places);
      return call_with(type, places, std::index_sequence_for<Args...>());
    });
  }
  template <std::size_t... i>
  static PyObject* call_with(PyTypeObject* type, [[maybe_unused]] PyObject** places, std::index_sequence<i...>) {
    return box_as(type, make(Reader<std::decay_t<Args>>::read({places[i], *parameters, i})...));
  }
};
template <auto make>
PyType_Slot constructor(const char* name, const char* parameters) {
  if (!Constructor<make>::parameters) Constructor<make>::parameters = new Parameters(name, parameters);
  return {Py_tp_new, reinterpret_cast<void*>(Constructor<make>::call)};
}

// __repr__ and __str__ (Py_tp_repr, Py_tp_str), by a function of the value.
template <auto f>
PyType_Slot text_slot(int slot) {
  PyObject* (*text)(PyObject*) = [](PyObject* self) { return MemberEntry<f>::get(self, nullptr); };
  return {slot, reinterpret_cast<void*>(text)};
}
// __hash__, by a function of the value: std::size_t f(const T&).
template <auto f>
PyType_Slot hash_slot() {
  hashfunc hash = [](PyObject* self) -> Py_hash_t {
    return guarded([&] { return static_cast<Py_hash_t>(MemberEntry<f>::of(self) >> 1); }, Py_hash_t{-1});
  };
  return {Py_tp_hash, reinterpret_cast<void*>(hash)};
}
// == and !=, by a function of the value and any other object: bool f(const T&, PyObject*).
template <auto f>
PyType_Slot equality_slot() {
  richcmpfunc compare = [](PyObject* self, PyObject* other, int op) {
    return guarded([&]() -> PyObject* {
      if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
      return PyBool_FromLong(MemberEntry<f>::of(self, other) == (op == Py_EQ));
    });
  };
  return {Py_tp_richcompare, reinterpret_cast<void*>(compare)};
}

// The part of add_class() that does not depend on the class.
PyTypeObject* add_class(PyObject* module, const char* name, const char* doc, std::size_t size, destructor dealloc,
                        std::initializer_list<PyType_Slot> slots);
void free_object(PyObject* self);

// Adds the class of T to the module; `name` begins with "tracefn._core.".
template <typename T>
void add_class(PyObject* module, const char* name, const char* doc, std::initializer_list<PyType_Slot> slots) {
  destructor dealloc = [](PyObject* self) {
    if (reinterpret_cast<Boxed<T>*>(self)->weakrefs) PyObject_ClearWeakRefs(self);
    unboxed<T>(self).~T();
    free_object(self);
  };
  class_of<T> = add_class(module, name, doc, sizeof(Boxed<T>), dealloc, slots);
}

}  // namespace tracefn::bind
