"""Resources in saved models, such as tables: the functions that make, fill and free them."""

from __future__ import annotations

from tracefn import _core
from tracefn._tracking.resource import TrackableResource
from tracefn.function import function as traced_function
from tracefn.ops.tables import StaticVocabularyTable


def is_resource(value) -> bool:
    """Whether it is an object that stands for a resource of its own."""
    return isinstance(value, TrackableResource) and not isinstance(value, StaticVocabularyTable)


def resource_functions(resource) -> dict:
    """The methods of a resource as traces, which whoever loads the model calls."""

    def creator():
        return resource._create_resource()

    def initializer():
        resource._initialize()
        return _core.convert_to_tensor(1)

    def destroyer():
        resource._destroy_resource()
        return _core.convert_to_tensor(1)

    functions = {"_create_resource": creator, "_initialize": initializer, "_destroy_resource": destroyer}
    return {
        name: traced_function(function, input_signature=[], autograph=False).get_concrete_function()
        for name, function in functions.items()
    }
