// Fingerprint: the arguments of one call as flat words, computed without running Python code, so that a repeated call
// finds its trace at once. Needs the GIL.
#pragma once

#include <Python.h>

#include <cstdint>

#include "base/small_vector.h"

namespace tracefn::bind {

// Equal words mean: the same kinds of arguments with equal Python values, the same live objects, and tensors and numpy
// values of the same dtypes and shapes. Numbers are compared with their exact types, strings and other objects by
// address; the owner of a fingerprint must keep `pins` alive and notice the death of `watched`.
struct Fingerprint {
  // Borrowed: tensors, numpy values, variables and owners of resources, in the order of the call.
  using Leaves = SmallVector<PyObject*, 128>;

  SmallVector<std::uint64_t, 48> words;
  Leaves leaves;
  SmallVector<PyObject*, 8> pins;     // borrowed: immutable values compared by address
  SmallVector<PyObject*, 4> watched;  // borrowed: objects compared by address
  int containers = 0;
  int resources = 0;     // composite values that are one resource
  bool in_order = true;  // no keywords or dicts: leaves are in parameter order

  // Terminates the words that reads_as() compares with.
  static constexpr std::uint64_t kEnd = 0;

  // False if some argument is of a kind that only the slow path can distinguish.
  bool read(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
};

// Whether read() of this call would give these words, which an earlier read() gave, and kEnd after them; stops at the
// first difference. Writes to `leaves`, which has room for as many as there were then, what read() would.
bool reads_as(const std::uint64_t* words, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
              PyObject** leaves);

}  // namespace tracefn::bind
