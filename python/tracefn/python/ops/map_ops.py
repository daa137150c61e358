"""`tensorflow.python.ops.map_ops`: maps from tensors to tensors, in scalar variant tensors."""

from __future__ import annotations

from tracefn.ops._build import op

__all__ = [
    "empty_tensor_map",
    "tensor_map_erase",
    "tensor_map_has_key",
    "tensor_map_insert",
    "tensor_map_lookup",
    "tensor_map_size",
    "tensor_map_stack_keys",
]


def empty_tensor_map():
    """A map without keys, as a scalar variant tensor."""
    return op("EmptyTensorMap")()


def tensor_map_size(input_handle):
    """The number of keys of a map, int32.

    Example:
      >>> import tracefn as tf
      >>> maps = tf.python.ops.map_ops
      >>> int(maps.tensor_map_size(maps.tensor_map_insert(maps.empty_tensor_map(), 1, 2.0)))
      1
    """
    return op("TensorMapSize")(input_handle=input_handle)


def tensor_map_insert(input_handle, key, value):
    """A map in which a key has a value."""
    return op("TensorMapInsert")(input_handle=input_handle, key=key, value=value)


def tensor_map_lookup(input_handle, key, value_dtype):
    """The value of a key.

    Raises:
      InvalidArgumentError: the map has no such key.
    """
    return op("TensorMapLookup")(input_handle=input_handle, key=key, value_dtype=value_dtype)


def tensor_map_erase(input_handle, key, value_dtype):
    """A map without a key.

    Raises:
      InvalidArgumentError: the map has no such key.
    """
    return op("TensorMapErase")(input_handle=input_handle, key=key, value_dtype=value_dtype)


def tensor_map_has_key(input_handle, key):
    """Whether a map has a key, bool."""
    return op("TensorMapHasKey")(input_handle=input_handle, key=key)


def tensor_map_stack_keys(input_handle, key_dtype):
    """The keys of a map, stacked."""
    return op("TensorMapStackKeys")(input_handle=input_handle, key_dtype=key_dtype)
