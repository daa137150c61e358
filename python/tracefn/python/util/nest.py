"""`tensorflow.python.util.nest`: `tf.nest` and what it has besides in private."""

from tracefn._nest.shallow import (
    assert_shallow_structure,
    flatten_dict_items,
    flatten_up_to,
    flatten_with_joined_string_paths,
    flatten_with_tuple_paths,
    flatten_with_tuple_paths_up_to,
    get_traverse_shallow_structure,
    is_attrs,
    is_mapping,
    is_namedtuple,
    is_nested_or_composite,
    items_of,
    list_to_tuple,
    map_structure_up_to,
    map_structure_with_paths,
    map_structure_with_tuple_paths,
    map_structure_with_tuple_paths_up_to,
    sequence_like,
    yield_flat_paths,
)
from tracefn.nest import assert_same_structure, flatten, is_nested, map_structure, pack_sequence_as

__all__ = [
    "assert_same_structure",
    "assert_shallow_structure",
    "flatten",
    "flatten_dict_items",
    "flatten_up_to",
    "flatten_with_joined_string_paths",
    "flatten_with_tuple_paths",
    "flatten_with_tuple_paths_up_to",
    "get_traverse_shallow_structure",
    "is_attrs",
    "is_mapping",
    "is_namedtuple",
    "is_nested",
    "is_nested_or_composite",
    "is_sequence_or_composite",
    "list_to_tuple",
    "map_structure",
    "map_structure_up_to",
    "map_structure_with_paths",
    "map_structure_with_tuple_paths",
    "map_structure_with_tuple_paths_up_to",
    "pack_sequence_as",
    "same_namedtuples",
    "yield_flat_paths",
]

_is_attrs, _is_mapping, _is_namedtuple, _is_nested_or_composite = is_attrs, is_mapping, is_namedtuple, is_nested_or_composite
is_sequence_or_composite = is_nested_or_composite
_sequence_like, _yield_sorted_items = sequence_like, items_of


def _yield_value(iterable):
    """The children of a container."""
    for _, value in items_of(iterable):
        yield value


def same_namedtuples(nest1, nest2) -> bool:
    """Whether two namedtuples have the same name and fields.

    Raises:
      RuntimeError: one is no namedtuple.

    Example:
      >>> import collections
      >>> from tracefn.python.util.nest import same_namedtuples
      >>> one, other = collections.namedtuple("A", "x"), collections.namedtuple("A", "x")
      >>> same_namedtuples(one(1), other(2))
      True
    """
    for given in (nest1, nest2):
        if not is_namedtuple(given):
            raise RuntimeError("Expected namedtuple-like objects (that have _fields attr)")
    return type(nest1).__name__ == type(nest2).__name__ and nest1._fields == nest2._fields
