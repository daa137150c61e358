"""Elements as files hold them: the tensors of which ragged, sparse and other composite values are made."""

from __future__ import annotations

from typing import Any

from tracefn import nest
from tracefn.data import _nest as elements
from tracefn.data import _structure as structure
from tracefn.data._base import made
from tracefn.tensor_spec import NoneTensorSpec, TensorSpec


def is_plain(element_spec) -> bool:
    """Whether elements are nests of tensors, which files hold as they are."""
    return all(isinstance(spec, (TensorSpec, NoneTensorSpec)) for spec in elements.flatten(element_spec))


def tensor_specs(element_spec) -> tuple:
    """The specs of the tensors in an element."""
    return tuple(nest.flatten(elements.flatten(element_spec), expand_composites=True))


def as_tensors(dataset) -> Any:
    """The elements of a dataset as tuples of tensors."""
    return dataset.map(lambda *element: tuple(nest.flatten(elements.flatten(element), expand_composites=True)))


def from_tensors(dataset, element_spec, kind: str) -> Any:
    """The elements that `as_tensors` took apart.

    Args:
      dataset: of tuples of tensors.
      element_spec: nest of specs of the elements.
      kind: the name of the class of the result.
    """
    whole = dataset.map(lambda *tensors: tuple(structure.to_tensors(element_spec, packed(element_spec, tensors))))
    return made(kind, whole._variant_tensor, element_spec, [whole])


def packed(element_spec, tensors) -> Any:
    """An element of its tensors."""
    specs = elements.flatten(element_spec)
    return elements.pack_sequence_as(element_spec, nest.pack_sequence_as(specs, tensors, expand_composites=True))
