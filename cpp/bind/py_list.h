// Builds lists and dicts from C++ values, and iterates over iterables. Needs the GIL; throws.
#pragma once

#include <Python.h>

#include <cstddef>
#include <iterator>
#include <vector>

#include "bind/errors.h"

namespace tracefn::bind {

// A new list of `make(item)`: new references, null for a Python exception.
template <typename Items, typename Make>
PyRef list_of(const Items& items, const Make& make) {
  PyRef list = owned(PyList_New(static_cast<Py_ssize_t>(std::size(items))));
  Py_ssize_t i = 0;
  for (const auto& item : items) PyList_SET_ITEM(list.get(), i++, checked(make(item)));
  return list;
}
// The same for each index below `size`.
template <typename Make>
PyRef list_of_size(std::size_t size, const Make& make) {
  PyRef list = owned(PyList_New(static_cast<Py_ssize_t>(size)));
  for (std::size_t i = 0; i < size; ++i) PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), checked(make(i)));
  return list;
}

// Takes over a new reference, which is null for a Python exception.
inline void append(const PyRef& list, PyObject* item) {
  PyRef held = owned(item);
  checked(PyList_Append(list.get(), held.get()));
}
inline void set_item(const PyRef& dict, const char* key, PyObject* value) {
  PyRef held = owned(value);
  checked(PyDict_SetItemString(dict.get(), key, held.get()));
}

// Calls `use` with each item of an iterable, borrowed.
template <typename Use>
void for_each(PyObject* iterable, const Use& use) {
  PyRef iterator = owned(PyObject_GetIter(iterable));
  while (PyRef item = PyRef::steal(PyIter_Next(iterator.get()))) use(item.get());
  if (PyErr_Occurred()) throw_python_error();
}

inline std::vector<PyRef> refs_in(PyObject* iterable) {
  std::vector<PyRef> refs;
  for_each(iterable, [&](PyObject* item) { refs.push_back(PyRef::borrow(item)); });
  return refs;
}

}  // namespace tracefn::bind
