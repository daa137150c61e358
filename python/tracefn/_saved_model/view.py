"""The objects of a saved model: Trackables, their functions and the traces of these, each with a number."""

from __future__ import annotations

import collections

from tracefn import _core
from tracefn._checkpoint.graph_view import ObjectGraphView
from tracefn._saved_model.resources import is_resource, resource_functions
from tracefn._tracking.base import TrackableReference
from tracefn._tracking.structure import TrackableDataStructure
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


def _functions_in(value) -> dict:
    """The functions that are elements of a list or dict."""
    if not isinstance(value, TrackableDataStructure):
        return {}
    items = value.items() if hasattr(value, "items") else enumerate(value)  # type: ignore[arg-type, var-annotated]
    return {str(name): one for name, one in items if is_function(one)}


class Children:
    """What one saved model keeps of objects: each is asked once, and all are given the same cache."""

    def __init__(self) -> None:
        self._cache: dict = {}
        self._known: dict = {}

    def of(self, value) -> dict:
        """The children of an object by name."""
        key = identity(value)
        if key not in self._known:
            self._known[key] = value, self._found(value)  # the object lives on, so that no other one gets its number
        return dict(self._known[key][1])

    def _found(self, value) -> dict:
        if isinstance(value, Function):
            return value._trackable_children("savedmodel")
        if isinstance(value, ConcreteFunction):
            return {}
        functions = _functions_in(value)
        if is_resource(value):
            functions.update(resource_functions(value))
        for function in functions.values():
            if isinstance(function, Function):
                traces(function)  # may make Variables, which are children then
        found = TrackableView.children(value, "savedmodel", cache=self._cache)
        children = {name: child for name, child in found.items() if not is_function(child)}
        return {**children, **{name: child for name, child in found.items() if is_function(child)}, **functions}


class SavedView(ObjectGraphView):
    """The objects of a saved model as its checkpoint has them: libraries hold more in a model than in other checkpoints.

    Args:
      root: Trackable.
      children: Children.
    """

    def __init__(self, root, children: Children) -> None:
        super().__init__(root)
        self._children = children

    def list_children(self, obj, save_type="checkpoint", **kwargs) -> list:
        """The references to the children of an object that are no functions."""
        del save_type, kwargs
        return [TrackableReference(name, child) for name, child in self._children.of(obj).items() if not is_function(child)]


class SavedObjects:
    """An object and all that is saved with it, numbered from the nearest on; number 0 is the root.

    Args:
      root: Trackable.
      attached: dict of further children of the root.
      children: Children.

    Attributes:
      objects: list.
      children: list of dicts from a name to the number of a child, one for each object.
    """

    def __init__(self, root, attached: dict, children: Children) -> None:
        self.objects: list = []
        self.children: list[dict[str, int]] = []
        self._numbers: dict = {}
        waiting = collections.deque([root])
        self._number(root)
        while waiting:
            current = waiting.popleft()
            found = children.of(current)
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

    def paths(self) -> dict[int, tuple]:
        """For each object that has one, a path from the root: pairs of a name and the number of the child."""
        found: dict[int, tuple] = {0: ()}
        waiting = collections.deque([0])
        while waiting:
            number = waiting.popleft()
            for name, child in self.children[number].items():
                if child not in found:
                    found[child] = (*found[number], (name, child))
                    waiting.append(child)
        return found
