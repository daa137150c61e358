"""Checks where a Variable may be created, and its initial value and shape."""

from __future__ import annotations

from tracefn import _core
from tracefn._variable.traces import scope_for_new_variable
from tracefn.framework import executing_eagerly
from tracefn.tensor_shape import TensorShape


def creation_scope():
    """The CreationScope that records a Variable created now; None outside of functions."""
    scope = scope_for_new_variable()
    if scope is None and not executing_eagerly():
        raise NotImplementedError("A tf.Variable cannot be created in a tf.Graph outside of a tf.function.")
    return scope


def initial_tensor(initial_value, dtype, shape):
    if callable(initial_value) and not getattr(type(initial_value), "is_tensor_like", False):
        initial_value = initial_value()
    try:
        return _core.convert_to_tensor(initial_value, dtype=dtype)
    except ValueError as error:
        if str(error).startswith("Tensor conversion requested"):
            raise ValueError(f"initial_value: {error}") from None
        raise


def checked_shape(shape, value) -> TensorShape:
    """The given shape, or the shape of the value if that is None.

    Raises:
      ValueError: the value does not fit the shape.
    """
    if shape is None:
        return value.shape
    given = TensorShape(shape)
    if not given.is_compatible_with(value.shape):
        raise ValueError(
            f"In this `tf.Variable` creation, the initial value's shape ({value.shape}) is not compatible with the "
            f"explicitly supplied `shape` argument ({shape})."
        )
    return given
