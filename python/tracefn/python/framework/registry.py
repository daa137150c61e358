"""`tensorflow.python.framework.registry`: objects by name."""

from __future__ import annotations

import sys
from collections.abc import MutableMapping

__all__ = ["Registry"]


class Registry:
    """Objects by name, each with the place where it was registered.

    Args:
      name: what the objects are, for messages.

    Example:
      >>> import tracefn as tf
      >>> colors = tf.python.framework.registry.Registry("color")
      >>> colors.register("#f00", "red")
      >>> colors.lookup("red"), colors.list()
      ('#f00', dict_keys(['red']))
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._registry: MutableMapping = {}  # each with its place

    def register(self, candidate, name=None) -> None:
        """Registers an object under a name: by default its own.

        Raises:
          ValueError: the object has no name.
          KeyError: the name is taken.
        """
        name = name or candidate.__name__
        if not name:
            raise ValueError("Attempting to register a candidate with an empty name.")
        if name in self._registry:
            place = self._registry[name]["location"]
            raise KeyError(f"Registering two {self._name} with name {name!r}! (Previous registration was in {place})")
        frame = sys._getframe(1)
        self._registry[name] = {"type": candidate, "location": f"{frame.f_code.co_filename}:{frame.f_lineno}"}

    def list(self):
        """The names."""
        return self._registry.keys()

    def lookup(self, name):
        """The object of a name.

        Raises:
          LookupError: nothing is registered under it.
        """
        name = name.decode() if isinstance(name, bytes) else name
        if name not in self._registry:
            raise LookupError(f"{self._name} registry has no entry for: {name}")
        return self._registry[name]["type"]
