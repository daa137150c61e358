"""Walks over the objects of a checkpoint: numbers, paths, and what optimizers keep for Variables."""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

from tracefn._checkpoint.object_graph import Child, Node, ObjectGraph, Slot, path_text, slot_path
from tracefn._tracking.base import TrackableReference
from tracefn._tracking.views import TrackableView
from tracefn._value_text import value_text


class WeakReference(NamedTuple):
    """A child by a weak reference.

    Attributes:
      name: str.
      weak: weakref to the child.
    """

    name: str
    weak: Any

    @property
    def ref(self):
        """The child."""
        return self.weak()


class ObjectGraphView(TrackableView):
    """An object, all that it holds, and objects attached to it for the checkpoint.

    Args:
      root: the object, or a weak reference to it.
      attached_dependencies: list of TrackableReference, further children of the root; None for none.
    """

    def __init__(self, root, attached_dependencies=None) -> None:
        super().__init__(root)
        self._strong_root = None if isinstance(root, weakref.ref) else root
        self.attached_dependencies = attached_dependencies

    @property
    def root(self):
        """The object."""
        return super().root if self._strong_root is None else self._strong_root

    def list_children(self, obj, save_type="checkpoint", **kwargs) -> list:
        """The references to the children of an object, with attached ones."""
        found = [TrackableReference(name, ref) for name, ref in super().children(obj, save_type, **kwargs).items()]
        if obj is self.root and self.attached_dependencies:
            found += [TrackableReference(one.name, one.ref) for one in self.attached_dependencies if one.ref is not None]
        return found

    def children(self, obj, save_type="checkpoint", **kwargs) -> dict:  # type: ignore[override]
        """The children of an object by their names, with attached ones."""
        return dict(self.list_children(obj, save_type, **kwargs))

    def breadth_first_traversal(self):
        """(the objects, the nearest first; their paths from the root by id)."""
        return self._descendants_with_paths()


class Walk:
    """One walk over the objects: what a checkpoint says about them.

    Attributes:
      objects: list of the objects, in order of their numbers.
      paths: list of str, the part of a key that names each.
      graph: ObjectGraph without attributes.
    """

    def __init__(self, view: ObjectGraphView, skip_slots: bool = False) -> None:
        found, paths = view.breadth_first_traversal()
        self.objects: list = list(found)
        self.paths = [path_text(paths[id(one)]) for one in found]
        number = {id(one): i for i, one in enumerate(found)}
        slots = {} if skip_slots else self._slots(number)
        self.graph = ObjectGraph(
            Node(children=[Child(number[id(child)], name) for name, child in view.list_children(one)])
            for one in found
        )
        self.graph.nodes += [Node() for _ in range(len(self.objects) - len(found))]
        for owner, references in slots.items():
            self.graph.nodes[owner].slot_variables = references

    def _slots(self, number: dict) -> dict[int, list[Slot]]:
        """What optimizers keep for Variables; these become the last objects."""
        found: dict[int, list[Slot]] = {}
        variables = list(self.objects)
        for owner, optimizer in enumerate(variables):
            # An optimizer is what has these methods; a Keras model passes on attributes, so `dir` is asked.
            if not hasattr(type(optimizer), "get_slot_names"):
                continue
            for slot_name in optimizer.get_slot_names():
                for original, variable in enumerate(variables):
                    try:
                        slot = optimizer.get_slot(variable, slot_name)
                    except (AttributeError, KeyError):
                        slot = None
                    if slot is None:
                        continue
                    if slot._trackable_children():
                        raise NotImplementedError(
                            "Currently only variables with no dependencies can be saved as slot variables. File a feature "
                            "request if this limitation bothers you."
                        )
                    if id(slot) in number:
                        raise NotImplementedError(
                            f"A slot variable was re-used as a dependency of a Trackable object: {value_text(slot)}. This is "
                            "not currently allowed. File a feature request if this limitation bothers you."
                        )
                    number[id(slot)] = len(self.objects)
                    found.setdefault(owner, []).append(Slot(original, slot_name, len(self.objects)))
                    self.objects.append(slot)
                    self.paths.append(slot_path(self.paths[original], self.paths[owner], slot_name))
        return found


def list_objects(view: ObjectGraphView, skip_slots: bool = False) -> list:
    """All objects of a checkpoint."""
    return Walk(view, skip_slots).objects
