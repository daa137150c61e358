"""How saved models keep datasets that functions iterate over: by a function that makes the dataset again."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

from tracefn import _core
from tracefn._tracking.resource import TrackableResource
from tracefn.data import _structure as structure
from tracefn.function import function as traced_function

# What makes an eager tensor again whose value no file can hold, by the number of that tensor's object.
_recipes: dict[int, tuple[weakref.ref, Callable]] = {}


def _remember(tensor, again: Callable) -> None:
    # Nothing is kept once the tensor is gone: the dataset that it is, or is for, holds what is noted itself.
    if isinstance(tensor, _core.EagerTensor) and tensor.dtype.name in ("variant", "resource"):
        number = id(tensor)
        # Bound, since the module's names may be gone when the process ends.
        forget = _recipes.pop
        _recipes[number] = weakref.ref(tensor, lambda _: forget(number, None)), again


def run(op: str, **arguments):
    """Runs an op that makes a dataset, or a handle that one takes; a saved model may run it again."""
    made = _core.raw_op(op)(**arguments)
    _remember(made, partial(_run_again, op, arguments))
    return made


def _run_again(op: str, arguments: dict):
    return _core.raw_op(op)(**{name: _made_again(argument) for name, argument in arguments.items()})


def to_tensors(spec, element, batched: bool = False) -> list:
    """`structure.to_tensors`, for tensors that a saved model may make again."""
    made = structure.to_tensors(spec, element, batched=batched)
    for i, tensor in enumerate(made):
        _remember(tensor, lambda i=i: structure.to_tensors(spec, element, batched=batched)[i])
    return made


def _made_again(value) -> Any:
    """An argument of a dataset op, with the ops that made the datasets in it run again."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(_made_again, value)) if type(value) in (list, tuple) else value
    if not isinstance(value, _core.Tensor) or id(value) not in _recipes:
        return value
    _, again = _recipes[id(value)]
    return again()


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
