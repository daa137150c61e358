"""`tf.function` for modules in layers below it, which trace programs of their own."""

from __future__ import annotations

_known: list = []


def trace_with(function) -> None:
    """Says what `tf.function` is; called once, by its module."""
    _known[:] = [function]


def tracer():
    """`tf.function`."""
    return _known[0]
