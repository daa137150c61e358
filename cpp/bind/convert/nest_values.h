// Reads nested Python sequences: shape and kind of the first leaf, then all leaves as the widest type of a kind. All
// functions need the GIL and throw what the objects' own code raises; misfits are an Outcome.
#pragma once

#include <Python.h>

#include <cstdint>

#include "bind/py_ref.h"
#include "tensor/tensor.h"

namespace tracefn::bind {

enum class Leaf : std::uint8_t { kNone, kBool, kInt, kFloat, kTypedFloat, kComplex, kString };
enum class Outcome : std::uint8_t { kOk, kMixed, kRagged, kOverflow, kFoundFloat };

struct Nest {
  Shape shape;
  Leaf kind = Leaf::kNone;        // of the first leaf; kNone when there is no leaf at all
  DType typed = DType::kInvalid;  // dtype of a kTypedFloat leaf
};

// The types that leaves are read as: bool, int64, uint64, double, complex128, string; kNothing accepts any leaf and
// reads none.
enum class Read : std::uint8_t { kBool, kInt, kUnsigned, kDouble, kComplex, kString, kNothing };

// True for str and bytes.
bool is_text(PyObject* value);
// `typed` gets the dtype of numpy's floats, which keep it.
Leaf classify(PyObject* value, DType* typed);
// A rank-0 array is replaced by its element; a new reference.
PyRef unboxed(PyObject* value);

// Follows the first element of each level. Throws Error(kValue) past kMaxRank levels, or at a leaf of unknown kind.
Nest measure(PyObject* value);
// All leaves of a nest of that shape; `out` is set if the outcome is kOk.
Outcome read_all(PyObject* value, const Shape& shape, Read read, Tensor& out);

}  // namespace tracefn::bind
