"""Replacements of builtins, which converted code calls and which accept tensors."""

from __future__ import annotations

import builtins
import functools
import sys
from typing import Any

from tracefn import _core, nest
from tracefn.autograph.runtime import iterables
from tracefn.autograph.runtime.conditions import is_staged, is_variable
from tracefn.autograph.runtime.iterables import (
    Enumerated,
    Reversed,
    StagedIterable,
    Zipped,
    is_dataset,
    is_dataset_iterator,
    unrolled,
)
from tracefn.autograph.runtime.lists import StagedList
from tracefn.autograph.runtime.staging import is_staging
from tracefn.composite import CompositeTensor, has_rows
from tracefn.ops.by_path import public_function
from tracefn.tensor_array import TensorArray


def _is_tensor(value) -> bool:
    """Whether a value is a tensor, by its type alone: isinstance would look up __class__ on the user's object."""
    return issubclass(type(value), _core.Tensor)


def _is_tensor_like(value) -> bool:
    return _is_tensor(value) or is_variable(value)


def _symbolic(value) -> bool:
    return type(value) is _core.SymbolicTensor or (_is_tensor(value) and is_staged(value))


def _has_values(value) -> bool:
    """Whether a value is a SparseTensor or IndexedSlices: these classes need not be imported to know it."""
    kind = type(value)
    return issubclass(kind, CompositeTensor) and getattr(kind, "is_tensor_like", None) is True and not has_rows(value)


def _public(path: str) -> Any:
    return public_function(path)


# Each accepts any arguments: unknown ones go to the builtin, which raises Python's errors.


def len_(*args, **kwargs):
    """len: the first dimension, an int if it is known; the size of a TensorArray, as a tensor."""
    if len(args) == 1 and not kwargs:
        (value,) = args
        kind = type(value)
        if kind is StagedList:
            return value.length()
        if _is_tensor_like(value) or (_has_values(value) and is_staging()):
            size = value.shape[0] if value.shape.rank else None
            return iterables.length_of(value) if size is None else int(size)
        if kind is TensorArray and is_staging():
            return value.size()
        if is_dataset(value) and is_staging():
            return value._known_length()
        if has_rows(value) and is_staging():
            return value.nrows() if value.shape[0] is None else value.shape[0]
    return len(*args, **kwargs)


def int_(*args, **kwargs):
    """int: a cast to int32; for a string its parsed number, which is decimal.

    Raises:
      NotImplementedError: a tensor is given with another base.
    """
    if not args or not _is_tensor_like(args[0]):
        return int(*args, **kwargs)
    base = args[1] if len(args) > 1 else kwargs.get("base", 10)
    if base != 10:
        raise NotImplementedError(f"base {base} not supported for int")
    return _number(args[0], "int32")


def float_(*args, **kwargs):
    """float: a cast to float32; for a string its parsed number."""
    return _number(args[0], "float32") if args and _is_tensor_like(args[0]) else float(*args, **kwargs)


def _number(value, dtype: str):
    if value.dtype.name == "string":
        return _core.raw_op("StringToNumber")(string_tensor=_core.convert_to_tensor(value), out_type=dtype)
    return _public("cast")(value, dtype)


def range_(*args, **kwargs):
    """range: tf.range if a bound is a tensor, empty if the limit is below the start, as Python's."""
    if not any(_is_tensor_like(a) for a in args):
        return range(*args, **kwargs)
    if len(args) > 2:
        return _public("range")(*args, **kwargs)
    start = args[:-1]
    limit = _core.convert_to_tensor(args[-1])
    if _core.constant_value(limit) is None or (start and _is_tensor_like(start[0])):
        limit = _public("maximum")(start[0] if start else 0, limit)
    elif int(_core.constant_value(limit)) < (start[0] if start else 0):
        limit = start[0] if start else 0
    return _public("range")(*start, limit, **kwargs)


