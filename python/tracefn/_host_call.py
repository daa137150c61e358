"""Python functions that nodes run: argument and result conversion, and the text of their errors."""

from __future__ import annotations

import numpy as _np

from tracefn import _core


def error_text(exception: BaseException) -> str:
    """The message of the run-time error that an exception of a callable becomes: "ValueError: text" and the traceback."""
    import traceback

    last = traceback.format_exception_only(type(exception), exception)[-1].rstrip("\n")
    name, colon, rest = last.partition(":")
    first = name.rpartition(".")[2] + colon + rest
    frames = [f for f in traceback.format_tb(exception.__traceback__) if f'"{__file__}"' not in f]
    return "\n".join([first, "Traceback (most recent call last):\n", *frames, first, ""])


class EagerCall:
    """`function` on eager tensors, its results converted to the declared dtypes (tf.py_function)."""

    __slots__ = ("_dtypes", "_function", "_single")

    def __init__(self, function, dtypes, single: bool) -> None:
        self._function = function
        self._dtypes = dtypes
        self._single = single

    def __call__(self, *tensors) -> list:
        result = self._function(*tensors)
        if result is None:
            return []
        if not isinstance(result, (list, tuple)) or self._single:
            result = [result]
        dtypes = self._dtypes if len(result) == len(self._dtypes) else [None] * len(result)
        return [_core.convert_to_tensor(x, dtype=d) for x, d in zip(result, dtypes, strict=True)]


class NumpyCall:
    """`function` on numpy arrays and scalars (tf.numpy_function)."""

    __slots__ = ("_function",)

    def __init__(self, function) -> None:
        self._function = function

    def __call__(self, *tensors) -> list:
        result = self._function(*[t.numpy() for t in tensors])
        if result is None:
            return []
        if not isinstance(result, (list, tuple)):
            result = [result]
        return [to_tensor(x) for x in result]


def to_tensor(value):
    """A numpy function's result as a tensor: Python numbers have numpy's dtypes."""
    if isinstance(value, (str, bytes, _core.Tensor)):
        return _core.convert_to_tensor(value)
    return _core.convert_to_tensor(_np.asarray(value))
