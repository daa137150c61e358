// Fingerprint: the arguments of one call as flat words, made without running any Python code, so that a call like an
// earlier one finds its trace at once. Needs the GIL.
#pragma once

#include <Python.h>

#include <cstdint>

#include "base/small_vector.h"

namespace tracefn::bind {

// Equal words mean: the same kinds of arguments with equal Python values, the same live objects, and tensors and numpy
// values of the same dtypes and shapes. Numbers are compared with their exact types, strings and other objects by
// address; whoever keeps a fingerprint must keep `pins` alive and notice the death of `watched`.
struct Fingerprint {
  using Leaves =
      SmallVector<PyObject*, 128>;  // borrowed: tensors, numpy values and variables, in the order of the call

  SmallVector<std::uint64_t, 48> words;
  Leaves leaves;
  SmallVector<PyObject*, 8> pins;     // borrowed: immutable values known by address
  SmallVector<PyObject*, 4> watched;  // borrowed: objects known by address
  int containers = 0;
  bool in_order = true;  // neither keywords nor dicts: the call's order of leaves is the parameters'

  // Words that reads_as() compares with end with this.
  static constexpr std::uint64_t kEnd = 0;

  // False when some argument is of a kind that only the general path can tell apart.
  bool read(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
};

// Whether read() of this call would give these words, which one read() gave, and kEnd after them; stops at the first
// that differs. Writes to `leaves`, which has room for as many as there were then, what read() would.
bool reads_as(const std::uint64_t* words, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
              PyObject** leaves);

}  // namespace tracefn::bind
