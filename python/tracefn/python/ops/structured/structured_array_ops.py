"""`tensorflow.python.ops.structured.structured_array_ops`: what public functions do with StructuredTensors. They take them only
after this module has been imported, as in TensorFlow."""

from __future__ import annotations

from collections.abc import Sequence

from tracefn._dispatch import add_handler
from tracefn._structured.structured_tensor import StructuredTensor
from tracefn.ops._build import constant, name_scope
from tracefn.ops.by_path import public_function
from tracefn.ops.ragged.dynamic_shape import DynamicRaggedShape
from tracefn.ops.ragged.tensor import positive_axis
from tracefn.python.ops.ragged.ragged_tensor import convert_to_tensor_or_ragged_tensor

__all__ = ["concat", "expand_dims", "expand_dims_v2", "gather", "ones_like", "ones_like_v2", "random_shuffle", "rank", "shape_v1",
           "shape_v2", "size", "size_v2", "zeros_like", "zeros_like_v2"]  # fmt: skip


def shape_v2(input, out_type="int32", name=None):
    """The shape: a DynamicRaggedShape.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.ops.structured.structured_array_ops import shape_v2
      >>> shape_v2(tf.experimental.StructuredTensor.from_pyval([[{"x": 1}], []]))
      <DynamicRaggedShape lengths=[2, (1, 0)] num_row_partitions=1>
    """
    del name
    return input._ragged_shape.with_dtype("int32" if out_type is None else out_type)


def shape_v1(input, name=None, out_type="int32"):
    """The shape: a DynamicRaggedShape."""
    return shape_v2(input, out_type, name)


def expand_dims_v2(input, axis, name=None):
    """The same structures with one more dimension, of size 1.

    Args:
      input: StructuredTensor.
      axis: int in [-(rank + 1), rank].
      name: prefix of the names of nodes.

    Raises:
      ValueError: another axis.
    """
    axis = positive_axis(axis, input.rank + 1, "axis", "rank(st)")
    with name_scope(name or "ExpandDims"):
        return _mapped([input], lambda values: public_function("expand_dims")(values[0], axis))


def expand_dims(input, axis=None, name=None, dim=None):
    """The same structures with one more dimension, of size 1; `dim` is the older name of `axis`."""
    if axis is not None and dim is not None:
        raise ValueError("Cannot specify both 'axis' and 'dim'.")
    return expand_dims_v2(input, dim if axis is None else axis, name)


def gather(params, indices, validate_indices=None, name=None, axis=None, batch_dims=0):
    """The structures at indices.

    Args:
      params: StructuredTensor.
      indices: int tensor or RaggedTensor.
      validate_indices: see `tf.gather`.
      name: prefix of the names of nodes.
      axis: int, by default `batch_dims`.
      batch_dims: int.

    Raises:
      ValueError: another axis.
    """
    with name_scope(name or "gather"):
        axis = positive_axis(batch_dims if axis is None else axis, params.rank, ndims_name="params.shape.rank")
        indices = convert_to_tensor_or_ragged_tensor(indices, name="indices")
        each = public_function("gather")
        return _mapped([params], lambda values: each(values[0], indices, validate_indices, axis, batch_dims))


def concat(values, axis, name="concat"):
    """The structures of several StructuredTensors with the same fields, one behind the other.

    Args:
      values: sequence of StructuredTensors.
      axis: int.
      name: prefix of the names of nodes.

    Raises:
      ValueError: another axis, other values, or fields that not all have.
    """
    if not isinstance(values, Sequence):
        raise ValueError("values must be a list of StructuredTensors (not a list)")
    if not values:
        raise ValueError("values must not be an empty list")
    if not all(isinstance(value, StructuredTensor) for value in values):
        raise ValueError("values must be a list of StructuredTensors")
    first, *others = [_ranks(value) for value in values]
    missing = {path for ranks in others for path in first.keys() ^ ranks.keys()}
    if missing:
        raise ValueError(f"Some paths are present in some, but not all, structured tensors: {missing!r}")
    if any(ranks != first for ranks in others):
        raise ValueError("Ranks of sub-message do not match")
    axis = positive_axis(axis, values[0].rank)
    with name_scope(name or "concat"):
        return _mapped(list(values), lambda parts: public_function("concat")(parts, axis))


