"""Resources in saved models, such as tables: the functions that make, fill and free them."""

from __future__ import annotations

import gc

from tracefn import _core
from tracefn._tracking.resource import TrackableResource
from tracefn.data._saved import VariantTracker
from tracefn.function import function as traced_function
from tracefn.ops.tables import StaticVocabularyTable

_METHODS = ("_create_resource", "_initialize", "_destroy_resource")


class RestoredResource(TrackableResource):
    """A table or another resource of a loaded model: its methods are functions of the model.

    Args:
      number: of the object in the model.
      find: function from a name to the trace of that name, or None.
    """

    def __init__(self, number: int, find) -> None:
        super().__init__()
        self._number, self._find = number, find

    def saved_functions(self) -> dict:
        """Its methods by their names, as traces, which a further saved model has as they are."""
        found = {name: self._find(name) for name in _METHODS}
        return {name: trace for name, trace in found.items() if trace is not None}

    def _create_resource(self):
        create = self._find("_create_resource")
        if create is None:
            raise ValueError(
                f"Object number {self._number} of the saved model is a resource without a function that makes it."
            )
        return create()

    def _initialize(self) -> None:
        initialize = self._find("_initialize")
        if initialize is None:
            return
        done = initialize()
        graph = _core.current_graph()
        if graph is not None and not graph.building_function:
            # Sessions run what is in this collection.
            graph.add_to_collection("table_initializer", done.op)

    def _add_trackable_child(self, name, value) -> None:
        self._track_trackable(value, name)  # what fills it may be a file, which a further saved model needs


def is_resource(value) -> bool:
    """Whether it is an object that stands for a resource of its own."""
    return isinstance(value, TrackableResource) and not isinstance(value, StaticVocabularyTable)


def made_by(handle) -> TrackableResource | None:
    """The object, of all that there are, that stands for a resource: an error names it."""
    key = _core.resource_key(handle)
    for one in gc.get_objects():
        # The type first: other objects may be references whose attributes do not exist any more.
        known = one._resource_handle if issubclass(type(one), TrackableResource) else None
        if known is not None and known.dtype == "resource" and _core.resource_key(known) == key:
            return one
    return None


def resource_functions(resource) -> dict:
    """The methods of a resource as traces, which whoever loads the model calls."""
    if isinstance(resource, (RestoredResource, VariantTracker)):
        return resource.saved_functions()

    def creator():
        return resource._create_resource()

    def initializer():
        resource._initialize()
        return _core.convert_to_tensor(1)

    def destroyer():
        resource._destroy_resource()
        return _core.convert_to_tensor(1)

    return {
        name: traced_function(function, input_signature=[], autograph=False).get_concrete_function()
        for name, function in zip(_METHODS, (creator, initializer, destroyer), strict=True)
    }
