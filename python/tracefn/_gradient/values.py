"""Targets, sources and weights of a gradient as flat lists, and zeros for missing gradients."""

from __future__ import annotations

from typing import NoReturn

from tracefn import _core, nest
from tracefn._value_text import value_text

_zeros_like = _core.raw_op("ZerosLike")


def flat_sources(sources) -> tuple[list, list]:
    """(the sources as given, the tensors that a tape knows them by: Variables by their handles).

    Raises:
      AttributeError, TypeError: something is neither tensor nor Variable.
    """
    flat = nest.flatten(sources)
    handles = []
    for source in flat:
        if isinstance(source, _core.Tensor):
            handles.append(source)
        elif hasattr(source, "handle"):
            handles.append(source.handle)
        else:
            refuse(source)
    return flat, handles


def refuse(x) -> NoReturn:
    """Complains of what is neither tensor nor Variable, in the words that TensorFlow has for it.

    Raises:
      TypeError: it is a string, or nothing at all.
      AttributeError: it is something else.
    """
    if x is None or isinstance(x, str):
        raise TypeError(f"Cannot convert the argument `type_value`: {x!r} to a TensorFlow DType.")
    missing = "_id" if hasattr(x, "dtype") else "dtype"
    error = AttributeError(f"{type(x).__name__!r} object has no attribute {missing!r}")
    error.add_note(f"Gradients are of tensors, with respect to tensors and Variables; this is {value_text(x)}.")
    if isinstance(x, (bool, int, float, complex)):
        error.add_note("float(), int() and .numpy() give Python values, which no tape follows: leave them out.")
    raise error


def flat_outputs(output_gradients, count: int) -> list:
    """One tensor or None for each of `count` targets."""
    if output_gradients is None:
        return [None] * count
    flat = [
        None if x is None else _core.convert_to_tensor(x)  # IndexedSlices become dense
        for x in nest.flatten(output_gradients)
    ]
    return (flat + [None] * count)[:count]


def zeros_of(source):
    """Zeros of a source's shape and dtype."""
    return _zeros_like(x=_core.convert_to_tensor(source))


def replace_missing(gradients, sources) -> list:
    """The gradients, with zeros for missing ones."""
    return [zeros_of(s) if g is None else g for g, s in zip(gradients, sources, strict=True)]


def dense(gradient):
    """A gradient as one tensor."""
    return gradient if gradient is None else _core.dense_gradient(gradient)
