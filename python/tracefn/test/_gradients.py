"""`tf.test.compute_gradient`: Jacobians by gradients and by differences."""

from __future__ import annotations

import numpy as np

from tracefn import _core
from tracefn.dtypes import as_dtype
from tracefn.gradient_tape import GradientTape

_TYPES = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")


def real_numbers(array: np.ndarray) -> np.ndarray:
    """The numbers of an array in a row, complex ones as two; of a contiguous array they are its own memory."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _require_type(dtype, told: str) -> None:
    if dtype.name not in _TYPES:
        raise AssertionError(f"Cannot compute gradient for unsupported type {dtype.name} of {told}")


def _by_gradients(f, xs: list, param: int) -> np.ndarray:
    with GradientTape(persistent=True) as tape:
        tape.watch(xs)
        y = _core.convert_to_tensor(f(*xs))
    x, dy = xs[param], np.zeros(y.shape.as_list(), y.dtype.as_numpy_dtype)
    rows = real_numbers(dy).size
    jacobian = np.zeros([rows, real_numbers(x.numpy()).size], x.dtype.real_dtype.as_numpy_dtype)

    def gradient():
        found = tape.gradient(y, x, output_gradients=_core.convert_to_tensor(dy))
        return None if found is None else _core.convert_to_tensor(found).numpy()

    for row in range(rows):
        real_numbers(dy)[row] = 1
        found = gradient()
        if found is not None:
            jacobian[row] = real_numbers(found)
        real_numbers(dy)[row] = 0
    if rows == 0:
        found = gradient()
        if found is not None and list(found.shape) != x.shape.as_list():
            raise ValueError(f"Empty gradient has wrong shape: expected {x.shape}, got {found.shape}")
        if found is not None and np.any(found):
            raise ValueError("Empty tensor with nonzero gradients")
    return jacobian


def _by_differences(f, xs: list, param: int, delta: float) -> np.ndarray:
    def result(numbers):
        moved = numbers.view(x.dtype).reshape(x.shape)
        return _core.convert_to_tensor(f(*xs[:param], _core.convert_to_tensor(moved), *xs[param + 1 :])).numpy()

    x = xs[param].numpy()
    start = real_numbers(x)
    columns = []
    for i in range(start.size):
        above, below = start.copy(), start.copy()
        above[i] += delta
        below[i] -= delta
        difference = result(above) - result(below)
        columns.append(real_numbers(difference) / np.asarray(2 * delta, real_numbers(difference).dtype))
    size = real_numbers(_core.convert_to_tensor(f(*xs)).numpy()).size
    return np.stack(columns, 1).astype(start.dtype) if columns else np.zeros([size, 0], start.dtype)


def compute_gradient(f, x, delta=None):
    """The Jacobians of a function, by gradients and by differences.

    Args:
      f: function of tensors that returns a tensor, real or complex.
      x: list or tuple of its arguments.
      delta: by how much an element is changed for differences; None for 1/1024.

    Returns:
      (tuple of the Jacobians by gradients, one for each argument; tuple of those by differences), arrays with a row for
      each number of the result and a column for each of the argument. Complex elements are two numbers.

    Raises:
      ValueError: `x` is not a list or tuple.
      AssertionError: an argument or the result has another dtype.

    >>> exact, near = tf.test.compute_gradient(lambda x: x * x, [[1.0, 2.0]])
    >>> exact[0].tolist(), bool(abs(exact[0] - near[0]).max() < 1e-3)
    ([[2.0, 0.0], [0.0, 4.0]], True)
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(f"`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), not a {type(x)}")
    xs = [_core.convert_to_tensor(value) for value in x]
    of_y = as_dtype(_core.convert_to_tensor(f(*xs)).dtype)
    pairs = []
    for i, value in enumerate(xs):
        _require_type(value.dtype, f"argument {i}")
        _require_type(of_y, "y")
        pairs.append((_by_gradients(f, xs, i), _by_differences(f, xs, i, 1.0 / 1024 if delta is None else delta)))
    return tuple(zip(*pairs, strict=True))
