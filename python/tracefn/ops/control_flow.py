"""The public names of conditionals and loops, and operations that only order other operations."""

from __future__ import annotations

from tracefn import _core, nest
from tracefn._control_flow.conditional import cond, switch_case
from tracefn._control_flow.loop import while_loop
from tracefn._export import export
from tracefn.framework import control_dependencies, is_tensor

export("cond")(cond)
export("switch_case")(switch_case)
export("while_loop")(while_loop)

_no_op = _core.raw_op("NoOp")


@export("no_op")
def no_op(name=None):
    """Does nothing. Useful as an anchor for control dependencies.

    Returns:
      Operation while tracing, None eagerly.

    Example:
      >>> import tracefn as tf
      >>> tf.no_op()
    """
    return _no_op(name=name or "NoOp")


def _runnable(value) -> tuple:
    """The tensors and Operations that a value is made of.

    Raises:
      TypeError: it is something else.
    """
    if isinstance(value, _core.Operation) or is_tensor(value):
        return (value,)
    parts = getattr(value, "values", None)  # of a tf.distribute.DistributedValues: one for each replica
    if isinstance(parts, tuple) and all(is_tensor(part) or isinstance(part, _core.Operation) for part in parts):
        return parts
    raise TypeError(f"'inputs' should be zero or more (nested) Tensors. Received '{value}' with type '{type(value)}'.")


@export("group")
def group(*inputs, **kwargs):
    """An operation that runs after all of `inputs`.

    Args:
      *inputs: tensors, Operations, or nests of them.
      name: str, the node's name.

    Returns:
      Operation while tracing, None eagerly.

    Raises:
      ValueError: there is a keyword other than `name`.

    Example:
      >>> import tracefn as tf
      >>> tf.group(tf.constant(1), [tf.constant(2)])
    """
    if _core.current_graph() is None:
        return None
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError("Unknown keyword arguments: " + ", ".join(kwargs))
    flat = nest.flatten(list(inputs), expand_composites=True)
    with control_dependencies([one for value in flat for one in _runnable(value)]):
        return no_op(name=name or "group_deps")
