"""What the files of composed functions share: constants in either mode, and what is known of shapes."""

from __future__ import annotations

from tracefn import _core
from tracefn.framework import name_scope

convert = _core.convert_to_tensor
op = _core.raw_op


def constant(value, dtype=None, name="Const"):
    """A constant: a tensor when eager, one Const node of the current graph otherwise."""
    graph = _core.current_graph()
    with _core.TargetContext(None):
        tensor = convert(value, dtype=dtype)
    return tensor if graph is None else op("Const")(value=tensor, dtype=tensor.dtype, name=name)


def ints(values, name="Const"):
    """A constant int32 vector; it may be empty."""
    return constant(list(values), "int32", name)


def fits(axis: int, rank: int) -> bool:
    """Whether `axis` is an axis of a tensor of that rank."""
    return -rank <= axis < rank


__all__ = ["constant", "convert", "fits", "ints", "name_scope", "op"]
