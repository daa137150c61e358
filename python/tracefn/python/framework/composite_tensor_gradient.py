"""`tensorflow.python.framework.composite_tensor_gradient`: which tensors of composite values are differentiated."""

from __future__ import annotations

import abc

from tracefn._gradient import values
from tracefn.composite import GradientOfValues

__all__ = [
    "CompositeTensorGradient",
    "WithValuesCompositeTensorGradient",
    "get_flat_tensors_for_gradients",
    "replace_flat_tensors_for_gradients",
]
WithValuesCompositeTensorGradient = GradientOfValues


class CompositeTensorGradient(abc.ABC):
    """The base of the objects that a class of composite values has as its attribute `__composite_gradient__`."""

    @abc.abstractmethod
    def get_gradient_components(self, value):
        """The parts of `value` that are differentiated."""

    @abc.abstractmethod
    def replace_gradient_components(self, value, component_grads):
        """`value` with the gradients of these parts in their place."""


CompositeTensorGradient.register(GradientOfValues)


def get_flat_tensors_for_gradients(xs) -> list:
    """The tensors that are differentiated of tensors, Variables and composite values.

    Example:
      >>> import tracefn as tf
      >>> gradients = tf.python.framework.composite_tensor_gradient
      >>> len(gradients.get_flat_tensors_for_gradients([tf.ragged.constant([[1.0]]), tf.constant(2.0)]))
      2
    """
    return values.components(list(xs))


def replace_flat_tensors_for_gradients(xs, flat_grads) -> list:
    """The gradients of `get_flat_tensors_for_gradients(xs)` as values like `xs`."""
    return values.pack_gradients(list(xs), flat_grads)
