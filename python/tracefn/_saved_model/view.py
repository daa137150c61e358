"""The objects of a saved model: Trackables, their functions and the traces of these, each with a number."""

from __future__ import annotations

import collections
import warnings

from tracefn import _core
from tracefn._saved_model.resources import is_resource, resource_functions
from tracefn._tracking.auto import AutoTrackable
from tracefn._tracking.data_structures import TrackableDataStructure
from tracefn._tracking.views import TrackableView

Function, ConcreteFunction = _core.Function, _core.ConcreteFunction


def is_function(value) -> bool:
    """Whether it is a Function or a trace of one."""
    return isinstance(value, (Function, ConcreteFunction))


def traces(function) -> list:
    """The traces of a Function that are saved; with an input_signature there is always one.

    Args:
      function: Function.
    """
    return list(function._trackable_children("savedmodel").values())


def identity(value):
    """What tells one object from another: Functions of one method of one object are made anew at each access."""
    if isinstance(value, Function):
        return id(value._impl), None if value._instance is None else id(value._instance)
    if isinstance(value, ConcreteFunction):
        return value.name
    return id(value)


def _functions_of(value) -> dict:
    """The functions that are attributes, or elements, of an object."""
    if isinstance(value, TrackableDataStructure):
        items = value.items() if hasattr(value, "items") else enumerate(value)  # type: ignore[arg-type, var-annotated]
        return {str(name): one for name, one in items if is_function(one)}
    if not isinstance(value, AutoTrackable):
        return {}
    found = {}
    for name in dir(value):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                attribute = getattr(value, name, None)
        except Exception:  # a property of the user's class may raise anything; then it is no function
            continue
        if is_function(attribute):
            found[name] = attribute
    return found


def children_of(value) -> dict:
    """What a saved model keeps of an object, by name."""
    if isinstance(value, Function):
        return value._trackable_children("savedmodel")
    if isinstance(value, ConcreteFunction):
        return {}
    functions = _functions_of(value)
    if is_resource(value):
        functions.update(resource_functions(value))
    for function in functions.values():
        if isinstance(function, Function):
            traces(function)  # may make Variables, which are children then
    found = TrackableView.children(value, "savedmodel", cache={})
    children = {name: child for name, child in found.items() if not is_function(child)}
    return {**children, **{name: child for name, child in found.items() if is_function(child)}, **functions}


class SavedObjects:
    """An object and all that is saved with it, numbered from the nearest on; number 0 is the root.

    Args:
      root: Trackable.
      attached: dict of further children of the root.

    Attributes:
      objects: list.
      children: list of dicts from a name to the number of a child, one for each object.
    """

    def __init__(self, root, attached: dict) -> None:
        self.objects: list = []
        self.children: list[dict[str, int]] = []
        self._numbers: dict = {}
        waiting = collections.deque([root])
        self._number(root)
        while waiting:
            current = waiting.popleft()
            found = children_of(current)
            if current is root:
                found.update(attached)
            numbers = {}
            for name, child in found.items():
                if identity(child) not in self._numbers:
                    self._number(child)
                    waiting.append(child)
                numbers[name] = self._numbers[identity(child)]
            self.children[self._numbers[identity(current)]] = numbers

    def _number(self, value) -> int:
        self._numbers[identity(value)] = len(self.objects)
        self.objects.append(value)
        self.children.append({})
        return len(self.objects) - 1

    def add(self, value) -> int:
        """The number of an object that nothing refers to by name."""
        return self._number(value)

    def number(self, value) -> int:
        """The number of an object that is there."""
        return self._numbers[identity(value)]

    def has(self, value) -> bool:
        """Whether an object is there."""
        return identity(value) in self._numbers
