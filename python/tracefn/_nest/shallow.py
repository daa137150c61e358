"""Structures down to the leaves of another, shallower one, and the paths of leaves: what `tf.__internal__.nest` has besides
`tf.nest`."""

from __future__ import annotations

import collections.abc
import functools
from collections.abc import Iterator

from tracefn import nest
from tracefn._nest import kinds as _kinds
from tracefn._nest.compare import same_fields
from tracefn._nest.paths import flatten_with_paths, steps_of

_NOT_A_SEQUENCE = "If shallow structure is a sequence, input must also be a sequence. Input has type: {}."
_OTHER_TYPES = (
    "The two structures don't have the same sequence type. Input structure has type {}, while shallow structure has type {}."
)
_OTHER_LENGTHS = (
    "The two structures don't have the same sequence length. Input structure has length {}, while shallow structure has "
    "length {}."
)
_OTHER_KEYS = (
    "The shallow_tree's keys are not a subset of the input_tree's keys. The shallow_tree has the following keys that are not in "
    "the input_tree: {}."
)


def items_of(structure, expand_composites: bool = True) -> list:
    """The (step, child) pairs of a container: keys, field names, numbers, or the class's name for a value made of tensors."""
    kind = _kinds.kind_of(structure, _kinds.table(expand_composites))
    if kind is None:
        return list(enumerate(structure))
    children, rest = kind.split(structure)
    children = list(children)
    return list(zip(steps_of(kind, structure, children, rest), children, strict=True))


def _walk(shallow, deep, check_types: bool, kinds: dict, path: tuple) -> Iterator[tuple[tuple, object]]:
    """Yields (path, part of `deep`) at the leaves of `shallow`.

    Raises:
      TypeError, ValueError: they differ above.
    """
    kind = _kinds.kind_of(shallow, kinds)
    if kind is None:
        yield path, deep
        return
    other = _kinds.kind_of(deep, kinds)
    if other is None:
        raise TypeError(_NOT_A_SEQUENCE.format(type(deep)))
    if check_types:
        _compare(shallow, deep, kind, other)
    children = list(kind.split(shallow)[0])
    theirs = list(other.split(deep)[0])
    if len(children) != len(theirs):
        raise ValueError(_OTHER_LENGTHS.format(len(theirs), len(children)))
    if kind.is_mapping and other.is_mapping:
        missing = [key for key in shallow if key not in deep]
        if missing:
            raise ValueError(_OTHER_KEYS.format(sorted(missing)))
    steps = steps_of(kind, shallow, children, kind.split(shallow)[1])
    for step, child, part in zip(steps, children, theirs, strict=True):
        yield from _walk(child, part, check_types, kinds, (*path, step))


def _compare(shallow, deep, kind, other) -> None:
    mine, theirs = kind.unwrapped(shallow), other.unwrapped(deep)
    if type(mine) is type(theirs) or kind.is_mapping and other.is_mapping or kind.is_composite and other.is_composite:
        return
    if isinstance(mine, list) and isinstance(theirs, list) or same_fields(mine, theirs):
        return
    raise TypeError(_OTHER_TYPES.format(type(deep), type(shallow)))


def flatten_with_tuple_paths_up_to(shallow_tree, input_tree, check_types=True, expand_composites=False) -> list:
    """(path, part) for the parts of a structure at the places of a shallower one's leaves.

    Raises:
      TypeError, ValueError: the structures differ above these places.

    Example:
      >>> import tracefn as tf
      >>> tf.python.util.nest.flatten_with_tuple_paths_up_to([0, {"a": 0}], [[1], {"a": (2, 3)}])
      [((0,), [1]), ((1, 'a'), (2, 3))]
    """
    return list(_walk(shallow_tree, input_tree, check_types, _kinds.table(expand_composites), ()))


def flatten_up_to(shallow_tree, input_tree, check_types=True, expand_composites=False) -> list:
    """The parts of a structure at the places of another, shallower one's leaves.

    Raises:
      TypeError, ValueError: the structures differ above these places.

    Example:
      >>> import tracefn as tf
      >>> tf.__internal__.nest.flatten_up_to([0, 0], [[1, 2], 3])
      [[1, 2], 3]
    """
    return [part for _, part in _walk(shallow_tree, input_tree, check_types, _kinds.table(expand_composites), ())]


