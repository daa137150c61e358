"""NumPy's methods, operators and subscripts on tensors. Nothing here runs before they are asked for."""

from __future__ import annotations

import functools

from tracefn._namespaces import root
from tracefn._variable.operators import follow_tensors
from tracefn.experimental.numpy.arrays import tensor
from tracefn.experimental.numpy.dtype_rules import prefer_float32 as set_prefer_float32
from tracefn.experimental.numpy.dtype_rules import result_type
from tracefn.experimental.numpy.linear_algebra import matmul
from tracefn.experimental.numpy.methods import ARITHMETIC, COMPARISONS, NATIVE, add_methods
from tracefn.experimental.numpy.subscripts import getitem

tf = root()

def _promoted(x, y):
    dtype = result_type(x, y)
    return tensor(x, dtype), tensor(y, dtype)


def _product(x, y):
    """The operator `*`; of booleans, and."""
    return tf.logical_and(x, y) if x.dtype.is_bool else NATIVE["__mul__"](x, y)


def _of_promoted(op: str):
    """The function of two tensors of one dtype that an operator computes."""
    if op == "matmul":
        return matmul
    return _product if op == "mul" else NATIVE[f"__{op}__"]


def _left(op: str):
    compute = _of_promoted(op)

    @functools.wraps(NATIVE[f"__{op}__"])
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

    @functools.wraps(NATIVE[f"__r{op}__"])
    def operator(self, other):
        x, y = _promoted(other, self)
        return compute(x, y)

    return operator


def _comparison(name: str):
    native = NATIVE[name]

    @functools.wraps(native)
    def operator(self, other):
        if other is None:
            return native(self, other)
        return native(*_promoted(self, other))

    return operator


def _promote_in_operators(promote: bool) -> None:
    operators = dict(NATIVE)
    if promote:
        operators |= {name: _comparison(name) for name in COMPARISONS}
        operators |= {f"__{op}__": _left(op) for op in ARITHMETIC}
        operators |= {f"__r{op}__": _right(op) for op in ARITHMETIC}
    for name, operator in operators.items():
        setattr(tf.Tensor, name, operator)
    follow_tensors()


def _follow_weak_dtypes(mode: str) -> None:
    """Turns weak dtypes on, in the mode "safe" or "all", or off. Only then are their files imported."""
    if mode not in ("safe", "all") and not _Weak.loaded:
        return
    from tracefn.experimental.numpy.weak_operators import follow_mode  # start-up time: few programs have weak dtypes

    _Weak.loaded = True
    follow_mode(mode)
    follow_tensors()


class _Weak:
    """Whether the files of weak dtypes are imported."""

    loaded = False


def experimental_enable_numpy_behavior(prefer_float32=False, dtype_conversion_mode="legacy"):
    """Makes tensors behave like NumPy's arrays, from now on and in the whole program.

    Tensors get the methods `T`, `astype`, `clip`, `data`, `flatten`, `max`, `mean`, `min`, `ndim`, `ravel`, `reshape`,
    `size`, `tolist`, `transpose` and unary `+`; their subscripts may be arrays; their operators promote dtypes.

    In the modes "safe" and "all", Python's numbers and `tf.constant` without a dtype give weak tensors: int32, float32 or
    complex128. In operators and functions, a weak dtype gives way to a strong one of its kind: weak float32 and float16
    give float16. What is made of weak tensors alone is weak. A weak tensor is no `tf.Tensor`; it converts to one, and its
    method `to_tensor()` returns it. Call this before anything else.

    Args:
      prefer_float32: whether Python's floats are float32 in NumPy's promotion, not float64.
      dtype_conversion_mode: "legacy": operators promote dtypes by NumPy's rules; "off": they do not promote; "all": there
        are weak dtypes, and any two numeric dtypes promote; "safe": the same, but a promotion that widens both dtypes or
        may lose bits raises an error.

    Raises:
      ValueError: there is no such mode.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="all")  # doctest: +SKIP
      >>> tf.constant([1.5]) * tf.ones([1], tf.float16)  # doctest: +SKIP
      <tf.Tensor: shape=(1,), dtype=float16, numpy=array([1.5], dtype=float16)>
      >>> tf.constant([1.5]) * 2  # doctest: +SKIP
      <tf.Tensor: shape=(1,), dtype=float32, numpy=array([3.], dtype=float32), weak=True>
    """
    if dtype_conversion_mode not in ("legacy", "off", "safe", "all"):
        raise ValueError(
            f"The provided promotion mode {dtype_conversion_mode} does not exist. Make sure the provided dtype conversion"
            " mode is one of the followings: 'off', 'legacy', 'safe' or 'all'."
        )
    _promote_in_operators(dtype_conversion_mode == "legacy")
    tf.Tensor.__getitem__ = getitem
    add_methods(tf.Tensor)
    set_prefer_float32(prefer_float32)
    _follow_weak_dtypes(dtype_conversion_mode)