def random_shuffle(value, seed=None, name=None):
    """The structures in a random order along the first dimension.

    Raises:
      ValueError: `value` is a scalar.
    """
    with name_scope(name or "shuffle"):
        if value.rank == 0:
            raise ValueError("Cannot shuffle a scalar StructuredTensor")
        places = public_function("random.shuffle")(public_function("range")(value.nrows()), seed=seed)
        return gather(value, places, axis=0)


def size_v2(input, out_type=None, name=None):
    """The number of structures: int scalar."""
    out_type = "int32" if out_type is None else out_type
    with name_scope(name or "size"):
        if input.rank == 0:
            return constant(1, out_type)
        count = input.row_partitions[-1].nvals() if input.rank > 1 else input.nrows()
        return public_function("cast")(count, out_type)


def size(input, name=None, out_type=None):
    """The number of structures: int scalar."""
    return size_v2(input, out_type, name)


def rank(input, name=None):
    """The number of dimensions: int32 scalar."""
    with name_scope(name or "rank"):
        return constant(input.rank, "int32")


def zeros_like_v2(input, dtype=None, name=None, layout=None):
    """A 0 in place of each structure: a tensor, or a RaggedTensor for rank 2 and higher; float32 by default.

    Raises:
      ValueError: `layout` is not fully replicated.
    """
    return _filled("zeros", input, dtype, name, layout)


def zeros_like(tensor, dtype=None, name=None, optimize=True):
    """A 0 in place of each structure."""
    del optimize
    return zeros_like_v2(tensor, dtype, name)


def ones_like_v2(input, dtype=None, name=None, layout=None):
    """A 1 in place of each structure: a tensor, or a RaggedTensor for rank 2 and higher; float32 by default.

    Raises:
      ValueError: `layout` is not fully replicated.
    """
    return _filled("ones", input, dtype, name, layout)


def ones_like(tensor, dtype=None, name=None, optimize=True):
    """A 1 in place of each structure."""
    del optimize
    return ones_like_v2(tensor, dtype, name)


def _filled(function: str, input, dtype, name, layout):
    if layout is not None and not layout.is_fully_replicated():
        raise ValueError(f"StructuredTensor only allows replicated layout. got {layout}")
    shape = input._ragged_shape
    if input.rank > 1:
        shape = DynamicRaggedShape.from_row_partitions(input.row_partitions)
    with name_scope(name or f"{function}_like"):
        return public_function(function)(shape, "float32" if dtype is None else dtype)


def _mapped(values: list, function):
    """The StructuredTensor with `function` of the values of each field, whose dimensions it treats as it does the first ones.

    Args:
      values: list of StructuredTensors with the same fields, or of values of one of these.
      function: takes a list of tensors or RaggedTensors.
    """
    first = values[0]
    if not isinstance(first, StructuredTensor):
        return function(values)
    shaped = function([zeros_like_v2(value, "int32") for value in values])
    if not first.field_names():
        return StructuredTensor.from_shape(DynamicRaggedShape.from_tensor(shaped, first._ragged_shape.dtype))
    made = {name: _mapped([value.field_value(name) for value in values], function) for name in first.field_names()}
    return StructuredTensor.from_fields(made, shaped.shape)


def _ranks(value, path=()) -> dict:
    """The ranks of a StructuredTensor and of those in it, None for other values, by path."""
    if not isinstance(value, StructuredTensor):
        return {path: None}
    found: dict = {path: value.rank}
    for name in value.field_names():
        found.update(_ranks(value.field_value(name), (*path, name)))
    return found


def _is_structured(value) -> bool:
    if isinstance(value, (list, tuple)):
        return any(isinstance(item, StructuredTensor) for item in value)
    return isinstance(value, StructuredTensor)


def _handler(function):
    def handle(arguments: dict):
        if not _is_structured(next(iter(arguments.values()), None)):
            return NotImplemented
        return function(**arguments)

    return handle


_FUNCTIONS = {
    "compat.v1.expand_dims": expand_dims,
    "compat.v1.ones_like": ones_like,
    "compat.v1.shape": shape_v1,
    "compat.v1.size": size,
    "compat.v1.zeros_like": zeros_like,
    "concat": concat,
    "expand_dims": expand_dims_v2,
    "gather": gather,
    "ones_like": ones_like_v2,
    "random.shuffle": random_shuffle,
    "rank": rank,
    "shape": shape_v2,
    "size": size_v2,
    "zeros_like": zeros_like_v2,
}
for _path, _function in _FUNCTIONS.items():
    add_handler(_path, _handler(_function), first=True)
