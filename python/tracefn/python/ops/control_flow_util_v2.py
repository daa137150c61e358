"""`tensorflow.python.ops.control_flow_util_v2`: questions about graphs of branches, loops and functions."""

from __future__ import annotations

from tracefn import _core

__all__ = ["in_defun"]


def in_defun() -> bool:
    """Whether a function is being traced, at any depth of branches and loops.

    Example:
      >>> import tracefn as tf
      >>> tf.function(lambda: tf.constant(tf.python.ops.control_flow_util_v2.in_defun()))().numpy()
      np.True_
    """
    graph = _core.current_graph()
    while graph is not None:
        if getattr(graph, "_is_function_root", False):
            return True
        graph = graph._outer
    return False
