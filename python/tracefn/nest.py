"""`tf.nest`: functions on structures, which are nested containers with leaves.

Containers are lists, tuples, namedtuples, other sequences except str and bytes, mappings (their values, in the order of
the sorted keys), attrs classes, mapping views, and classes with `__tf_flatten__` and `__tf_unflatten__`. Everything
else is a leaf: numbers, strings, None, tensors, sets, plain dataclasses.
"""

from __future__ import annotations

from tracefn._missing import getter as _getter
from tracefn._nest import compare as _compare
from tracefn._nest import kinds as _kinds
from tracefn._value_text import value_str as _value_str


def is_nested(seq) -> bool:
    """Whether `seq` is a container.

    >>> tf.nest.is_nested([1]), tf.nest.is_nested({}), tf.nest.is_nested("ab"), tf.nest.is_nested(None)
    (True, True, False, False)
    """
    return _kinds.kind_of(seq, _kinds.PLAIN) is not None


def flatten(structure, expand_composites: bool = False) -> list:
    """The leaves of a structure, in order.

    Args:
      structure: any value; for a leaf, the result is a list with just that leaf.
      expand_composites: whether to flatten values made of tensors (`tf.IndexedSlices`, …) as well.

    Returns:
      A new list.

    Raises:
      TypeError: the keys of a mapping cannot be sorted.
      RecursionError: the structure contains itself, or is hundreds of levels deep.

    >>> tf.nest.flatten({"b": [1, (2, 3)], "a": 4})
    [4, 1, 2, 3]
    """
    leaves: list = []
    try:
        _flatten_into((structure,), _kinds.table(expand_composites), leaves)
    except RecursionError:
        raise _too_deep("flatten") from None
    return leaves


def pack_sequence_as(structure, flat_sequence, expand_composites: bool = False):
    """Builds a structure like `structure` from other leaves.

    Args:
      structure: the structure to copy; its leaves do not matter.
      flat_sequence: a sequence of as many leaves.
      expand_composites: as in `flatten`.

    Returns:
      The new structure. Views of mappings and ranges become lists.

    Raises:
      TypeError: `flat_sequence` is not a sequence.
      ValueError: the number of leaves differs.
      RecursionError: as in `flatten`.

    >>> tf.nest.pack_sequence_as({"b": [1, (2, 3)], "a": 4}, ["w", "x", "y", "z"])
    {'b': ['x', ('y', 'z')], 'a': 'w'}
    """
    kind = _kinds.kind_of(flat_sequence, _kinds.PLAIN)
    if kind is None or kind.is_mapping:
        raise TypeError(f"Attempted to pack value:\n  {_value_str(flat_sequence)}\ninto a structure, but found "
                        f"incompatible type `{type(flat_sequence)}` instead.")
    return _pack(structure, kind.split(flat_sequence)[0], flat_sequence, expand_composites)


