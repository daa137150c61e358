"""`tf.train.TrackableView`: walks over an object and all that it holds."""

from __future__ import annotations

import collections
import weakref

from tracefn._tracking.base import TrackableReference
from tracefn._tracking.structure import wrap_or_unwrap


class TrackableView:
    """An object and all objects that it holds, as a checkpoint sees them.

    Args:
      root: the object, or a weak reference to it; the view does not keep it alive.

    Example:
      >>> import tracefn as tf
      >>> root = tf.Module("root")
      >>> root.parts = [tf.Variable(1.0)]
      >>> view = tf.train.TrackableView(root)
      >>> sorted(view.children(root)), len(view.descendants())
      (['parts'], 3)
    """

    def __init__(self, root) -> None:
        self._root_ref = root if isinstance(root, weakref.ref) else weakref.ref(root)

    @classmethod
    def children(cls, obj, save_type="checkpoint", **kwargs) -> dict:
        """The objects that one holds, by their names.

        Args:
          obj: the object.
          save_type: str, "checkpoint" or "savedmodel".
        """
        children = getattr(obj, "_trackable_children", None)  # native Functions hold none
        if children is None:
            return {}
        # Libraries may give plain lists and dicts.
        return {name: wrap_or_unwrap(child) for name, child in children(save_type, **kwargs).items()}

    @property
    def root(self):
        """The object.

        Raises:
          AssertionError: it is gone.
        """
        root = self._root_ref()
        if root is None:
            raise AssertionError("The root of the view is gone.")
        return root

    def descendants(self) -> list:
        """The object and all that it holds, each once, the nearest first."""
        return self._descendants_with_paths()[0]

    def _descendants_with_paths(self) -> tuple[list, dict]:
        """(the descendants; for each, by its id, the path of references from the root)."""
        root = self.root
        found, waiting = [], collections.deque([root])
        paths: dict[int, tuple] = {id(root): ()}
        while waiting:
            current = waiting.popleft()
            found.append(current)
            for name, child in self.children(current).items():
                if id(child) not in paths:
                    paths[id(child)] = (*paths[id(current)], TrackableReference(name, child))
                    waiting.append(child)
        return found, paths
