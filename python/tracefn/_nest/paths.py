"""The leaves of a structure with their paths, which are tuples of indices, keys and field names."""

from __future__ import annotations

from collections.abc import Iterator

from tracefn._nest.kinds import _ATTRS, kind_of, table


def flatten_with_paths(structure, expand_composites: bool = False) -> Iterator[tuple[tuple, object]]:
    """Yields (path, leaf) in the order of `tf.nest.flatten`.

    >>> list(flatten_with_paths({"b": [1, 2], "a": 3}))
    [(('a',), 3), (('b', 0), 1), (('b', 1), 2)]
    """
    yield from _walk(structure, (), table(expand_composites))


def _walk(value, path: tuple, kinds: dict) -> Iterator[tuple[tuple, object]]:
    kind = kind_of(value, kinds)
    if kind is None:
        yield path, value
        return
    # Another thread may change it meanwhile. A dict that is an attribute of a module is wrapped.
    if type(value) in (list, dict):
        value = value.copy()
    elif kind.is_mapping and type(wrapped := getattr(value, "__wrapped__", None)) is dict:
        value = wrapped.copy()
        kind = kind_of(value, kinds) or kind
    children, rest = kind.split(value)
    children = list(children)
    for step, child in zip(steps_of(kind, value, children, rest), children, strict=True):
        yield from _walk(child, (*path, step), kinds)


def steps_of(kind, value, children, rest):
    """The steps of the paths to the children of a container, which `kind.split` gives with `rest`."""
    if kind.is_composite:
        return (type(value).__name__,)
    if kind.is_mapping:
        return rest
    if hasattr(value, "_fields") and kind is not _ATTRS:  # a namedtuple, also one that an attribute of a module wraps
        return value._fields
    return [field.name for field in rest] if kind is _ATTRS else range(len(children))
