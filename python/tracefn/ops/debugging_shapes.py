"""`tf.debugging.assert_shapes`: sizes that several tensors share, by name."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.framework import executing_eagerly
from tracefn.ops._build import name_scope
from tracefn.ops.control_flow import group
from tracefn.ops.debugging import assert_, describe, prefix
from tracefn.ops.debugging_static import assert_rank, assert_rank_at_least, assert_rank_in, is_sparse, shape_of

_prod = _core.raw_op("Prod")
_equal = _core.raw_op("Equal")


@export("debugging.assert_shapes")
def assert_shapes(shapes, data=None, summarize=None, message=None, name=None) -> None:
    """Raises an error unless tensors have the given shapes.

    Args:
      shapes: dict, or list of pairs, from a tensor or SparseTensor to its shape: a sequence with an int, a name (the same size wherever it
        occurs), or None or "." (any size) for each axis. `...` or "*" at the front stands for any number of axes.
      data: list of tensors to show if the check fails; None for a description.
      summarize: number of elements to show of each.
      message: str in front of the error text.
      name: name of the scope.

    Returns:
      None.

    Raises:
      ValueError: a shape is not a sequence, or is known not to fit.
      InvalidArgumentError: at run time a shape does not fit.

    Example:
      >>> import tracefn as tf
      >>> tf.debugging.assert_shapes([(tf.zeros([2, 3]), ("N", "D")), (tf.zeros([3]), ("D",))])
    """
    pairs = shapes.items() if isinstance(shapes, dict) else shapes
    with name_scope(name or "assert_shapes"):
        expected = []
        for x, symbols in pairs:
            if symbols is None:
                continue
            x = x if isinstance(x, _core.Tensor) or is_sparse(x) else _core.convert_to_tensor(x)
            expected.append((x, *_parsed(x, symbols)))
        checks = [_check_rank(x, sizes, any_front, message) for x, sizes, any_front in expected]
        known: dict = {}
        for x, sizes, any_front in expected:
            actual = _Sizes(x, len(sizes))
            for i, symbol in enumerate(sizes):
                axis = i - len(sizes) if any_front else i
                if symbol in (None, "."):
                    continue
                if isinstance(symbol, int):
                    wanted, by = symbol, "Specified explicitly"
                elif symbol in known:
                    wanted, by = known[symbol]
                else:
                    known[symbol] = actual[axis], f"Specified by tensor {describe(x)} dimension {axis}"
                    continue
                checks.append(_check_size(x, actual[axis], wanted, by, axis, data, summarize, message))
        if not executing_eagerly():
            group(*[c for c in checks if c is not None])


def _parsed(x, symbols) -> tuple[list, bool]:
    """(a symbol for each axis, whether any number of axes may come before them)."""
    if not hasattr(symbols, "__iter__") and not hasattr(symbols, "__getitem__"):
        raise ValueError(
            f"Tensor {describe(x)}.  Specified shape must be an iterable.  An iterable has the attribute `__iter__` or "
            f"`__getitem__`.  Received specified shape: {symbols}"
        )
    sizes, any_front = [], False
    for i, symbol in enumerate(symbols):
        if symbol is ... or symbol == "*":
            if i:
                raise ValueError(
                    f"Tensor {describe(x)} specified shape index {i}.  Symbol `...` or `*` for a variable number of "
                    "unspecified dimensions is only allowed as the first entry"
                )
            any_front = True
        else:
            sizes.append(_known(symbol))
    return sizes or [1], any_front


def _known(symbol):
    """The int that a size stands for; a name, None or "." as it is."""
    if symbol is None:
        return None
    try:
        return int(symbol)
    except (ValueError, TypeError):
        return symbol


def _check_rank(x, sizes: list, any_front: bool, message):
    if any_front:
        return assert_rank_at_least(x, len(sizes), message=message) if len(sizes) > 1 else None
    if len(sizes) <= 1:  # one element may come as a scalar
        return assert_rank_in(x, [0, 1], message=message)
    return assert_rank(x, len(sizes), message=message)


class _Sizes:
    """The sizes of a tensor: ints if they are known, else tensors."""

    def __init__(self, x, count: int) -> None:
        self._x = x
        self._single = count <= 1

    def __getitem__(self, axis: int):
        known = self._x.shape
        if known.rank is None:
            sizes = shape_of(self._x)
            return _prod(input=sizes, reduction_indices=[0]) if self._single and axis == 0 else sizes[axis]
        if known.rank == 0:
            return 1
        return shape_of(self._x)[axis] if known[axis] is None else known[axis]


def _check_size(x, actual, wanted, by: str, axis: int, data, summarize, message):
    if isinstance(actual, int) and isinstance(wanted, int):
        if actual != wanted:
            raise ValueError(
                f"{prefix(message)}{by}.  Tensor {describe(x)} dimension {axis} must have size {wanted}.  Received size "
                f"{actual}, shape {x.shape}"
            )
        return None
    if data is None:
        data = [
            prefix(message),
            by,
            f"Tensor {describe(x)} dimension",
            axis,
            "must have size",
            wanted,
            "Received shape: ",
            shape_of(x),
        ]
    return assert_(_equal(x=actual, y=wanted), data, summarize)
