// FastCache: the calls that a Function answers without running Python code, keyed by a fingerprint of their arguments.
// A Python object of its own, owned by an Impl; all functions need the GIL and throw.
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

// The calls remembered for one trace cache; and how its methods are bound.
struct FastCache {
  std::vector<GilRef<RememberedCall>> entries;  // newest last
  GilRef<RememberedCall> last;
  std::uint64_t hits = 0;
  // For an instance's cache: the one Function bound to it, borrowed, while it is alive.
  FunctionObject* bound = nullptr;
  // For a class's cache: weak references to the last bound instance and to its Impl, and the Impl's cache, borrowed
  // from it.
  PyRef last_instance;
  PyRef last_impl;
  PyObject* last_object = nullptr;
};

// Owned by its Python object; lives as long as that.
FastCache* fast_of(PyObject* object);

// The result of a remembered call; nothing if this one must take the slow path.
std::optional<PyObject*> answer(FastCache& fast, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

// Adds the functions that create and fill such caches to the module.
void init_fast_cache(PyObject* module);

}  // namespace tracefn::bind
