"""Structures of dataset elements: as `tf.nest`, except that lists are leaves, which become tensors."""

from __future__ import annotations

from tracefn._nest.kinds import PLAIN, kind_of


def _kind(value):
    """The kind of a container, or None for a leaf."""
    if isinstance(value, (list, range)) or type(value).__name__ == "SparseTensorValue":
        return None
    return kind_of(value, PLAIN)


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


def pack_sequence_as(structure, leaves):
    """`structure` with other leaves, from a list."""
    source = iter(leaves)
    packed = _pack(structure, source)
    if next(source, source) is not source:
        raise ValueError(f"The structure has fewer leaves than the {len(leaves)} that were given.")
    return packed


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
    """Checks that two structures match; with `check_types`, in the types of their containers too.

    Raises:
      TypeError: containers differ in their type.
      ValueError: they differ in the number of their parts or in their keys, or a container stands where a leaf does.
    """
    try:
        _compare(first, second, check_types)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"The two structures don't have the same nested structure.\n\nFirst structure: {first}\n\n"
            f"Second structure: {second}\n\n{error}"
        ) from None


def _compare(first, second, check_types: bool) -> None:
    one, other = _kind(first), _kind(second)
    if (one is None) != (other is None):
        raise ValueError(f"One of {first} and {second} is a container, the other is not.")
    if one is None:
        return
    assert other is not None
    both_mappings = one.is_mapping and other.is_mapping
    if check_types and type(first) is not type(second) and not both_mappings:
        raise TypeError(f"The containers are of type {type(first)} and {type(second)}.")
    if both_mappings and set(first) != set(second):
        raise ValueError(f"The dicts have the keys {list(first)} and {list(second)}.")
    parts, others = list(one.split(first)[0]), list(other.split(second)[0])
    if len(parts) != len(others):
        raise ValueError(f"The containers have {len(parts)} and {len(others)} parts.")
    for a, b in zip(parts, others, strict=True):
        _compare(a, b, check_types)


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
    if check_types and kind.is_mapping != other.is_mapping:
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"'{type(value).__name__}', while shallow structure has type '{type(shallow).__name__}'."
        )
    if kind.is_mapping and other.is_mapping and set(shallow) != set(value):
        raise ValueError(
            "The two structures don't have the same keys. Input structure has keys "
            f"{list(value)}, while shallow structure has keys {list(shallow)}."
        )
    outer, inner = list(kind.split(shallow)[0]), list(other.split(value)[0])
    if len(outer) != len(inner):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{len(inner)}, while shallow structure has length {len(outer)}."
        )
    for a, b in zip(outer, inner, strict=True):
        _flatten_up_to(a, b, parts, check_types)


def map_structure_up_to(shallow, function, *values):
    """The structure of `shallow` with the results of `function` for the parts of `values` there."""
    columns = [flatten_up_to(shallow, value) for value in values]
    return pack_sequence_as(shallow, [function(*parts) for parts in zip(*columns, strict=True)])
