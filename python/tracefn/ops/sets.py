"""`tf.sets`: operations on the sets along the last dimension of tensors."""

from __future__ import annotations

from tracefn._export import export
from tracefn.dtypes import int8, int16, int32, int64, string, uint8, uint16
from tracefn.ops._build import convert, op
from tracefn.ops.sparse.tensor import SparseTensor, SparseTensorValue, is_sparse, parts

# From a list: a set that was made of a set is shown in another order.
_DTYPES = frozenset([int8, int16, int32, int64, uint8, uint16, string])


def _converted(value, name: str):
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    return value if is_sparse(value) else convert(value, name=name)


def _operate(operation: str, a, b, validate_indices: bool):
    """The result of a SetOperation; "a-b" and "b-a" are exchanged where the operands must be."""
    a = _converted(a, "a")
    if a.dtype not in _DTYPES:
        raise TypeError(f"'a' has invalid dtype `{a.dtype}` not in supported dtypes: `{_DTYPES}`.")
    b = _converted(b, "b")
    if a.dtype != b.dtype:
        raise TypeError(f"Types don't match, {a.dtype} vs {b.dtype}.")
    if is_sparse(a) and not is_sparse(b):
        a, b, operation = b, a, {"a-b": "b-a", "b-a": "a-b"}.get(operation, operation)
    options = {"set_operation": operation, "validate_indices": validate_indices}
    if is_sparse(a):
        found = op("SparseToSparseSetOperation")(**parts("set1_", a), **parts("set2_", b), **options)
    elif is_sparse(b):
        found = op("DenseToSparseSetOperation")(set1=a, **parts("set2_", b), **options)
    else:
        found = op("DenseToDenseSetOperation")(set1=a, set2=b, **options)
    return SparseTensor(*found)


@export("sets.size")
def set_size(a, validate_indices=True):
    """The number of distinct values along the last dimension.

    Args:
      a: SparseTensor of integers or strings, of rank 2 at least, in row-major order.
      validate_indices: whether the places are checked.

    Returns:
      int32 tensor of a's shape without the last dimension.

    Raises:
      TypeError: `a` is not sparse, or has another dtype.
      InvalidArgumentError: a place is outside, or places are not in order.

    Example:
      >>> import tracefn as tf
      >>> a = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [4, 4, 5], [3, 2])
      >>> tf.sets.size(a).numpy().tolist()
      [1, 1, 0]
    """
    a = _converted(a, "a")
    if not is_sparse(a):
        raise TypeError(f"Expected `SparseTensor`, got {a!s}.")
    if a.dtype not in _DTYPES:
        raise TypeError(f"Invalid dtype `{a.dtype}` not in supported dtypes: `{_DTYPES}`.")
    return op("SetSize")(**parts("set_", a), validate_indices=validate_indices)


@export("sets.intersection")
def set_intersection(a, b, validate_indices=True):
    """The values that occur along the last dimension of both tensors.

    Args:
      a, b: tensor or SparseTensor of integers or strings, of rank 2 at least; all dimensions but the last are equal.
      validate_indices: whether the places of SparseTensors are checked.

    Returns:
      SparseTensor: the sorted values of each set.

    Raises:
      TypeError: the dtypes differ, or are other ones.
      InvalidArgumentError: the shapes differ, or a place is outside, or places are not in order.

    Example:
      >>> import tracefn as tf
      >>> tf.sparse.to_dense(tf.sets.intersection([[1, 2, 2], [3, 4, 5]], [[2, 9], [5, 3]])).numpy().tolist()
      [[2, 0], [3, 5]]
    """
    return _operate("intersection", a, b, validate_indices)


@export("sets.difference")
def set_difference(a, b, aminusb=True, validate_indices=True):
    """The values that occur along the last dimension of one tensor only.

    Args:
      a, b: tensor or SparseTensor of integers or strings, of rank 2 at least; all dimensions but the last are equal.
      aminusb: whether of `a`; otherwise of `b`.
      validate_indices: whether the places of SparseTensors are checked.

    Returns:
      SparseTensor: the sorted values of each set.

    Raises:
      TypeError: the dtypes differ, or are other ones.
      InvalidArgumentError: the shapes differ, or a place is outside, or places are not in order.

    Example:
      >>> import tracefn as tf
      >>> tf.sparse.to_dense(tf.sets.difference([[1, 2, 2], [3, 4, 5]], [[2, 9], [5, 3]])).numpy().tolist()
      [[1], [4]]
    """
    return _operate("a-b" if aminusb else "b-a", a, b, validate_indices)


@export("sets.union")
def set_union(a, b, validate_indices=True):
    """The values that occur along the last dimension of either tensor.

    Args:
      a, b: tensor or SparseTensor of integers or strings, of rank 2 at least; all dimensions but the last are equal.
      validate_indices: whether the places of SparseTensors are checked.

    Returns:
      SparseTensor: the sorted values of each set.

    Raises:
      TypeError: the dtypes differ, or are other ones.
      InvalidArgumentError: the shapes differ, or a place is outside, or places are not in order.

    Example:
      >>> import tracefn as tf
      >>> tf.sparse.to_dense(tf.sets.union([[1, 2, 2]], [[2, 9, 2]])).numpy().tolist()
      [[1, 2, 9]]
    """
    return _operate("union", a, b, validate_indices)