def enumerate_(*args, **kwargs):
    """enumerate: the index over a tensor is an int32 tensor."""
    iterable = args[0] if args else kwargs.get("iterable")
    if is_dataset(iterable):
        return iterable.enumerate(*args[1:], **{name: value for name, value in kwargs.items() if name != "iterable"})
    if _is_traced(iterable):
        return Enumerated(*args, **kwargs)
    return enumerate(*args, **kwargs)


def zip_(*args, **kwargs):
    """zip: stops at the shortest; Python sequences zipped with tensors become constants."""
    if args and all(is_dataset(a) for a in args):
        if kwargs.get("strict"):
            raise ValueError("strict zip not supported by Dataset")
        return args[0].zip(args)
    if any(_is_traced(a) for a in args):
        return Zipped(args, **kwargs)
    return zip(*args, **kwargs)  # noqa: B905


def _is_traced(value) -> bool:
    return (_symbolic(value) or issubclass(type(value), (StagedIterable, StagedList))
            or (is_staging() and (is_dataset(value) or is_dataset_iterator(value))))


def map_(*args, **kwargs):
    """map: over datasets, a dataset."""
    if len(args) > 1 and all(is_dataset(a) for a in args[1:]):
        return args[1].zip(args[1:]).map(args[0])
    return map(*args, **kwargs)


def filter_(*args, **kwargs):
    """filter: of a dataset, a dataset."""
    if len(args) == 2 and is_dataset(args[1]):
        return args[1].filter(args[0])
    return filter(*args, **kwargs)


def any_(*args, **kwargs):
    """any: of a dataset of bools, a tensor."""
    return args[0]._any("any", True) if args and is_dataset(args[0]) else any(*args, **kwargs)


def all_(*args, **kwargs):
    """all: of a dataset of bools, a tensor."""
    return args[0]._any("all", False) if args and is_dataset(args[0]) else all(*args, **kwargs)


def abs_(*args, **kwargs):
    """abs: of a dataset, the dataset of the absolute values; tf.abs of sparse values."""
    if args and _has_values(args[0]) and is_staging():
        return _public("abs")(*args, **kwargs)
    if not args or not is_dataset(args[0]):
        return abs(*args, **kwargs)
    magnitude = _public("abs")
    return args[0].map(lambda *parts: nest.map_structure(magnitude, parts if len(parts) > 1 else parts[0]), num_parallel_calls=-1)


def next_(*args, **kwargs):
    """next: of an iterator over a dataset with a default, a conditional."""
    if len(args) == 2 and is_dataset_iterator(args[0]) and is_staging():
        return args[0]._next_or_default(args[1])
    return next(*args, **kwargs)


def reversed_(*args, **kwargs):
    """reversed: over the first dimension."""
    return Reversed(*args) if args and _symbolic(args[0]) else reversed(*args, **kwargs)


def sorted_(*args, **kwargs):
    """sorted: of a vector, by value or by a key of its elements."""
    if args and (_symbolic(args[0]) or (is_variable(args[0]) and is_staging())):
        return _sorted(*args, **kwargs)
    return sorted(*args, **kwargs)


def _sorted(iterable, /, *, key=None, reverse=False):
    iterable = _core.convert_to_tensor(iterable)
    rank = iterable.shape.rank
    direction = "DESCENDING" if reverse else "ASCENDING"
    if rank not in (1, None):
        raise ValueError("sort only supports only 1D tensors")
    if key is not None:
        from tracefn.ops.functional import map_fn  # start-up time: few programs sort by a key

        keys = map_fn(key, iterable)
        order = _public("argsort")(keys, direction=direction, stable=True)
        return _public("gather")(iterable, order)
    return _public("sort")(iterable, direction=direction)


def sum_(*args, **kwargs):
    """sum: of a vector, a scalar tensor."""
    if not args or not _symbolic(args[0]):
        return sum(*args, **kwargs)
    vector, *start = args
    if vector.shape.rank == 1:
        return _public("reduce_sum")(vector) + sum((), *start, **kwargs)
    return sum(unrolled(vector), *start, **kwargs)


