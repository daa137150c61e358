"""`tensorflow.python.framework.indexed_slices`: tensors, or values of several tensors, from other values."""

from __future__ import annotations

from tracefn.compat.v1.arrays import convert_to_tensor_or_indexed_slices

__all__ = [
    "convert_n_to_tensor_or_indexed_slices",
    "internal_convert_n_to_tensor_or_indexed_slices",
    "internal_convert_to_tensor_or_indexed_slices",
]


def internal_convert_to_tensor_or_indexed_slices(value, dtype=None, name=None, as_ref=False):
    """The same as `tf.compat.v1.convert_to_tensor_or_indexed_slices`; `as_ref` is accepted, without effect."""
    del as_ref
    return convert_to_tensor_or_indexed_slices(value, dtype, name)


def internal_convert_n_to_tensor_or_indexed_slices(values, dtype=None, name=None, as_ref=False) -> list:
    """The same for each of several values, of which some may be None.

    Raises:
      TypeError: `values` is no collection.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.framework.indexed_slices import internal_convert_n_to_tensor_or_indexed_slices
      >>> internal_convert_n_to_tensor_or_indexed_slices([1, None])
      [<tf.Tensor: shape=(), dtype=int32, numpy=1>, None]
    """
    if not hasattr(values, "__iter__"):
        raise TypeError("Argument `values` must be iterable.")
    return [
        None if value is None else
        internal_convert_to_tensor_or_indexed_slices(value, dtype, name if name is None else f"{name}_{i}", as_ref)
        for i, value in enumerate(values)
    ]  # fmt: skip


def convert_n_to_tensor_or_indexed_slices(values, dtype=None, name=None) -> list:
    """The same as `internal_convert_n_to_tensor_or_indexed_slices`."""
    return internal_convert_n_to_tensor_or_indexed_slices(values, dtype, name)
