"""`tensorflow.python.ops.linalg.linear_operator`: the base class of linear operators."""

from __future__ import annotations

from tracefn.linalg._linear_operator import LinearOperator
from tracefn.python.framework import type_spec_registry

__all__ = ["LinearOperator", "make_composite_tensor"]


def make_composite_tensor(cls, module_name="tf.linalg"):
    """A decorator that registers the type of a class of operators; its objects are composite values in any case.

    Args:
      cls: subclass of LinearOperator.
      module_name: str, the first part of the name under which the type is registered.

    Raises:
      ValueError: that name is taken.
    """
    type_spec_registry.register(f"{module_name}.{cls.Spec.__name__}")(cls.Spec)
    return cls
