"""How saved models keep datasets that functions iterate over: by a function that makes the dataset again."""

from __future__ import annotations

import weakref
from typing import Any

from tracefn import _core
from tracefn._tracking.resource import TrackableResource
from tracefn.function import function as traced_function

# The op and the arguments that made an eager variant tensor, by the number of that tensor's object.
_recipes: dict[int, tuple[weakref.ref, str, dict]] = {}


def remember(variant, op: str, arguments: dict) -> None:
    """Notes which op made a dataset; nothing is kept once the dataset is gone, which holds what is noted itself.

    Args:
      variant: eager variant tensor.
      op: str, the op's name.
      arguments: dict of its inputs and attributes by name.
    """
    number = id(variant)
    _recipes[number] = weakref.ref(variant, lambda _: _recipes.pop(number, None)), op, arguments


def _made_again(value) -> Any:
    """An argument of a dataset op, with the ops that made the datasets in it run again."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(_made_again, value)) if type(value) in (list, tuple) else value
    if not isinstance(value, _core.Tensor) or id(value) not in _recipes:
        return value
    _, op, arguments = _recipes[id(value)]
    return _core.raw_op(op)(**{name: _made_again(argument) for name, argument in arguments.items()})


class VariantTracker(TrackableResource):
    """Stands for a dataset's variant tensor among the objects of a saved model.

    Args:
      variant: eager variant tensor.
    """

    def __init__(self, variant) -> None:
        super().__init__(device="CPU")
        self._resource_handle = variant

    def saved_functions(self) -> dict:
        """The function that makes the dataset, as a trace."""
        variant = self._resource_handle
        creator = traced_function(lambda: _made_again(variant), input_signature=[], autograph=False)
        return {"_create_resource": creator.get_concrete_function()}


def children_of(dataset) -> dict:
    """What a saved model keeps of a dataset: a symbolic one belongs to a function, which is saved itself."""
    variant = dataset._variant_tensor
    return {"_variant_tracker": VariantTracker(variant)} if id(variant) in _recipes else {}