def assert_shallow_structure(shallow_tree, input_tree, check_types=True, expand_composites=False) -> None:
    """Does nothing if `input_tree` has the structure of `shallow_tree` down to its leaves.

    Raises:
      TypeError, ValueError: it has not.

    Example:
      >>> import tracefn as tf
      >>> tf.python.util.nest.assert_shallow_structure([0, 0], [[1, 2], 3])
    """
    flatten_up_to(shallow_tree, input_tree, check_types, expand_composites)


def map_structure_up_to(shallow_tree, func, *inputs, **kwargs):
    """`tf.nest.map_structure` that goes only as deep as `shallow_tree`.

    Raises:
      ValueError: there is no input, or the structures differ.
      TypeError: their containers do.

    Example:
      >>> import tracefn as tf
      >>> tf.__internal__.nest.map_structure_up_to([0, 0], len, [[1, 2], [3]])
      [2, 1]
    """
    return map_structure_with_tuple_paths_up_to(shallow_tree, lambda _, *parts, **more: func(*parts, **more), *inputs, **kwargs)


def map_structure_with_tuple_paths_up_to(shallow_tree, func, *inputs, **kwargs):
    """The same for a function that takes the path, too, as its first argument.

    Example:
      >>> import tracefn as tf
      >>> tf.python.util.nest.map_structure_with_tuple_paths_up_to({"a": 0}, lambda path, x: (path, x), {"a": [1]})
      {'a': (('a',), [1])}
    """
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    check, expand = kwargs.pop("check_types", True), kwargs.pop("expand_composites", False)
    kinds = _kinds.table(expand)
    flat = [list(_walk(shallow_tree, tree, check, kinds, ())) for tree in inputs]
    results = [func(parts[0][0], *(part for _, part in parts), **kwargs) for parts in zip(*flat, strict=True)]
    return nest.pack_sequence_as(shallow_tree, results, expand_composites=expand)


def map_structure_with_tuple_paths(func, *structure, **kwargs):
    """`tf.nest.map_structure` for a function that takes the path to the leaves as its first argument.

    Example:
      >>> import tracefn as tf
      >>> tf.python.util.nest.map_structure_with_tuple_paths(lambda path, x: (path, x), {"a": [1]})
      {'a': [(('a', 0), 1)]}
    """
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


def map_structure_with_paths(func, *structure, **kwargs):
    """The same with paths as texts such as "a/0".

    Example:
      >>> import tracefn as tf
      >>> tf.python.util.nest.map_structure_with_paths(lambda path, x: (path, x), {"a": [1]})
      {'a': [('a/0', 1)]}
    """

    @functools.wraps(func)
    def with_text(path, *parts, **more):
        return func("/".join(map(str, path)), *parts, **more)

    return map_structure_with_tuple_paths(with_text, *structure, **kwargs)


def yield_flat_paths(nest, expand_composites=False) -> Iterator[tuple]:
    """The path to each leaf, as a tuple of keys and indices.

    Example:
      >>> import tracefn as tf
      >>> list(tf.__internal__.nest.yield_flat_paths({"a": [1, 2]}))
      [('a', 0), ('a', 1)]
    """
    for path, _ in flatten_with_paths(nest, expand_composites):
        yield path


def flatten_with_tuple_paths(structure, expand_composites=False) -> list:
    """(path, leaf) for each leaf.

    Example:
      >>> import tracefn as tf
      >>> tf.python.util.nest.flatten_with_tuple_paths({"a": [1, 2]})
      [(('a', 0), 1), (('a', 1), 2)]
    """
    return list(flatten_with_paths(structure, expand_composites))


def flatten_with_joined_string_paths(structure, separator="/", expand_composites=False) -> list:
    """(path, leaf) for each leaf, with paths as texts.

    Example:
      >>> import tracefn as tf
      >>> tf.python.util.nest.flatten_with_joined_string_paths({"a": [1, 2]})
      [('a/0', 1), ('a/1', 2)]
    """
    found = flatten_with_paths(structure, expand_composites)
    return [(separator.join(map(str, path)), leaf) for path, leaf in found]


