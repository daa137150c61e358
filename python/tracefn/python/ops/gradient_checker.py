"""`tensorflow.python.ops.gradient_checker`: Jacobians in a graph, by gradients and by differences."""

from __future__ import annotations

import numpy as np

from tracefn._default_session import session_for
from tracefn._namespaces import root
from tracefn.test._gradients import real_numbers

__all__ = ["compute_gradient", "compute_gradient_error"]

tf = root()


def _start(x, shape, value) -> np.ndarray:
    dtype = x.dtype.as_numpy_dtype
    if value is None:
        return np.asarray(np.random.random_sample(shape), dtype)
    value = np.array(value, dtype)
    if list(value.shape) != list(shape):
        raise ValueError(f"x_init_value has the shape {list(value.shape)}, not {list(shape)}.")
    return value


def _gradient(session, x, y, y_shape, start, delta, feeds) -> tuple[np.ndarray, np.ndarray]:
    """The Jacobian by gradients and by differences: a row for each number of x, a column for each of y."""
    with x.graph.as_default():
        dy = tf.compat.v1.placeholder(y.dtype, y_shape)
        dx = tf.compat.v1.gradients(y, x, grad_ys=dy)[0]
    if isinstance(dx, tf.IndexedSlices):
        with x.graph.as_default():
            dx = tf.convert_to_tensor(dx)
    feeds = {**feeds, x: start}
    rows = real_numbers(start).size
    weights = np.zeros(y_shape, y.dtype.as_numpy_dtype)
    columns = real_numbers(weights).size
    exact = np.zeros((rows, columns), real_numbers(start).dtype)
    near = np.zeros_like(exact)
    for column in range(columns):
        real_numbers(weights)[column] = 1
        if dx is not None:
            exact[:, column] = real_numbers(session.run(dx, {**feeds, dy: weights}))
        real_numbers(weights)[column] = 0
    moved = start.copy()
    for row in range(rows):
        ends = []
        for step in (delta, -delta):
            real_numbers(moved)[row] = real_numbers(start)[row] + step
            ends.append(real_numbers(session.run(y, {**feeds, x: moved})))
        real_numbers(moved)[row] = real_numbers(start)[row]
        near[row] = (ends[0] - ends[1]) / (2 * delta)
    return exact, near


def compute_gradient(
    x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None, extra_feed_dict=None
):
    """The Jacobian of a symbolic tensor, by gradients and by differences, in the default session.

    Args:
      x: symbolic tensor, or a list of them.
      x_shape: list of ints, or a list of such lists.
      y: symbolic tensor, of x.
      y_shape: list of ints.
      x_init_value: array, where the Jacobian is taken, or a list of arrays; None: random numbers.
      delta: by how much a number is changed for differences.
      init_targets: operations that run before, or None.
      extra_feed_dict: dict from tensors to values that take their place, or None.

    Returns:
      (Jacobian by gradients, Jacobian by differences): matrices with a row for each number of x and a column for each of
      y, complex numbers as two. A list of such pairs if `x` is a list.

    Raises:
      ValueError: there is no default session, or `x_init_value` has another shape.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.ops.gradient_checker import compute_gradient
      >>> with tf.Graph().as_default(), tf.compat.v1.Session():
      ...     x = tf.compat.v1.placeholder(tf.float64, [2])
      ...     compute_gradient(x, [2], x * x, [2], [1.0, 2.0])[0].tolist()
      [[2.0, 0.0], [0.0, 4.0]]
    """
    session = session_for(None, "Cannot compute a gradient")
    if init_targets is not None:
        session.run(init_targets)
    feeds = extra_feed_dict or {}
    if not isinstance(x, list):
        return _gradient(session, x, y, y_shape, _start(x, x_shape, x_init_value), delta, feeds)
    values = x_init_value or [None] * len(x)
    starts = [_start(*parts) for parts in zip(x, x_shape, values, strict=True)]
    others = [{**feeds, **{t: v for t, v in zip(x, starts, strict=True) if t is not x_i}} for x_i in x]
    return [
        _gradient(session, x_i, y, y_shape, start, delta, fed)
        for x_i, start, fed in zip(x, starts, others, strict=True)
    ]


def compute_gradient_error(
    x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None, extra_feed_dict=None
):
    """The largest difference between the two Jacobians of `compute_gradient`, which has the same arguments."""
    found = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict)
    pairs = found if isinstance(found, list) else [found]
    return max((np.abs(exact - near).max(initial=0.0) for exact, near in pairs), default=0.0)
