"""Shapes as in TensorFlow 1: a program that asks a `tf.TensorShape` for a size gets a `Dimension`, not an int or None."""

from __future__ import annotations

import sys

from tracefn._caller import is_of_package
from tracefn.dimension import Dimension
from tracefn.tensor_shape import TensorShape

_PLAIN = {name: vars(TensorShape)[name] for name in ("__getitem__", "__iter__", "__str__", "__repr__")}


def _asked_by_program() -> bool:
    """Whether the user's program called the method that calls this; the package itself needs plain sizes."""
    return not is_of_package(sys._getframe(2))


def _getitem(self, key):
    part = _PLAIN["__getitem__"](self, key)
    return Dimension(part) if not isinstance(key, slice) and _asked_by_program() else part


def _iter(self):
    sizes = _PLAIN["__iter__"](self)
    return map(Dimension, sizes) if _asked_by_program() else sizes


def _str(self):
    if self.rank is None:
        return "<unknown>"
    sizes = ", ".join(map(str, self.dims))
    return f"({sizes},)" if self.rank == 1 else f"({sizes})"


def _repr(self):
    return f"TensorShape({self.dims})"


_OF_V1 = {"__getitem__": _getitem, "__iter__": _iter, "__str__": _str, "__repr__": _repr}


def use_dimensions(switched_on: bool) -> None:
    """Sets what sizes of shapes are: Dimensions, as in TensorFlow 1, or ints and None.

    Args:
      switched_on: whether they are Dimensions.

    >>> use_dimensions(True)
    >>> tf.TensorShape([2, None]), tf.TensorShape([2, None])[0]
    (TensorShape([Dimension(2), Dimension(None)]), Dimension(2))
    >>> use_dimensions(False)
    >>> tf.TensorShape([2, None])
    TensorShape([2, None])
    """
    for name, method in (_OF_V1 if switched_on else _PLAIN).items():
        setattr(TensorShape, name, method)
