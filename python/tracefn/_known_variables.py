"""Finds Variables by their handles, and the class `tf.Variable`, for modules that tracefn.variable depends on."""

from __future__ import annotations

import weakref
from typing import Any

from tracefn import _core, nest

# The Variable object of each resource that has one.
_by_resource: weakref.WeakValueDictionary = weakref.WeakValueDictionary()


def remember(variable) -> None:
    """Registers a Variable as the owner of its handle."""
    remember_container(variable.handle, variable)


def remember_container(handle, container) -> None:
    """Registers a distributed variable as the owner of the handle of one of its copies."""
    if isinstance(handle, _core.SymbolicTensor):  # of a tf.Graph, whose nodes move in memory
        _of_graph(handle.graph)[handle.name] = container
    else:
        _by_resource[_core.resource_key(handle)] = container


def variable_of_handle(handle) -> Any:
    """The Variable that a handle belongs to; None if it or its graph is gone, or for the argument of a function.

    Args:
      handle: scalar tensor of dtype resource.
    """
    if isinstance(handle, _core.SymbolicTensor):
        try:
            graph = handle.graph
        except RuntimeError:  # it is gone, and its Variables are
            return None
        return _of_graph(graph).get(handle.name)
    return _by_resource.get(_core.resource_key(handle))


def _of_graph(graph) -> weakref.WeakValueDictionary:
    return graph.__dict__.setdefault("_variables_of_handles", weakref.WeakValueDictionary())


class _Unset:
    """Stands for `tf.Variable` until tracefn.variable is imported."""


_variable_class: Any = _Unset


def variable_class() -> Any:
    """`tf.Variable`."""
    return _variable_class


def register_variable_class(cls) -> None:
    """Registers the class here and in the core."""
    global _variable_class
    _variable_class = cls
    _core.register_variable_class(cls)


def values_of_variables(structure):
    """A structure with the values of its Variables in their place, also of those in values made of tensors."""

    def converted(value):
        if isinstance(value, _variable_class):
            return _core.convert_to_tensor(value)
        own = getattr(value, "_convert_variables_to_tensors", None)
        return value if own is None else own()

    return nest.map_structure(converted, structure)
