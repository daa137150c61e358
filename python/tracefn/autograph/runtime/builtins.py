"""Builtins over tensors: what each one is called with in converted code."""

from __future__ import annotations

import builtins
import functools

from tracefn import _core
from tracefn.autograph.runtime import iterables
from tracefn.autograph.runtime.conditions import is_staged, is_variable
from tracefn.autograph.runtime.iterables import (
    Enumerated,
    Reversed,
    StagedIterable,
    Zipped,
    is_staged_iterable,
    unrolled,
)
from tracefn.autograph.runtime.lists import StagedList
from tracefn.autograph.runtime.staging import is_staging
from tracefn.tensor_array import TensorArray


def _symbolic(value) -> bool:
    return type(value) is _core.SymbolicTensor or (isinstance(value, _core.Tensor) and is_staged(value))


def _public(path: str):
    import tracefn

    return functools.reduce(getattr, path.split("."), tracefn)


def len_(value):
    """len: the first dimension, an int where it is known; the size of a TensorArray, as a tensor."""
    if isinstance(value, StagedList):
        return value.length()
    if isinstance(value, _core.Tensor) or is_variable(value):
        size = value.shape[0] if value.shape.rank else None
        return iterables.length_of(value) if size is None else int(size)
    if isinstance(value, TensorArray) and is_staging():
        return value.size()
    return len(value)


def int_(value=0, *args, **kwargs):
    """int: a cast to int32; of a string the number that it spells."""
    if isinstance(value, _core.Tensor):
        if value.dtype.name == "string":
            return _core.raw_op("StringToNumber")(string_tensor=value, out_type="int32")
        return _core.raw_op("Cast")(x=value, DstT="int32")
    return int(value, *args, **kwargs) if args or kwargs else int(value)


def float_(value=0.0, /):
    """float: a cast to float32; of a string the number that it spells."""
    if isinstance(value, _core.Tensor):
        if value.dtype.name == "string":
            return _core.raw_op("StringToNumber")(string_tensor=value, out_type="float32")
        return _core.raw_op("Cast")(x=value, DstT="float32")
    return float(value)


def range_(*args):
    """range: tf.range when a bound is a tensor."""
    if any(isinstance(a, _core.Tensor) for a in args):
        return _public("range")(*args)
    return range(*args)


def enumerate_(iterable, start=0):
    """enumerate: the index over a tensor is an int32 tensor."""
    if is_staged_iterable(iterable) and _is_traced(iterable):
        return Enumerated(iterable, start)
    return enumerate(iterable, start)


def zip_(*args, strict=False):
    """zip: stops at the shortest; Python sequences beside tensors become constants."""
    if any(_is_traced(a) for a in args):
        return Zipped(args, strict)
    return zip(*args, strict=strict)


def _is_traced(value) -> bool:
    return _symbolic(value) or isinstance(value, (StagedIterable, StagedList))


def reversed_(sequence):
    """reversed: over the first dimension."""
    return Reversed(sequence) if _symbolic(sequence) else reversed(sequence)


def map_(function, *args):
    """map: Python's, with the function converted."""
    return map(function, *args)


def filter_(function, iterable):
    """filter: Python's, with the function converted."""
    return filter(function, iterable)


def sorted_(iterable, /, *, key=None, reverse=False):
    """sorted: of a vector, by value or by a key of its elements."""
    if not _symbolic(iterable):
        return sorted(iterable, key=key, reverse=reverse)
    rank = iterable.shape.rank
    direction = "DESCENDING" if reverse else "ASCENDING"
    if key is not None:
        if rank != 1:
            raise ValueError("sort only supports only 1D tensors")
        keys = _public("map_fn")(key, iterable) if hasattr(_tf(), "map_fn") else key(iterable)
        order = _public("argsort")(keys, direction=direction, stable=True)
        return _public("gather")(iterable, order)
    if rank != 1:
        raise ValueError("sort only supports only 1D tensors")
    return _public("sort")(iterable, direction=direction)


def _tf():
    import tracefn

    return tracefn


def sum_(iterable, /, start=0):
    """sum: of a vector the scalar."""
    if _symbolic(iterable) and iterable.shape.rank == 1:
        return _public("reduce_sum")(iterable) + start
    return sum(unrolled(iterable), start)


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
    """Both operands with the tensor's dtype; only scalars have an order that Python would accept."""
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


def list_(iterable=(), /):
    """list: of a tensor of known length, its slices."""
    return list(unrolled(iterable))


def tuple_(iterable=(), /):
    """tuple: of a tensor of known length, its slices."""
    return tuple(unrolled(iterable))


def print_(*args, sep=" ", end="\n", file=None, flush=False):
    """print with Feature.BUILTIN_FUNCTIONS: tensors are printed when the graph runs."""
    import sys

    if any(_symbolic(a) for a in args) and file in (None, sys.stdout, sys.stderr):
        import tracefn

        tracefn.print(*args, sep=sep, end=end, output_stream=file or sys.stdout)
    else:
        print(*args, sep=sep, end=end, file=file, flush=flush)


def next_(iterator, *default):
    """next: Python's, for Python iterators."""
    return next(iterator, *default)


OVERLOADS = {
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
    """tf.stack, of a list of a staged loop too."""
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
    """tf.concat, of a list of a staged loop too."""
    if isinstance(values, StagedList):
        if axis == 0:
            return values.concat()
        raise ValueError("tf.concat of a list that a staged loop appends to works along axis 0")
    return _public("concat")(values, axis, name=name)
