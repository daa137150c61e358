"""`tensorflow.python.data.util.nest`: nests of elements of datasets, in which lists are leaves."""

from __future__ import annotations

from tracefn.data import _nest
from tracefn.data._nest import flatten, is_nested, pack_sequence_as

__all__ = [
    "assert_same_structure",
    "assert_shallow_structure",
    "flatten",
    "flatten_up_to",
    "is_nested",
    "map_structure",
    "map_structure_up_to",
    "pack_sequence_as",
]


def assert_same_structure(nest1, nest2, check_types=True) -> None:
    """Checks that two nests match.

    Args:
      nest1, nest2: nests.
      check_types: whether containers must be of one type.

    Raises:
      TypeError: containers differ in their type.
      ValueError: they differ in the number of their parts or in their keys.
    """
    _nest.assert_same_structure(nest1, nest2, check_types)


def map_structure(func, *structure, **check_types_dict):
    """The nest of what `func` returns for the leaves of nests that match.

    Args:
      func: callable.
      *structure: nests.
      **check_types_dict: `check_types`, as in `assert_same_structure`.

    Raises:
      TypeError: `func` is not callable, or containers differ in their type.
      ValueError: there is no nest, they do not match, or there are other arguments.

    Example:
      >>> from tracefn.python.data.util import nest
      >>> nest.map_structure(lambda a, b: (a, b), {"x": [1, 2]}, {"x": 3})
      {'x': ([1, 2], 3)}
    """
    if not callable(func):
        raise TypeError(f"Argument `func` must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    if check_types_dict and [*check_types_dict] != ["check_types"]:
        raise ValueError(
            f"Only valid keyword argument for `check_types_dict` is 'check_types'. Got {check_types_dict}."
        )
    return _nest.map_structure(func, *structure, **check_types_dict)


def assert_shallow_structure(shallow_tree, input_tree, check_types=True) -> None:
    """Checks that a nest begins with the structure of another.

    Raises:
      TypeError, ValueError: it does not.
    """
    _nest.flatten_up_to(shallow_tree, input_tree, check_types)


def flatten_up_to(shallow_tree, input_tree) -> list:
    """The parts of a nest at the leaves of another, whose structure it begins with.

    Raises:
      TypeError, ValueError: it does not.

    Example:
      >>> from tracefn.python.data.util import nest
      >>> nest.flatten_up_to((0, 0), ((1, 2), [3]))
      [(1, 2), [3]]
    """
    return _nest.flatten_up_to(shallow_tree, input_tree)


def map_structure_up_to(shallow_tree, func, *inputs):
    """The nest like `shallow_tree` of what `func` returns for the parts of nests at its leaves.

    Raises:
      ValueError: there are no nests.
      TypeError, ValueError: one does not begin with the structure of `shallow_tree`.
    """
    if not inputs:
        raise ValueError("Argument `inputs` is empty. Cannot map over no sequences.")
    columns = [_nest.flatten_up_to(shallow_tree, value) for value in inputs]
    return pack_sequence_as(shallow_tree, [func(*parts) for parts in zip(*columns, strict=True)])
