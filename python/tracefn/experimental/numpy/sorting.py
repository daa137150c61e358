"""Order: sorting, and the places of extremes."""

from __future__ import annotations

from tracefn._namespaces import root
from tracefn.experimental.numpy.arrays import choose, rank_of, tensor
from tracefn.experimental.numpy.dtype_rules import inferred_integer
from tracefn.experimental.numpy.manipulation import atleast_1d

tf = root()


def _refuse(order) -> None:
    if order is not None:
        raise ValueError("The `order` argument is not supported. Pass order=None")


def sort(a, axis=-1, kind="quicksort", order=None):
    """The elements in ascending order along an axis, as a vector if it is None.

    Args:
      a: array.
      axis: int or None.
      kind: "quicksort".
      order: refused.

    Raises:
      ValueError: another kind, or an order.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.sort([2, 3, 1]).numpy().tolist()
      [1, 2, 3]
    """
    if kind != "quicksort":
        raise ValueError(
            f'Invalid value for argument `kind`. Only kind="quicksort" is supported. Received: kind={kind}'
        )
    _refuse(order)
    a = tensor(a)
    return tf.sort(tf.reshape(a, [-1]), 0) if axis is None else tf.sort(a, axis)


def argsort(a, axis=-1, kind="quicksort", order=None):
    """Indices that sort an array along an axis, as a vector if it is None: int64.

    Args:
      a: array of a dtype that is not complex.
      axis: int or None.
      kind: "quicksort" or "stable"; both keep the order of equal elements.
      order: refused.

    Raises:
      ValueError: another kind, or an order.
      TypeError: the dtype is complex.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.argsort([2, 3, 1]).numpy().tolist()
      [2, 0, 1]
    """
    if kind not in ("quicksort", "stable"):
        raise ValueError(
            'Invalid value for argument `kind`. Only kind="quicksort" and kind="stable" are supported. '
            f"Received: kind={kind}"
        )
    _refuse(order)
    a = tensor(a)
    if a.dtype.is_complex:
        raise TypeError(f"argsort does not support complex64/complex128 dtypes. Received dtype: {a.dtype!r}")

    def places():
        if axis is None:
            return tf.argsort(tf.reshape(a, [-1]), 0, stable=kind == "stable")
        return tf.argsort(a, axis, stable=kind == "stable")

    return tf.cast(choose(rank_of(a) == 0, lambda: tf.constant([0], tf.int32), places), inferred_integer(False))


def _place(compute, a, axis):
    a = tensor(a)
    return compute(tf.reshape(a, [-1]), 0) if axis is None else compute(atleast_1d(a), axis)


def argmax(a, axis=None):
    """Indices of the greatest elements along an axis, of the elements as a vector if it is None: int64.

    Example:
      >>> import tracefn as tf
      >>> int(tf.experimental.numpy.argmax([2, 3, 1]))
      1
    """
    return _place(tf.argmax, a, axis)


def argmin(a, axis=None):
    """Indices of the least elements along an axis, of the elements as a vector if it is None: int64.

    Example:
      >>> import tracefn as tf
      >>> int(tf.experimental.numpy.argmin([2, 3, 1]))
      2
    """
    return _place(tf.argmin, a, axis)
