"""Packs the tensors of dataset elements and optionals, many times by one spec."""

from __future__ import annotations

import itertools
import operator

from tracefn.tensor_spec import TensorSpec


def leaves_of(specs, tensors) -> list:
    """The values of specs, of which each takes the next of the tensors that it holds."""
    leaves, at = [], 0
    for spec in specs:
        count = 1 if isinstance(spec, TensorSpec) else len(spec._flat_tensor_specs)
        leaves.append(spec._from_compatible_tensor_list(tensors[at : at + count]))
        at += count
    return leaves


def packer(element_spec):
    """A function from a tuple of tensors to the element that they stand for; None if an element is more than plain tuples and
    dicts of tensors."""
    try:
        return _packer(element_spec, itertools.count())
    except TypeError:  # keys of a dict have no order
        return None


def _packer(spec, numbers):
    if isinstance(spec, TensorSpec):
        return operator.itemgetter(next(numbers))
    if type(spec) is tuple:
        parts = [_packer(part, numbers) for part in spec]
        return None if None in parts else lambda tensors: tuple([part(tensors) for part in parts])
    if type(spec) is dict:
        places = {key: _packer(spec[key], numbers) for key in sorted(spec)}
        items = [(key, places[key]) for key in spec]
        return None if None in places.values() else lambda tensors: {key: part(tensors) for key, part in items}
    return None