def map_structure(func, *structure, **kwargs):
    """Calls `func` on the leaves of structures and builds a structure of the results.

    Args:
      func: callable that takes one leaf of each structure.
      *structure: at least one structure; all are the same except for their leaves.
      check_types: whether the classes of the containers must be the same, as in `assert_same_structure`. Keyword-only.
      expand_composites: as in `flatten`. Keyword-only.

    Returns:
      A structure like the first one.

    Raises:
      TypeError: `func` is not callable, or containers are of different classes.
      ValueError: there is no structure or an unknown keyword, or the structures differ.

    >>> tf.nest.map_structure(lambda x, y: x + y, {"a": 1, "b": (2,)}, {"a": 10, "b": (20,)})
    {'a': 11, 'b': (22,)}
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    expand_composites = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError("Only valid keyword arguments are `check_types` and `expand_composites`, not: "
                         f"`{'`, `'.join(kwargs)}`")
    first = structure[0]
    for other in structure[1:]:
        assert_same_structure(first, other, check_types, expand_composites)
    if len(structure) == 1:
        results = [func(leaf) for leaf in flatten(first, expand_composites)]
    else:
        results = [func(*leaves) for leaves in zip(*[flatten(s, expand_composites) for s in structure], strict=True)]
    return _pack(first, results, results, expand_composites)


def assert_same_structure(nest1, nest2, check_types: bool = True, expand_composites: bool = False) -> None:
    """Does nothing if two structures are the same except for their leaves.

    Args:
      nest1: a structure.
      nest2: another structure.
      check_types: whether containers must also be of the same class, and mappings have the same keys. All mappings count
        as one class, as do all lists, and namedtuples with the same name and fields.
      expand_composites: as in `flatten`; the specs of values made of tensors must then be compatible.

    Raises:
      TypeError: containers are of different classes.
      ValueError: they differ in another way.
      RecursionError: as in `flatten`.

    >>> tf.nest.assert_same_structure([1, {"a": 2}], ["x", {"a": None}])
    >>> tf.nest.assert_same_structure([1, 2], [1])
    Traceback (most recent call last):
    ...
    ValueError: The two structures don't have the same nested structure.
    ...
    """
    check_types = bool(check_types)
    try:
        _compare.compare(nest1, nest2, check_types, _kinds.table(expand_composites))
    except _compare.Mismatch as mismatch:
        raise mismatch.error(
            f"{_compare.difference(nest1, nest2, mismatch)}\n"
            f"Entire first structure:\n{_outline(nest1)}\nEntire second structure:\n{_outline(nest2)}") from None
    except RecursionError:
        raise _too_deep("assert_same_structure") from None


class _Dot:
    def __repr__(self):
        return "."


_DOT = _Dot()


def _outline(structure) -> str:
    """The structure with a dot for each leaf."""
    return _value_str(map_structure(lambda _: _DOT, structure))


def _flatten_into(children, kinds: dict, leaves: list) -> None:
    look_up, append = kinds.get, leaves.append
    for child in children:
        cls = type(child)
        kind = look_up(id(cls), _kinds.UNSEEN)
        if kind is _kinds.UNSEEN:
            kind = _kinds.kind_of(child, kinds)
        if kind is None:
            append(child)
        elif cls is list or cls is tuple:
            _flatten_into(child, kinds, leaves)
        else:
            _flatten_into(kind.split(child)[0], kinds, leaves)


def _pack(structure, leaves, flat_sequence, expand_composites: bool):
    kinds = _kinds.table(expand_composites)
    kind = _kinds.kind_of(structure, kinds)
    if kind is None:
        if len(leaves) != 1:
            raise ValueError(f"The target structure is of type `{type(structure)}`\n  {_value_str(structure)}\nHowever the "
                             f"input is a sequence ({type(flat_sequence)}) of length {len(leaves)}.\n"
                             f"  {_value_str(flat_sequence)}\nnest cannot guarantee that it is safe to map one to the other.")
        return next(iter(leaves))
    source = iter(leaves)
    try:
        packed = _join(structure, kind, kinds, source)
    except _TooFewLeaves:
        packed = _TooFewLeaves
    except RecursionError:
        raise _too_deep("pack_sequence_as") from None
    if packed is _TooFewLeaves or next(source, _TooFewLeaves) is not _TooFewLeaves:
        raise ValueError(f"Could not pack sequence. Structure had {len(flatten(structure, expand_composites))} atoms, "
                         f"but flat_sequence had {len(leaves)} items.  Structure: {_value_str(structure)}, "
                         f"flat_sequence: {_value_str(flat_sequence)}.")
    return packed


class _TooFewLeaves(Exception):
    """Raised inside `_join`; also a sentinel that no leaf equals."""


def _join(value, kind, kinds: dict, source):
    children, rest = kind.split(value)
    packed = []
    for child in children:
        inner = kinds.get(id(type(child)), _kinds.UNSEEN)
        if inner is _kinds.UNSEEN:
            inner = _kinds.kind_of(child, kinds)
        if inner is None:
            leaf = next(source, _TooFewLeaves)
            if leaf is _TooFewLeaves:
                raise _TooFewLeaves
            packed.append(leaf)
        else:
            packed.append(_join(child, inner, kinds, source))
    return kind.join(value, packed, rest)


def _too_deep(name: str) -> RecursionError:
    return RecursionError(f"maximum recursion depth exceeded in {name}: the structure contains itself or is nested too "
                          "deeply")


__getattr__ = _getter("nest")
