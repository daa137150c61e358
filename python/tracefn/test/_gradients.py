"""`tf.test.compute_gradient`: Jacobians by gradients and by differences."""

from __future__ import annotations

import numpy as np

from tracefn import _core
from tracefn._default_session import session_for
from tracefn.dtypes import as_dtype
from tracefn.framework import executing_eagerly
from tracefn.gradient_tape import GradientTape
from tracefn.gradients import gradients

_TYPES = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")


def real_numbers(array: np.ndarray) -> np.ndarray:
    """The numbers of an array in a row, complex ones as two; of a contiguous array they are its own memory."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _require_type(dtype, told: str) -> None:
    if dtype.name not in _TYPES:
        raise AssertionError(f"Cannot compute gradient for unsupported type {dtype.name} of {told}")


class _Eagerly:
    """A function of arrays that runs eagerly."""

    def __init__(self, f, xs: list) -> None:
        self._f = f
        self.start = [x.numpy() for x in xs]
        self.y_dtype = self._result(self.start).dtype

    def _result(self, arrays):
        return _core.convert_to_tensor(self._f(*map(_core.convert_to_tensor, arrays)))

    def value(self, arrays: list) -> np.ndarray:
        """The value at some arguments."""
        return self._result(arrays).numpy()

    def gradient_by(self, param: int):
        """A function from the gradient of the result to that of an argument; None if there is none."""
        xs = [_core.convert_to_tensor(array) for array in self.start]
        with GradientTape(persistent=True) as tape:
            tape.watch(xs)
            y = _core.convert_to_tensor(self._f(*xs))

        def gradient(dy: np.ndarray):
            found = tape.gradient(y, xs[param], output_gradients=_core.convert_to_tensor(dy))
            return None if found is None else _core.convert_to_tensor(found).numpy()

        return gradient


class _InGraph:
    """A function of arrays whose ops are in the current graph, and run in the default session."""

    def __init__(self, f, xs: list) -> None:
        self._session = session_for(None, "Jacobians in a graph are computed in a session")
        self.start = list(self._session.run(xs))
        self._xs = [_placeholder(x.dtype, x.shape) for x in self.start]
        self._y = _core.convert_to_tensor(f(*self._xs))
        self.y_dtype = self._y.dtype

    def value(self, arrays: list) -> np.ndarray:
        """The value at some arguments."""
        return self._session.run(self._y, dict(zip(self._xs, arrays, strict=True)))

    def gradient_by(self, param: int):
        """A function from the gradient of the result to that of an argument; None if there is none."""
        dy = _placeholder(self.y_dtype, self._y.shape)
        dx = gradients(self._y, self._xs[param], dy)[0]
        dx = None if dx is None else _core.convert_to_tensor(dx)

        def gradient(value: np.ndarray):
            feeds = {**dict(zip(self._xs, self.start, strict=True)), dy: value}
            return None if dx is None else self._session.run(dx, feeds)

        return gradient


def _placeholder(dtype, shape):
    return _core.raw_op("Placeholder")(dtype=as_dtype(dtype), shape=shape)


def _by_gradients(computed, param: int) -> np.ndarray:
    gradient, x = computed.gradient_by(param), computed.start[param]
    dy = np.zeros_like(computed.value(computed.start))
    rows = real_numbers(dy).size
    jacobian = np.zeros([rows, real_numbers(x).size], real_numbers(x).dtype)
    for row in range(rows):
        real_numbers(dy)[row] = 1
        found = gradient(dy)
        if found is not None:
            jacobian[row] = real_numbers(found)
        real_numbers(dy)[row] = 0
    if rows == 0:
        found = gradient(dy)
        if found is not None and found.shape != x.shape:
            raise ValueError(f"Empty gradient has wrong shape: expected {x.shape}, got {found.shape}")
        if found is not None and np.any(found):
            raise ValueError("Empty tensor with nonzero gradients")
    return jacobian


def _by_differences(computed, param: int, delta: float) -> np.ndarray:
    x = computed.start[param]

    def result(numbers):
        moved = numbers.view(x.dtype).reshape(x.shape)
        return computed.value([*computed.start[:param], moved, *computed.start[param + 1 :]])

    start = real_numbers(x)
    columns = []
    for i in range(start.size):
        above, below = start.copy(), start.copy()
        above[i] += delta
        below[i] -= delta
        difference = result(above) - result(below)
        columns.append(real_numbers(difference) / np.asarray(2 * delta, real_numbers(difference).dtype))
    size = real_numbers(computed.value(computed.start)).size
    return np.stack(columns, 1).astype(start.dtype) if columns else np.zeros([size, 0], start.dtype)


def compute_gradient(f, x, delta=None):
    """The Jacobians of a function, by gradients and by differences.

    In a graph the function's ops run in the default session (tf.compat.v1.Session).

    Args:
      f: function of tensors that returns a tensor, real or complex.
      x: list or tuple of its arguments.
      delta: by how much an element is changed for differences; None for 1/1024.

    Returns:
      (tuple of the Jacobians by gradients, one for each argument; tuple of those by differences), arrays with a row for
      each number of the result and a column for each of the argument. Complex elements are two numbers.

    Raises:
      ValueError: `x` is not a list or tuple, or there is no session in a graph.
      AssertionError: an argument or the result has another dtype.

    >>> exact, near = tf.test.compute_gradient(lambda x: x * x, [[1.0, 2.0]])
    >>> exact[0].tolist(), bool(abs(exact[0] - near[0]).max() < 1e-3)
    ([[2.0, 0.0], [0.0, 4.0]], True)
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(f"`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), not a {type(x)}")
    xs = [_core.convert_to_tensor(value) for value in x]
    computed = (_Eagerly if executing_eagerly() else _InGraph)(f, xs)
    pairs = []
    for i, value in enumerate(xs):
        _require_type(value.dtype, f"argument {i}")
        _require_type(as_dtype(computed.y_dtype), "y")
        pairs.append((_by_gradients(computed, i), _by_differences(computed, i, 1.0 / 1024 if delta is None else delta)))
    return tuple(zip(*pairs, strict=True))
