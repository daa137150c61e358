"""`tensorflow.python.ops.gradient_checker_v2`: what tests do with the Jacobians of `tf.test.compute_gradient`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tracefn import _core
from tracefn.compat.v1.fetches import IndexedSlicesValue

__all__ = ["max_error"]


def max_error(grad1, grad2) -> float:
    """The largest difference between two lists of arrays, 0 for empty ones; NaN if there is one.

    Example:
      >>> import tracefn as tf
      >>> jacobians = tf.test.compute_gradient(lambda x: 2.0 * x, [tf.constant([1.0])])
      >>> bool(tf.python.ops.gradient_checker_v2.max_error(*jacobians) < 1e-3)
      True
    """
    error = 0.0
    for first, second in zip(grad1, grad2, strict=True):
        if first.size:
            error = np.maximum(error, np.fabs(first - second).max())
    return error


def _to_numpy(a: Any) -> np.ndarray:
    """The value of a tensor, or of an IndexedSlicesValue with zeros where it has no row."""
    if isinstance(a, IndexedSlicesValue):
        shape, indices, values = map(np.asarray, (a.dense_shape, a.indices, a.values))
        rows = np.zeros(shape, values.dtype)
        np.add.at(rows, indices, values)
        return rows
    return a.numpy() if isinstance(a, _core.EagerTensor) else np.asarray(a)
