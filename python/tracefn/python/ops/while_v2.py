"""`tensorflow.python.ops.while_v2`: loops that become one node."""

from __future__ import annotations

from tracefn._namespaces import root

__all__ = ["while_loop"]

tf = root()


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
    """`tf.while_loop`, whose result may be the only loop variable itself.

    Args:
      cond, body, loop_vars, shape_invariants, parallel_iterations, maximum_iterations, name, back_prop: as in `tf.while_loop`.
      return_same_structure: whether the result has the structure of `loop_vars`, also if there is one only.

    Example:
      >>> import tracefn as tf
      >>> loop = tf.python.ops.while_v2.while_loop
      >>> int(loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)], return_same_structure=False))
      3
    """

    def listed(*values):
        result = body(*values)
        alone = len(values) == 1 and not isinstance(result, (list, tuple))
        return [result] if alone else result

    result = tf.while_loop(
        cond,
        listed,
        loop_vars,
        shape_invariants=shape_invariants,
        parallel_iterations=parallel_iterations,
        back_prop=back_prop,
        maximum_iterations=maximum_iterations,
        name=name,
    )
    single = isinstance(result, (list, tuple)) and len(result) == 1 and not return_same_structure
    return result[0] if single else result
