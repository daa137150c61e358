"""`tensorflow.python.util.custom_nest_protocol`: classes that `tf.nest` takes apart by their own methods."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

__all__ = ["CustomNestProtocol"]


@runtime_checkable
class CustomNestProtocol(Protocol):
    """Objects that are nested structures: those of a class with these two methods.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.util.custom_nest_protocol import CustomNestProtocol
      >>> class Pair:
      ...     def __init__(self, unit, value):
      ...         self.unit, self.value = unit, value
      ...     def __tf_flatten__(self):
      ...         return (self.unit,), (self.value,)
      ...     @classmethod
      ...     def __tf_unflatten__(cls, metadata, components):
      ...         return cls(*metadata, *components)
      >>> isinstance(Pair("m", 3), CustomNestProtocol), tf.nest.flatten(Pair("m", 3))
      (True, [3])
    """

    def __tf_flatten__(self) -> tuple[Any, tuple[Any, ...]]:
        """(what stays as it is, the parts) of the object."""
        ...

    @classmethod
    def __tf_unflatten__(cls, metadata, components) -> Any:
        """The object of what `__tf_flatten__` gives."""
        ...
