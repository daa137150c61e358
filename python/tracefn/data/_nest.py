"""Structures of dataset elements: as `tf.nest`, except that lists are leaves, which become tensors."""

from __future__ import annotations

from tracefn._nest.compare import Mismatch, compare, difference
from tracefn._nest.kinds import ELEMENTS, kind_of


def _kind(value):
    """The kind of a container, or None for a leaf."""
    return kind_of(value, ELEMENTS)


def is_nested(value) -> bool:
    """Whether a value is a container: a tuple, a dict, a class made with attrs, and so on; not a list."""
    return _kind(value) is not None


def flatten(structure) -> list:
    """The leaves, in order; those of dicts in the order of their sorted keys."""
    leaves: list = []
    _flatten_into(structure, leaves)
    return leaves


def _flatten_into(value, leaves: list) -> None:
    kind = _kind(value)
    if kind is None:
        leaves.append(value)
        return
    for child in kind.split(value)[0]:
        _flatten_into(child, leaves)


def pack_sequence_as(structure, flat_sequence):
    """`structure` with other leaves.

    Args:
      structure: structure.
      flat_sequence: list of the leaves, or a container of them.

    Raises:
      TypeError: `flat_sequence` is neither.
      ValueError: there are more or fewer of them than `structure` has.
    """
    if not (isinstance(flat_sequence, list) or is_nested(flat_sequence)):
        raise TypeError(f"Argument `flat_sequence` must be a sequence. Got '{type(flat_sequence).__name__}'.")
    count = len(flat_sequence)
    if not is_nested(structure):
        if count != 1:
            raise ValueError(f"Argument `structure` is a scalar but `len(flat_sequence)`={count} > 1")
        return flat_sequence[0]
    if len(flatten(structure)) != count:
        raise ValueError(
            f"Could not pack sequence. Argument `structure` had {len(flatten(structure))} elements, but argument "
            f"`flat_sequence` had {count} elements. Received structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return _pack(structure, iter(flat_sequence))


def _pack(value, source):
    kind = _kind(value)
    if kind is None:
        return next(source)
    children, rest = kind.split(value)
    return kind.join(value, [_pack(child, source) for child in children], rest)


def map_structure(function, first, *others, check_types: bool = True):
    """The structure of the results of `function` for the leaves of structures that match.

    Args:
      function: takes a leaf of each structure.
      first, others: structures.
      check_types: whether containers must be of one type.

    Raises:
      TypeError, ValueError: they do not match.
    """
    for other in others:
        assert_same_structure(first, other, check_types)
    columns = [flatten(first), *map(flatten, others)]
    return pack_sequence_as(first, [function(*leaves) for leaves in zip(*columns, strict=True)])


def assert_same_structure(first, second, check_types: bool = True) -> None:
    """Checks that two structures match; with `check_types`, in the types of their containers and the keys of dicts too.

    Raises:
      TypeError: containers differ in their type.
      ValueError: they differ in the number of their parts or in their keys, or a container stands where a leaf does.
    """
    try:
        compare(first, second, bool(check_types), ELEMENTS)
    except Mismatch as mismatch:
        raise mismatch.error(difference(first, second, mismatch)) from None


def flatten_up_to(shallow, value, check_types: bool = True) -> list:
    """The parts of `value` at the leaves of `shallow`, whose structure it begins with.

    Args:
      shallow, value: structures.
      check_types: whether a dict must stand where one does.

    Raises:
      TypeError, ValueError: it does not.
    """
    parts: list = []
    _flatten_up_to(shallow, value, parts, check_types)
    return parts


def _flatten_up_to(shallow, value, parts: list, check_types: bool) -> None:
    kind = _kind(shallow)
    if kind is None:
        parts.append(value)
        return
    other = _kind(value)
    if other is None:
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"'{type(value).__name__}'."
        )
    if check_types and not isinstance(value, type(shallow)):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"'{type(value).__name__}', while shallow structure has type '{type(shallow).__name__}'."
        )
    outer, inner = list(kind.split(shallow)[0]), list(other.split(value)[0])
    if len(outer) != len(inner):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{len(inner)}, while shallow structure has length {len(outer)}."
        )
    if check_types and kind.is_mapping and set(shallow) != set(value):
        raise ValueError(
            "The two structures don't have the same keys. Input structure has keys "
            f"{list(value)}, while shallow structure has keys {list(shallow)}."
        )
    for a, b in zip(outer, inner, strict=True):
        _flatten_up_to(a, b, parts, check_types)


def map_structure_up_to(shallow, function, *values):
    """The structure of `shallow` with the results of `function` for the parts of `values` there."""
    columns = [flatten_up_to(shallow, value) for value in values]
    return pack_sequence_as(shallow, [function(*parts) for parts in zip(*columns, strict=True)])
