"""NumPy's methods of tensors, and tensors' own operators."""

from __future__ import annotations

from tracefn import _numpy as np
from tracefn._namespaces import root
from tracefn.experimental.numpy.arithmetic import clip
from tracefn.experimental.numpy.elementwise import around
from tracefn.experimental.numpy.manipulation import flatten, ravel, reshape_method, transpose
from tracefn.experimental.numpy.statistics import amax, amin, mean

tf = root()

ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "matmul", "div")
COMPARISONS = ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__")

# The native operators, which come back when promotion is turned off.
NATIVE = {
    name: getattr(tf.Tensor, name)
    for name in (*(f"__{r}{op}__" for op in ARITHMETIC for r in ("", "r")), *COMPARISONS)
}


def _size(self):
    """The number of elements, as NumPy's prod of the shape gives it; None if it is not known."""
    return np.prod(self.shape.as_list()) if self.shape.is_fully_defined() else None


def _tolist(self):
    """The elements as nested lists of Python values.

    Raises:
      ValueError: the tensor is symbolic.
    """
    if tf.is_symbolic_tensor(self):
        raise ValueError("Symbolic Tensors do not support the tolist API.")
    return self.numpy().tolist()


METHODS = {
    "astype": tf.cast,
    "clip": clip,
    "tolist": _tolist,
    "__pos__": lambda self: self,
    "__round__": around,
    "transpose": transpose,
    "flatten": flatten,
    "reshape": reshape_method,
    "ravel": ravel,
    "max": amax,
    "mean": mean,
    "min": amin,
}


def add_methods(cls, wrap=None) -> None:
    """Gives a class NumPy's methods.

    Args:
      cls: the class.
      wrap: None, or what is made of each method that computes an array of the tensor's own dtype.
    """
    for name, method in METHODS.items():
        computes = wrap is not None and name not in ("astype", "clip", "tolist", "__pos__")
        setattr(cls, name, wrap(method) if computes else method)
    cls.T = property(cls.transpose)
    cls.ndim = property(lambda self: self.shape.rank)
    cls.size = property(_size)
    cls.data = property(lambda self: self)
