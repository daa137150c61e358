"""NumPy's methods, operators and subscripts on tensors. Nothing here runs before they are asked for."""

from __future__ import annotations

import functools

from tracefn._namespaces import root
from tracefn._variable.operators import follow_tensors
from tracefn.experimental.numpy.arithmetic import clip
from tracefn.experimental.numpy.arrays import tensor
from tracefn.experimental.numpy.dtype_rules import prefer_float32 as set_prefer_float32
from tracefn.experimental.numpy.dtype_rules import result_type
from tracefn.experimental.numpy.elementwise import around
from tracefn.experimental.numpy.linear_algebra import matmul
from tracefn.experimental.numpy.manipulation import flatten, ravel, reshape_method, transpose
from tracefn.experimental.numpy.statistics import amax, amin, mean
from tracefn.experimental.numpy.subscripts import getitem

tf = root()

_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "matmul", "div")
_COMPARISONS = ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__")

# The native operators, which come back when promotion is turned off.
_NATIVE = {
    name: getattr(tf.Tensor, name)
    for name in (*(f"__{r}{op}__" for op in _ARITHMETIC for r in ("", "r")), *_COMPARISONS)
}


def _promoted(x, y):
    dtype = result_type(x, y)
    return tensor(x, dtype), tensor(y, dtype)


def _product(x, y):
    """The operator `*`; of booleans, and."""
    return tf.logical_and(x, y) if x.dtype.is_bool else _NATIVE["__mul__"](x, y)


def _of_promoted(op: str):
    """The function of two tensors of one dtype that an operator computes."""
    if op == "matmul":
        return matmul
    return _product if op == "mul" else _NATIVE[f"__{op}__"]


def _left(op: str):
    compute = _of_promoted(op)

    @functools.wraps(_NATIVE[f"__{op}__"])
    def operator(self, other):
        try:
            return compute(*_promoted(self, other))
        except (TypeError, ValueError):
            # An object that does not convert may implement the operation itself.
            reflected = None if isinstance(other, tf.Tensor) else getattr(other, f"__r{op}__", None)
            if reflected is None:
                raise
            try:
                result = reflected(self)
            except (TypeError, ValueError):
                result = NotImplemented
            if result is NotImplemented:
                raise
            return result

    return operator


def _right(op: str):
    compute = _of_promoted(op)

    @functools.wraps(_NATIVE[f"__r{op}__"])
    def operator(self, other):
        x, y = _promoted(other, self)
        return compute(x, y)

    return operator


def _comparison(name: str):
    native = _NATIVE[name]

    @functools.wraps(native)
    def operator(self, other):
        if other is None:
            return native(self, other)
        return native(*_promoted(self, other))

    return operator


def _size(self):
    """The number of elements; None if it is not known."""
    return self.shape.num_elements()


def _tolist(self):
    """The elements as nested lists of Python values.

    Raises:
      ValueError: the tensor is symbolic.
    """
    if tf.is_symbolic_tensor(self):
        raise ValueError("Symbolic Tensors do not support the tolist API.")
    return self.numpy().tolist()


def _add_methods() -> None:
    cls = tf.Tensor
    cls.T = property(transpose)
    cls.ndim = property(lambda self: self.shape.rank)
    cls.size = property(_size)
    cls.data = property(lambda self: self)
    cls.__pos__ = lambda self: self
    cls.__round__ = around
    cls.tolist = _tolist
    cls.transpose = transpose
    cls.flatten = flatten
    cls.reshape = reshape_method
    cls.ravel = ravel
    cls.clip = clip
    cls.astype = tf.cast
    cls.max = amax
    cls.mean = mean
    cls.min = amin


def _promote_in_operators(promote: bool) -> None:
    operators = dict(_NATIVE)
    if promote:
        operators |= {name: _comparison(name) for name in _COMPARISONS}
        operators |= {f"__{op}__": _left(op) for op in _ARITHMETIC}
        operators |= {f"__r{op}__": _right(op) for op in _ARITHMETIC}
    for name, operator in operators.items():
        setattr(tf.Tensor, name, operator)
    follow_tensors()


def experimental_enable_numpy_behavior(prefer_float32=False, dtype_conversion_mode="legacy"):
    """Makes tensors behave like NumPy's arrays, from now on and in the whole program.

    Tensors get the methods `T`, `astype`, `clip`, `data`, `flatten`, `max`, `mean`, `min`, `ndim`, `ravel`, `reshape`,
    `size`, `tolist`, `transpose` and unary `+`; their subscripts may be arrays; their operators promote dtypes.

    Args:
      prefer_float32: whether Python's floats are float32 in promotion, not float64.
      dtype_conversion_mode: "legacy": operators promote dtypes by NumPy's rules; "off": they do not promote.

    Raises:
      ValueError: there is no such mode.
      NotImplementedError: the modes "safe" and "all", which have weak tensors.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.experimental_enable_numpy_behavior()  # doctest: +SKIP
      >>> (tf.ones([2], tf.int32) + tf.ones([2], tf.float32)).dtype  # doctest: +SKIP
      tf.float64
    """
    if dtype_conversion_mode in ("safe", "all"):
        raise NotImplementedError(
            f"dtype_conversion_mode={dtype_conversion_mode!r} is not supported: there are no weak tensors. "
            "'legacy' and 'off' are."
        )
    if dtype_conversion_mode not in ("legacy", "off"):
        raise ValueError(
            f"The provided promotion mode {dtype_conversion_mode} does not exist. Make sure the provided dtype conversion"
            " mode is one of the followings: 'off', 'legacy', 'safe' or 'all'."
        )
    _promote_in_operators(dtype_conversion_mode == "legacy")
    tf.Tensor.__getitem__ = getitem
    _add_methods()
    set_prefer_float32(prefer_float32)
