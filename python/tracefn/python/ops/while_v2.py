"""`tensorflow.python.ops.while_v2`: loops as one node."""

from __future__ import annotations

from tracefn._control_flow.loop import while_loop as loop

__all__ = ["while_loop"]


def while_loop(
    cond,
    body,
    loop_vars,
    shape_invariants=None,
    parallel_iterations=10,
    maximum_iterations=None,
    name=None,
    return_same_structure=True,
    back_prop=True,
):
    """`tf.while_loop` with its arguments in another order.

    Args:
      return_same_structure: whether a single loop variable comes in its list.
      the others: as in `tf.while_loop`.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.ops.while_v2 import while_loop
      >>> count = tf.function(lambda n: while_loop(lambda i: i < n, lambda i: i + 1, [tf.constant(0)]))
      >>> [int(i) for i in count(tf.constant(3))]
      [3]
    """
    result = loop(
        cond, body, loop_vars, shape_invariants, parallel_iterations, back_prop, False, maximum_iterations, name
    )
    if return_same_structure or not isinstance(result, (list, tuple)) or len(result) != 1:
        return result
    return result[0]
