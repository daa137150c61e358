"""Elementwise functions of ragged tensors, and `tf.ragged.map_flat_values`."""

from __future__ import annotations

from tracefn import _core
from tracefn._dispatch import add_handler
from tracefn._export import export
from tracefn.ops._build import convert
from tracefn.ops.by_path import public_function
from tracefn.ops.debugging import check_equal
from tracefn.ops.elementwise_apis import BINARY, BINARY_ASSERTS, UNARY
from tracefn.ops.ragged.broadcast import broadcast, match_dtypes
from tracefn.ops.ragged.row_partition import size_of
from tracefn.ops.ragged.tensor import RaggedTensor, convert_values, is_ragged


@export("ragged.map_flat_values")
def map_flat_values(op, *args, **kwargs):
    """Applies a function to the flat values of ragged tensors.

    Args:
      op: callable; RaggedTensors among its arguments, and in lists, tuples and dicts of them, are replaced by their flat
        values.
      *args, **kwargs: its arguments. All RaggedTensors must have the same row partitions.

    Returns:
      RaggedTensor with these row partitions and the result as flat values; just the result if no argument is ragged.

    Raises:
      ValueError: the row partitions differ, or the result has another first size.

    >>> tf.ragged.map_flat_values(tf.ones_like, tf.ragged.constant([[1, 2], [], [3]]))
    <tf.RaggedTensor [[1, 1], [], [1]]>
    """
    found: list = []
    flat_args, flat_kwargs = _flat(args, found), _flat(kwargs, found)
    if not found:
        return op(*args, **kwargs)
    sizes = {size for rt in found if (size := size_of(rt.flat_values.shape, 0)) is not None}
    if len(sizes) > 1:
        raise ValueError("Input RaggedTensors' flat_values must all have the same outer-dimension size.  Got sizes: "
                         f"{sizes}")
    if len({rt.row_splits.dtype for rt in found}) > 1:
        raise ValueError("Input RaggedTensors have mismatched row partition dtypes; use "
                         "RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes.")
    result = op(*flat_args, **flat_kwargs)
    for size in sizes:
        if not result.shape[:1].is_compatible_with([size]):
            raise ValueError("tf.ragged.map_flat_values requires that the output of `op` have the same outer-dimension "
                             f"size as flat_values of any ragged inputs. (output shape: {result.shape}; expected outer "
                             f"dimension size: {size})")
    return RaggedTensor._from_nested_row_partitions(result, _common_partitions(found), validate=False)


def _flat(value, found: list):
    """The value with flat values in place of ragged tensors, which are added to `found`."""
    if is_ragged(value):
        found.append(value)
        return value.flat_values
    if isinstance(value, (list, tuple)):
        return type(value)([_flat(item, found) for item in value])
    if isinstance(value, dict):
        return {key: _flat(item, found) for key, item in value.items()}
    return value


def _common_partitions(values) -> list:
    """The row partitions of ragged tensors, which must be equal."""
    made = list(values[0]._nested_row_partitions)
    for value in values[1:]:
        others = value._nested_row_partitions
        if len(others) != len(made):
            raise ValueError("All ragged inputs must have the same ragged_rank.")
        made = [_same(mine, other) for mine, other in zip(made, others, strict=True)]
    return made


def _same(mine, other):
    """One of two row partitions, which must be equal."""
    if mine is other or mine.row_splits() is other.row_splits():
        return mine
    if not mine.row_splits().shape.is_compatible_with(other.row_splits().shape):
        raise ValueError(f"Incompatible row_splits: {mine.row_splits()} vs {other.row_splits()}")
    message = "RowPartition._merge_precomputed_encodings: partitions have incompatible row_splits"
    check = check_equal(mine.row_splits(), other.row_splits(), message=message)
    return mine._with_dependencies([check])


def _same_rows(x, y) -> bool:
    """Whether two values certainly have the same rows, of values of the same rank."""
    if not (is_ragged(x) and is_ragged(y)):
        return False
    mine, yours = x._nested_row_partitions, y._nested_row_partitions
    rank = x.flat_values.shape.rank
    return (len(mine) == len(yours) and all(a is b for a, b in zip(mine, yours, strict=True)) and rank is not None
            and rank == y.flat_values.shape.rank)


def binary(function, x, y):
    """function(x, y) of broadcast values, at least one of which is ragged."""
    hint = y if is_ragged(y) else x
    x = convert_values(x) if is_ragged(x) else convert(x, dtype_hint=hint.dtype)
    y = convert_values(y) if is_ragged(y) else convert(y, dtype_hint=hint.dtype)
    match_dtypes(x, y)
    if _same_rows(x, y):
        pass
    elif (is_ragged(x) and is_ragged(y)) or any(
            is_ragged(a) and (a.flat_values.shape.rank is None or b.shape.rank is None
                              or a.flat_values.shape.rank <= b.shape.rank) for a, b in ((x, y), (y, x))):
        x, y = broadcast([x, y], inner=False)
    flat = [value.flat_values if is_ragged(value) else value for value in (x, y)]
    mapped = function(*flat)
    if mapped is None or isinstance(mapped, (bool, _core.Operation)):  # of assertions
        return mapped
    return (x if is_ragged(x) else y).with_flat_values(mapped)


def _unary_handler(path: str):
    def handle(arguments):
        name, value = next(iter(arguments.items()))
        if not is_ragged(value):
            return NotImplemented
        return value.with_flat_values(public_function(path)(**{**arguments, name: value.flat_values}))

    return handle


def _binary_handler(path: str):
    def handle(arguments):
        (first, x), (second, y), *_ = arguments.items()
        if not (is_ragged(x) or is_ragged(y)):
            return NotImplemented
        function = public_function(path)
        return binary(lambda a, b: function(**{**arguments, first: a, second: b}), x, y)

    return handle


def register() -> None:
    """Makes the elementwise functions take ragged tensors."""
    for path in UNARY:
        add_handler(path, _unary_handler(path))
    for path in (*BINARY, *BINARY_ASSERTS):
        add_handler(path, _binary_handler(path))