def flatten_dict_items(dictionary) -> dict:
    """A dict whose keys and values are the leaves of the nested keys of another, and of their values.

    Raises:
      TypeError: `dictionary` is no mapping.
      ValueError: a key has another number of leaves than its value, or a leaf is a key already.

    Example:
      >>> import tracefn as tf
      >>> tf.python.util.nest.flatten_dict_items({(4, 5): (1, 2), 6: 3})
      {4: 1, 5: 2, 6: 3}
    """
    if not is_mapping(dictionary):
        kind = type(dictionary).__name__
        raise TypeError(
            f"FlattenDictItems: 'dict' must be a dictionary or collection.Mapping type object, instead of '{kind}'."
        )
    flat: dict = {}
    for key, value in dictionary.items():
        keys, values = (nest.flatten(key), nest.flatten(value)) if nest.is_nested(key) else ([key], [value])
        if len(keys) != len(values):
            raise ValueError(
                f"Could not flatten dictionary. Key had {len(keys)} elements, but value had {len(values)} elements. "
                f"Key: {keys}, value: {values}."
            )
        for one, item in zip(keys, values, strict=True):
            if one in flat:
                raise ValueError(f"Cannot flatten dict because this key is not unique: {one}")
            flat[one] = item
    return flat


def is_mapping(structure) -> bool:
    """Whether a value is a mapping."""
    return isinstance(structure, collections.abc.Mapping)


def is_attrs(structure) -> bool:
    """Whether a value is an instance of an attrs class."""
    return hasattr(type(structure), "__attrs_attrs__")


def is_namedtuple(instance, strict=False) -> bool:
    """Whether a value is a namedtuple; `strict`: with no other bases than tuple."""
    if not isinstance(instance, tuple) or strict and type(instance).__base__ is not tuple:
        return False
    fields = getattr(instance, "_fields", None)
    return isinstance(fields, tuple) and all(isinstance(field, str) for field in fields)


def is_nested_or_composite(seq) -> bool:
    """Whether a value is a container or is made of tensors."""
    return _kinds.kind_of(seq, _kinds.EXPANDED) is not None


def list_to_tuple(structure):
    """The structure with tuples in place of lists."""
    if isinstance(structure, list):
        return tuple(list_to_tuple(item) for item in structure)
    if nest.is_nested(structure):
        return sequence_like(structure, [list_to_tuple(value) for _, value in items_of(structure, False)])
    return structure


def sequence_like(instance, args):
    """A container of the type of `instance` with other children.

    Example:
      >>> import tracefn as tf
      >>> tf.__internal__.nest.sequence_like((1, 2), [[3], 4])
      ([3], 4)
    """
    kind = _kinds.kind_of(instance, _kinds.EXPANDED)
    if kind is None:
        return type(instance)(args)
    return kind.join(instance, list(args), kind.split(instance)[1])


def get_traverse_shallow_structure(traverse_fn, structure, expand_composites=False):
    """The structure down to where `traverse_fn` is false, with True above and False there.

    Args:
      traverse_fn: callable that takes a part and returns whether to go on; a bool, or a structure of bools for its children.
      structure: nest.
      expand_composites: as in `tf.nest.flatten`.

    Raises:
      TypeError: `traverse_fn` returns something else.

    Example:
      >>> import tracefn as tf
      >>> tf.__internal__.nest.get_traverse_shallow_structure(lambda s: not isinstance(s, tuple), [[1, 2], (3, 4)])
      [[True, True], False]
    """
    wanted = traverse_fn(structure)
    if _kinds.kind_of(structure, _kinds.table(expand_composites)) is None:
        if not isinstance(wanted, bool):
            raise TypeError(f"traverse_fn returned structure: {wanted} for non-structure: {structure}")
        return wanted
    if not isinstance(wanted, bool) and not nest.is_nested(wanted):
        raise TypeError(f"traverse_fn returned a non-bool scalar: {wanted} for input: {structure}")
    if wanted is False:
        return False
    children = items_of(structure, expand_composites)
    if wanted is True:
        answers = [True] * len(children)
    else:
        assert_shallow_structure(wanted, structure, expand_composites=expand_composites)
        answers = [answer for _, answer in items_of(wanted, expand_composites)]
    parts = []
    for (_, child), answer in zip(children, answers, strict=True):
        if not isinstance(answer, bool):
            raise TypeError(
                f"traverse_fn didn't return a depth=1 structure of bools.  saw: {wanted}  for structure: {structure}"
            )
        parts.append(get_traverse_shallow_structure(traverse_fn, child, expand_composites) if answer else False)
    return sequence_like(structure, parts)
