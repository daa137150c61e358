"""Contexts for building a Graph, and the state that they use."""

from __future__ import annotations

from contextlib import contextmanager

from tracefn import _core
from tracefn._contexts import context
from tracefn._core import Graph
from tracefn._device import placed_on_or_by
from tracefn._node_attributes import colocated
from tracefn.framework import control_elements


def as_default(self: Graph):
    """A context in which new ops are added to this graph."""
    return _core.TargetContext(self)


def name_scope(self: Graph, name: str):
    """The graph's own name scope, whether or not it is current."""
    return _core.ScopeOf(self, name or "")


def get_name_scope(self: Graph) -> str:
    """The current name scope, without the trailing slash."""
    return self.scope.removesuffix("/")


@context
def _ordered_after(graph: Graph, control_inputs):
    return None, (_core.ControlContext(graph, control_elements(graph, control_inputs)),)


def control_dependencies(self: Graph, control_inputs):
    """A context in which new operations of this graph run after `control_inputs`; None clears the control dependencies."""
    return _ordered_after(self, control_inputs)


def device(self: Graph, device_name_or_function):
    """`tf.compat.v1.device` for this graph, whether or not it is current."""
    return placed_on_or_by(self, device_name_or_function)


def colocate_with(self: Graph, op, ignore_existing=False):
    """A context whose new operations are in the colocation groups of another; there is one device, so that they only say so.

    Args:
      op: an Operation of the graph, a tensor or Variable; or None, with `ignore_existing`: their own groups.
      ignore_existing: whether they are not in the groups of such contexts around this one.

    Raises:
      ValueError: `op` is None without `ignore_existing`.
    """
    if op is None:
        if not ignore_existing:
            raise ValueError("Trying to reset colocation (op is None) but ignore_existing is not True")
        return colocated(self, [], alone=True)
    return colocated(self, _operation(self, op).colocation_groups(), alone=ignore_existing)


def _operation(graph: Graph, value) -> _core.Operation:
    """The Operation with which a value is placed: that of a Variable's handle, which a function captures."""
    if isinstance(value, _core.Operation):
        return value
    handle = getattr(value, "handle", None)
    if isinstance(handle, _core.Tensor):
        return (graph.capture(handle) if graph.is_function else handle).op
    return _core.convert_to_tensor(value).op


@contextmanager
def container(self: Graph, container_name):
    """A context for a resource container; without effect."""
    del self
    yield container_name


def gradient_override_map(self: Graph, op_type_map: dict):
    """A context in which nodes of some types get gradient functions registered by `tf.RegisterGradient`.

    Args:
      op_type_map: dict from the type of a node to the name under which the function is registered.

    Raises:
      TypeError: `op_type_map` is not a dict of strings.
    """
    from tracefn.ops.gradient_registry import gradient_override_map  # start-up time: few programs need it

    return gradient_override_map(self, op_type_map)


def switch_to_thread_local(self: Graph) -> None:
    """Accepted, without effect: the state of these contexts is always per thread."""
