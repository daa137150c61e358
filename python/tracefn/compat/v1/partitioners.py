"""Functions that say into how many pieces variables are cut, for `partitioner` in `tf.compat.v1.variable_scope`."""

from __future__ import annotations

import math

from tracefn._export import export
from tracefn.dtypes import as_dtype, string
from tracefn.tensor_shape import TensorShape


def _element_size(dtype, bytes_per_string_element: int) -> int:
    dtype = as_dtype(dtype)
    return bytes_per_string_element if dtype.base_dtype == string else dtype.size


@export("compat.v1.variable_axis_size_partitioner")
def variable_axis_size_partitioner(max_shard_bytes, axis=0, bytes_per_string_element=16, max_shards=None):
    """A partitioner for pieces of at most so many bytes, as far as one axis can be cut.

    Args:
      max_shard_bytes: int, the most bytes of a piece.
      axis: int, the axis that is cut.
      bytes_per_string_element: int, what a string counts.
      max_shards: int, the most pieces, or None.

    Raises:
      ValueError: a number of bytes or of pieces is not positive.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.variable_axis_size_partitioner(64)(tf.TensorShape([8, 4]), tf.float32)
      [2, 1]
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError(
            "Both max_shard_bytes and bytes_per_string_element must be positive. Currently, max_shard_bytes is "
            f"{max_shard_bytes} and bytes_per_string_element is {bytes_per_string_element}"
        )
    if max_shards and max_shards < 1:
        raise ValueError("max_shards must be positive.")

    def partitioner(shape, dtype) -> list[int]:
        if not isinstance(shape, TensorShape):
            raise ValueError(f"shape is not a TensorShape: {shape}")
        if not shape.is_fully_defined():
            raise ValueError(f"shape is not fully defined: {shape}")
        sizes = shape.as_list()
        slice_bytes = shape.num_elements() / sizes[axis] * _element_size(dtype, bytes_per_string_element)
        pieces = math.ceil(sizes[axis] / max(1, math.floor(max_shard_bytes / slice_bytes)))
        counts = [1] * len(sizes)
        counts[axis] = min(max_shards, pieces) if max_shards else pieces
        return counts

    return partitioner


@export("compat.v1.min_max_variable_partitioner")
def min_max_variable_partitioner(max_partitions=1, axis=0, min_slice_size=262144, bytes_per_string_element=16):
    """A partitioner for pieces of at least so many bytes.

    Args:
      max_partitions: int, the most pieces.
      axis: int, the axis that is cut.
      min_slice_size: int, the fewest bytes of a piece.
      bytes_per_string_element: int, what a string counts.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.min_max_variable_partitioner(16, min_slice_size=64)(tf.TensorShape([8, 4]), tf.float32)
      [2, 1]
    """

    def partitioner(shape, dtype) -> list[int]:
        if axis >= len(shape):
            raise ValueError(f"Cannot partition variable along axis {axis} when shape is only {shape}")
        sizes = shape.as_list()
        whole = shape.num_elements() * _element_size(dtype, bytes_per_string_element)
        counts = [1] * len(sizes)
        counts[axis] = max(1, min(sizes[axis], max_partitions, math.ceil(whole / min_slice_size)))
        return counts

    return partitioner
