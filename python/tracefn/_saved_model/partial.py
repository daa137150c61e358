"""`tf.__internal__.saved_model.load_partial`: parts of a saved model, and into objects that are there already."""

from __future__ import annotations

from tracefn._saved_model.load import Loading, opened
from tracefn._saved_model.options import LoadOptions
from tracefn._tracking.base import Trackable
from tracefn._tracking.structure import TrackableDataStructure
from tracefn.variable import Variable

__all__ = ["load_partial"]


class _Partial(Loading):
    """One call of `load_partial`.

    Args:
      filters: the paths of what is loaded; if a dict, with an object for each, or a pair of it and of what gives it a child.
    """

    def __init__(self, directory, graph, options, filters) -> None:
        super().__init__(directory, graph, options)
        self.number_of = {path: self._number_at(path) for path in filters}
        self._given: dict[int, tuple] = {}
        if isinstance(filters, dict):
            for path, value in filters.items():
                if value is not None:
                    self._given[self.number_of[path]] = value if isinstance(value, tuple) else (value, setattr)
        self._wanted = self._reached()
        self._check_captures()

    def _number_at(self, path: str) -> int:
        """The number of the object at a path such as "root.layer.kernel"."""
        if not isinstance(path, str):
            raise TypeError("Elements in node_filters must be strings.")
        first, *names = path.split(".")
        if first != "root":
            raise ValueError(
                "When passing string identifiers to node_filters, the first name must be root. "
                f"Received {first}."
            )
        number = 0
        for name in names:
            child = self._child(self._saved.nodes[number], name)
            if child is None:
                raise ValueError(f"Unable to find node {path}.")
            number = child
        return number

    def _reached(self) -> set[int]:
        """The objects that are loaded: those that are asked for, and what they hold."""
        waiting, reached = list(self.number_of.values()), set()
        while waiting:
            number = waiting.pop(0)
            if number in reached:
                continue
            reached.add(number)
            here, _ = self._given.get(number, (None, None))
            if here is not None:
                self._add_lists_of(here, number)
            waiting += [reference.node_id or 0 for reference in self._saved.nodes[number].children]
        return set(range(len(self._saved.nodes))) if 0 in reached else reached

    def _add_lists_of(self, here, number: int) -> None:
        """The lists and dicts that an object has already stay as they are."""
        if not isinstance(here, Trackable):
            raise TypeError(
                f"Error when processing dictionary values passed to nodes_to_load. {here!r} is expected to be a checkpointable "
                "(i.e. 'trackable') TensorFlow object (e.g. tf.Variable, tf.Module or Keras layer)."
            )
        here._maybe_initialize_trackable()
        for reference in self._saved.nodes[number].children:
            if (reference.node_id or 0) not in self._given:
                held = here._lookup_dependency(reference.local_name)
                if isinstance(held, TrackableDataStructure):
                    self._given[reference.node_id or 0] = held, lambda *_: None

    def _is_wanted(self, number: int) -> bool:
        return number in self._wanted

    def _made(self, number, node, values):
        if number not in self._given:
            return super()._made(number, node, values)
        here, setter = self._given[number]
        if isinstance(here, Variable) and number in values:
            here.assign(values[number])
        return here, setter

    def _check_captures(self) -> None:
        """Functions need the objects whose values they capture."""
        for number in self._wanted:
            function = self._saved.nodes[number].function
            for name in function.concrete_functions if function is not None else ():
                concrete = self._saved.concrete_functions.get(name)
                lacking = [one for one in concrete.bound_inputs if one not in self._wanted] if concrete is not None else []
                if lacking:
                    raise ValueError(
                        "Unable to partially load SavedModel since the specified filter does not include all required objects "
                        f"for loading: the function {name!r} captures object number {lacking[0]}."
                    )

    def found(self) -> dict:
        """The objects by their paths."""
        self.run()
        return {path: self._objects[number] for path, number in self.number_of.items()}


def load_partial(export_dir, filters, tags=None, options=None) -> dict:
    """Loads parts of a saved model.

    Args:
      export_dir: str or path, its directory.
      filters: list of paths such as "root.layer": each is loaded with all that it holds. Or a dict whose values are None, or an
        object into which a part is loaded, or a pair of such an object and a function that is called as `setattr` for what it
        holds.
      tags: as in `tf.saved_model.load`.
      options: LoadOptions.

    Returns:
      A dict from each path to what is loaded.

    Raises:
      ValueError: there is no object at a path, or a function needs an object that is not loaded.
      TypeError: a path is no str, or an object is no Trackable.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> module, path = tf.Module(), tempfile.mkdtemp()
      >>> module.part, other = tf.Module(), tf.Variable(0.0)
      >>> module.part.v = tf.Variable(5.0)
      >>> tf.saved_model.save(module, path)
      >>> loaded = tf.__internal__.saved_model.load_partial(path, {"root.part": None, "root.part.v": other})
      >>> loaded["root.part"].v is other, float(other)
      (True, 5.0)
    """
    directory, graph, _ = opened(export_dir, tags)
    return _Partial(directory, graph, options or LoadOptions(), filters).found()
