"""`tf.train.CheckpointView`: the objects of a checkpoint, without making them."""

from __future__ import annotations

import collections
import os

from tracefn._checkpoint.object_graph import OBJECT_GRAPH, read_object_graph
from tracefn._checkpoint.reader import CheckpointReader
from tracefn._logging import warn
from tracefn._tracking.base import is_trackable
from tracefn._tracking.views import TrackableView
from tracefn._value_text import value_text


class CheckpointView:
    """The objects of a checkpoint by their numbers; the root has number 0.

    Args:
      save_path: str or path of a checkpoint.

    Raises:
      NotFoundError: there is none.
      ValueError: it holds no object graph.

    Example:
      >>> import tempfile, tracefn as tf
      >>> root = tf.Module()
      >>> root.part = tf.Variable(1.0)
      >>> path = tf.train.Checkpoint(root).write(tempfile.mkdtemp() + "/c")
      >>> view = tf.train.CheckpointView(path)
      >>> view.children(0)["part"], view.descendants(), view.match(root)[1] is root.part
      (1, [0, 1], True)
    """

    def __init__(self, save_path) -> None:
        reader = CheckpointReader(save_path)
        if not reader.has_tensor(OBJECT_GRAPH):
            raise ValueError(
                f'The specified checkpoint "{os.fspath(save_path)}" does not appear to be object-based (saved with TF2) since it '
                f'is missing the key "{OBJECT_GRAPH}". Likely it was created with the TF1 name-based saver and does not contain '
                "an object dependency graph."
            )
        self._object_graph_proto = read_object_graph(reader)

    def children(self, node_id) -> dict:
        """The numbers of the objects that one holds, by their names."""
        return {child.local_name: child.node_id for child in self._object_graph_proto.nodes[node_id].children}

    def descendants(self) -> list:
        """The numbers of all objects, the nearest to the root first."""
        found, waiting = [0], collections.deque([0])
        while waiting:
            for child in self.children(waiting.popleft()).values():
                if child not in found:
                    found.append(child)
                    waiting.append(child)
        return found

    def match(self, obj) -> dict:
        """The Python objects that have the places of objects in the checkpoint, by the numbers of these.

        Args:
          obj: the object that has the root's place.

        Raises:
          ValueError: it is no Trackable.
        """
        if not is_trackable(obj):
            raise ValueError(f"Expected a Trackable, got {value_text(obj)} of type {type(obj)}.")
        found = {0: obj}
        waiting = collections.deque([0])
        visited = set()
        while waiting:
            number = waiting.popleft()
            held = TrackableView.children(found[number])
            for name, child in self.children(number).items():
                if child in visited or child == 0 or name not in held:
                    continue
                if child not in found:
                    found[child] = held[name]
                    waiting.append(child)
                elif found[child] is not held[name]:
                    warn(
                        "Inconsistent references when matching the checkpoint into this object graph. The referenced objects "
                        f"are: ({value_text(found[child])} and {value_text(held[name])})."
                    )
            visited.add(number)
        return found

    def diff(self, obj):
        """(as `match`; the numbers of objects that are only in the checkpoint; objects that are only in `obj`)."""
        found = self.match(obj)
        known = {id(one) for one in found.values()}
        missing = [number for number in self.descendants() if number not in found]
        return found, missing, [one for one in TrackableView(obj).descendants() if id(one) not in known]
