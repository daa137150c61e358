// FastCache: the calls that a Function answers without running Python code, known by what was read of their arguments.
// A Python object of its own, which an Impl holds; all functions need the GIL and throw.
#pragma once

#include <Python.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "bind/gil_ref.h"
#include "bind/py_ref.h"

namespace tracefn::bind {

struct FunctionObject;
struct RememberedCall;

// The calls remembered for one cache of traces; and how its methods are bound.
struct FastCache {
  std::vector<GilRef<RememberedCall>> entries;  // newest last
  GilRef<RememberedCall> last;
  std::uint64_t hits = 0;
  // Of an instance's cache: the one Function bound to it, borrowed, while somebody holds it.
  FunctionObject* bound = nullptr;
  // Of a class's cache: weak references to the instance that was bound last and to its Impl, and the Impl's cache,
  // borrowed from it.
  PyRef last_instance;
  PyRef last_impl;
  PyObject* last_object = nullptr;
};

// Of its Python object; lives as long as that.
FastCache* fast_of(PyObject* object);

// The result of a call that is remembered; nothing when this one has to take the general path.
std::optional<PyObject*> answer(FastCache& fast, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

// Adds the making and filling of such caches to the module.
void init_fast_cache(PyObject* module);

}  // namespace tracefn::bind
