"""Nests of values of each replica as one nest of distributed values, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tracefn import _core, nest
from tracefn.distribute._values import DistributedValues, Mirrored, PerReplica, is_mirrored
from tracefn.distribute._variables import DistributedVariable
from tracefn.framework import control_dependencies, inside_function
from tracefn.ops.control_flow import group
from tracefn.variable import _UnreadVariable

_identity = _core.raw_op("Identity")


def container_of(value):
    """The distributed variable that a variable is a part of; any other value itself."""
    if isinstance(value, (DistributedVariable, _UnreadVariable)):
        return value
    container = getattr(value, "_distributed_container", None)
    found = None if container is None else container()
    return value if found is None else found


def _check_lengths(values) -> None:
    first = values[0]
    for value in values[1:]:
        if not isinstance(value, (list, tuple)) or len(value) != len(first):
            raise AssertionError(
                f"Values to regroup had different lengths: len(v) == {len(value)}, len(v0) == {len(first)}, v: {value}, "
                f"v0: {first}"
            )


def _check_keys(values) -> None:
    keys = set(values[0])
    for value in values[1:]:
        if set(value) != keys:
            raise AssertionError(f"v[0].keys: {keys}  v[i].keys: {set(value)}")


def regroup(values, wrap=PerReplica, always_wrap: bool = False):
    """One nest of the nests of all replicas.

    Args:
      values: sequence of nests of the same structure, one for each replica.
      wrap: class of the distributed values, called with a tuple.
      always_wrap: whether what is one object on all replicas is wrapped, too.

    Returns:
      The nest, in which the parts of one distributed variable are that variable.
    """
    first = values[0]
    if isinstance(first, (list, tuple)):
        _check_lengths(values)
        parts = [regroup(part, wrap, always_wrap) for part in zip(*values, strict=True)]
        if isinstance(first, list):
            return parts
        return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)
    if isinstance(first, Mapping):
        _check_keys(values)
        make: Any = type(first)
        return make({key: regroup(tuple(v[key] for v in values), wrap, always_wrap) for key in first})
    same = all(value is first or type(first) is str and value == first for value in values)
    container = container_of(first)
    if same and (isinstance(first, DistributedVariable) or not always_wrap and container is first):
        return first
    if container is not first:
        if any(container_of(value) is not container for value in values):
            raise AssertionError(f"parts of different variables: {values}")
        return container
    return wrap(tuple(values))


def select_replica(replica: int, structure):
    """The nest of one replica: its part of each distributed value. Distributed variables stay."""

    def part(value):
        if isinstance(value, DistributedVariable) or not isinstance(value, DistributedValues):
            return value
        return value._values[replica]

    return nest.map_structure(part, structure)


def local_results(value, count: int) -> tuple:
    """The value of each of `count` replicas; of a single value, that value."""
    if isinstance(value, DistributedValues):
        return value._values
    if nest.is_nested(value):
        return tuple(
            nest.map_structure(lambda x, i=i: x._values[i] if isinstance(x, DistributedValues) else x, value)
            for i in range(count)
        )
    return (value,)


def grouped_updates(results: list, as_one: bool, count: int):
    """The results of an update of each replica's variable.

    Args:
      results: the nest that each replica's update returned.
      as_one: whether each part of the result runs all updates; else a nest of tuples of what each returned.
      count: how many replicas there are.
    """
    if as_one:
        return regroup(results, _with_all_updates)
    return nest.map_structure(lambda value: local_results(value, count), regroup(results, Mirrored))


def _with_all_updates(values):
    """Mirrored values that are there once all updates have run."""
    if all(value is None or isinstance(value, _core.Operation) for value in values):
        return group(*(value for value in values if value is not None))
    if inside_function():  # there, effects run in program order, so that nothing need wait for the others
        return Mirrored(values)
    with control_dependencies(values):
        return Mirrored([_identity(input=_core.convert_to_tensor(value)) for value in values])


__all__ = ["container_of", "grouped_updates", "is_mirrored", "local_results", "regroup", "select_replica"]
