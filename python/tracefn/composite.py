"""`CompositeTensor`: the base of composite values, which `tf.nest` can expand and `tf.function` takes as arguments."""

from __future__ import annotations

import abc

from tracefn import nest
from tracefn._nest.kinds import composite_values


@composite_values
class CompositeTensor(abc.ABC):
    """A value made of tensors; its `_type_spec` (a `tf.TypeSpec`) says which ones.

    >>> slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    >>> slices._type_spec
    IndexedSlicesSpec(TensorShape([None]), tf.float32, tf.int32, None, TensorShape([1]))
    """

    __slots__ = ()

    @property
    @abc.abstractmethod
    def _type_spec(self):
        """The spec of this value."""

    def _shape_invariant_to_type_spec(self, shape):
        """The spec of this value in a loop with the shape invariant `shape`."""
        raise NotImplementedError(f"{type(self).__name__}._shape_invariant_to_type_spec")

    def _consumers(self) -> list:
        # Eager tensors have no graph, hence no consumers.
        parts = [part for part in nest.flatten(self, expand_composites=True) if getattr(part, "graph", None) is not None]
        return list({id(op): op for part in parts for op in part.consumers()}.values())


def has_rows(value) -> bool:
    """Whether a value is a RaggedTensor, whose class need not be imported to know it: what has an index for its rows."""
    return getattr(type(value), "iterates_by_rows", False)


class GradientOfValues:
    """What tapes differentiate of a composite value: its `values`, which `with_values` replaces by their gradient.

    A class of composite values says so by its attribute `__composite_gradient__`.
    """

    def get_gradient_components(self, value):
        """The parts of `value` that are differentiated."""
        return value.values

    def replace_gradient_components(self, value, component_grads):
        """`value` with the gradients of these parts in their place."""
        return value.with_values(component_grads)
