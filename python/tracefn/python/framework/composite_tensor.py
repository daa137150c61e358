"""`tensorflow.python.framework.composite_tensor`: the base class of values made of tensors."""

from __future__ import annotations

from tracefn import nest
from tracefn.composite import CompositeTensor

__all__ = ["CompositeTensor", "replace_composites_with_components"]


def replace_composites_with_components(structure):
    """A structure with lists of tensors in the place of values made of them.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.framework.composite_tensor import replace_composites_with_components
      >>> slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
      >>> [len(part) for part in replace_composites_with_components([slices])]
      [2]
    """
    if isinstance(structure, CompositeTensor):
        return replace_composites_with_components(nest.flatten(structure, expand_composites=True))
    if not nest.is_nested(structure):
        return structure
    return nest.map_structure(replace_composites_with_components, structure)
