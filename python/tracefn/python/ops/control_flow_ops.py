"""`tensorflow.python.ops.control_flow_ops`: what has no public name."""

from __future__ import annotations

import contextlib

from tracefn._namespaces import root
from tracefn.framework import default_graph
from tracefn.python.ops._switches import merge, switch

__all__ = ["get_enclosing_xla_context", "merge", "switch", "with_dependencies"]


def with_dependencies(dependencies, output_tensor, name=None):
    """A tensor once other operations have run.

    Args:
      dependencies: list of operations and tensors.
      output_tensor: tensor, or composite tensor.
      name: name of the op, or None.

    Example:
      >>> import tracefn as tf
      >>> int(tf.python.ops.control_flow_ops.with_dependencies([tf.no_op()], tf.constant(1)))
      1
    """
    tf = root()
    if tf.executing_eagerly():
        return output_tensor
    with (
        tf.name_scope(name or "control_dependency") as scope,
        _beside(output_tensor),
        tf.control_dependencies(list(dependencies)),
    ):
        if tf.is_tensor(output_tensor):
            return tf.identity(output_tensor, name=scope)
        return tf.nest.map_structure(tf.identity, output_tensor, expand_composites=True)


@contextlib.contextmanager
def _beside(tensor):
    """A context in which ops are placed as a tensor or Variable is, and colocated with it."""
    tf = root()
    if not tf.is_tensor(tensor) or tf.executing_eagerly() or getattr(tensor, "graph", None) is not default_graph():
        yield
        return
    with default_graph().colocate_with(tensor), tf.device(None), tf.device(tensor.device or None):
        yield


def _Identity(tensor, name=None):  # TensorFlow's name
    """The same tensor or composite tensor, as the result of an op."""
    identity = root().identity
    return root().nest.map_structure(lambda part: identity(part, name=name), tensor, expand_composites=True)


def get_enclosing_xla_context() -> None:
    """The compilation by XLA around the current line: none."""