def _extreme(builtin, reduce_name: str, op_name: str):
    @functools.wraps(builtin)
    def extreme(*args, key=None, **kwargs):
        if len(args) == 1 and _symbolic(args[0]) and args[0].shape.rank == 1 and key is None:
            return _extreme_of_vector(args[0], reduce_name, builtin.__name__, **kwargs)
        if len(args) > 1 and key is None and any(_symbolic(a) for a in args):
            result = args[0]
            for other in args[1:]:
                result = _core.raw_op(op_name)(**_alike(result, other))
            return result
        return builtin(*args, key=key, **kwargs) if key is not None else builtin(*args, **kwargs)

    return extreme


def _alike(first, second) -> dict:
    """Both operands in the tensor's dtype. Only scalars can be ordered, as in Python."""
    for operand in (first, second):
        if isinstance(operand, _core.Tensor) and operand.shape.rank not in (0, None):
            bool(operand)  # raises: not a scalar
    if isinstance(first, _core.Tensor):
        return {"x": first, "y": _core.convert_to_tensor(second, dtype=first.dtype)}
    return {"x": _core.convert_to_tensor(first, dtype=second.dtype), "y": second}


def _extreme_of_vector(vector, reduce_name: str, name: str, **kwargs):
    size = vector.shape[0]
    if "default" in kwargs:
        if size is not None:
            return _public(reduce_name)(vector) if size else kwargs["default"]
        default = kwargs["default"]
        return _public("cond")(iterables.length_of(vector) > 0, lambda: _public(reduce_name)(vector), lambda: default)
    if size is None or size == 0:
        condition = iterables.length_of(vector) > 0
        data = [_core.convert_to_tensor(f"{name}() iterable argument is empty")]
        _core.raw_op("Assert")(condition=condition, data=data)
    return _public(reduce_name)(vector)


def list_(*args, **kwargs):
    """list: of a tensor of known length, its slices."""
    return list(*map(unrolled, args), **kwargs)


def tuple_(*args, **kwargs):
    """tuple: of a tensor of known length, its slices."""
    return tuple(*map(unrolled, args), **kwargs)


def print_(*args, sep=" ", end="\n", file=None, flush=False):
    """print with Feature.BUILTIN_FUNCTIONS: tensors are printed when the graph runs."""
    if any(_symbolic(a) for a in args) and file in (None, sys.stdout, sys.stderr):
        _public("print")(*args, sep=sep, end=end, output_stream=file or sys.stdout)
    else:
        print(*args, sep=sep, end=end, file=file, flush=flush)


OVERLOADS = {
    builtins.abs: abs_,
    builtins.all: all_,
    builtins.any: any_,
    builtins.filter: filter_,
    builtins.map: map_,
    builtins.next: next_,
    builtins.len: len_,
    builtins.int: int_,
    builtins.float: float_,
    builtins.range: range_,
    builtins.enumerate: enumerate_,
    builtins.zip: zip_,
    builtins.reversed: reversed_,
    builtins.sorted: sorted_,
    builtins.sum: sum_,
    builtins.min: _extreme(min, "reduce_min", "Minimum"),
    builtins.max: _extreme(max, "reduce_max", "Maximum"),
    builtins.list: list_,
    builtins.tuple: tuple_,
}


def stack(values, axis=0, name="stack"):
    """tf.stack, also for a list of a staged loop."""
    if isinstance(values, StagedList):
        stacked = values.stack()
        if axis in (0, None):
            return stacked
        rank = stacked.shape.rank
        order = list(range(1, rank))
        order.insert(axis if axis >= 0 else axis + rank, 0)
        return _public("transpose")(stacked, order)
    return _public("stack")(values, axis=axis, name=name)


def concat(values, axis, name="concat"):
    """tf.concat, also for a list of a staged loop."""
    if isinstance(values, StagedList):
        if axis == 0:
            return values.concat()
        raise ValueError("tf.concat of a list that a staged loop appends to works along axis 0")
    return _public("concat")(values, axis, name=name)
