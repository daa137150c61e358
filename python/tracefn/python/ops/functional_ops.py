"""`tensorflow.python.ops.functional_ops`: conditionals and loops of functions that were made before, for example by `Defun`."""

from __future__ import annotations

from tracefn import _core
from tracefn._control_flow.conditional import cond as choose
from tracefn._control_flow.loop import while_loop
from tracefn.framework import is_tensor
from tracefn.tensor_shape import TensorShape

__all__ = ["For", "If", "While"]


def If(cond, inputs, then_branch, else_branch, name=None):  # TensorFlow's name
    """The results of one of two functions of the same arguments.

    Args:
      cond: scalar bool tensor.
      inputs: list of tensors.
      then_branch, else_branch: functions of them: what `Defun` or `get_concrete_function` made.
      name: str, the node's name.

    Returns:
      A list of tensors; just the result of a concrete function.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.framework.function import Defun
      >>> from tracefn.python.ops.functional_ops import If
      >>> double, negative = Defun(tf.float32)(lambda x: x * 2.0), Defun(tf.float32)(lambda x: -x)
      >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      ...     [float(x) for x in session.run(If(tf.constant(True), [tf.constant(3.0)], double, negative))]
      [6.0]
    """
    if isinstance(then_branch, _core.ConcreteFunction):
        return choose(cond, lambda: then_branch(*inputs), lambda: else_branch(*inputs), name)
    return choose(cond, lambda: _listed(then_branch(*inputs)), lambda: _listed(else_branch(*inputs)), name)


def While(input_, cond, body, name=None, hostmem=None):  # TensorFlow's name
    """What is left of tensors when `body` has been applied to them as long as `cond` holds.

    Args:
      input_: list of tensors.
      cond, body: functions of them: what `Defun` or `get_concrete_function` made.
      name: str, the node's name.
      hostmem: accepted, without effect.

    Returns:
      A list of tensors like `input_`.

    Raises:
      ValueError: `cond` uses tensors around it, or the functions take different dtypes.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.framework.function import Defun
      >>> from tracefn.python.ops.functional_ops import While
      >>> small, double = Defun(tf.float32)(lambda x: x < 9.0), Defun(tf.float32)(lambda x: x * 2.0)
      >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      ...     [float(x) for x in session.run(While([tf.constant(3.0)], small, double))]
      [12.0]
    """
    del hostmem
    if cond.captured_inputs:
        raise ValueError(
            f"The 'cond' argument can not have implicitly captured inputs. Received captured_inputs: {cond.captured_inputs}"
        )
    takes, gives = _input_types(cond), _input_types(body)
    if takes != gives:
        types = f"cond_input_types={takes}, body_input_types={gives}"
        raise ValueError(f"The 'cond' and 'body' signatures do not match. Received: {types}")
    # A tuple of one tensor stays one.
    results = while_loop(cond, lambda *values: tuple(_listed(body(*values))), tuple(input_), tuple(_unknown(input_)), name=name)
    return list(results)


def For(start, limit, delta, inputs, body, name=None, hostmem=None, rewrite_with_while=None):  # TensorFlow's name
    """What is left of tensors when `body` has been applied to a number and them, for each number of a range.

    Args:
      start, limit, delta: the range, int32.
      inputs: list of tensors.
      body: function of an int32 and the tensors, what `Defun` or `get_concrete_function` made.
      name: str, the node's name.
      hostmem, rewrite_with_while: accepted, without effect.

    Returns:
      A list of tensors like `inputs`.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.framework.function import Defun
      >>> from tracefn.python.ops.functional_ops import For
      >>> add = Defun(tf.int32, tf.int32)(lambda i, x: x + i)
      >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      ...     [int(x) for x in session.run(For(0, 4, 1, [tf.constant(1)], add))]
      [7]
    """
    del hostmem, rewrite_with_while
    values = [_core.convert_to_tensor(start), *inputs]
    _, *results = while_loop(
        lambda i, *_: i < limit,
        lambda i, *held: [i + delta, *_listed(body(i, *held))],
        values,
        _unknown(values),
        name=name,
    )
    return results


def _listed(results) -> list:
    return [results] if is_tensor(results) else list(results)


def _input_types(function) -> tuple:
    if isinstance(function, _core.ConcreteFunction):
        return tuple(tensor.dtype for tensor in function.inputs)
    return function.declared_input_types


def _unknown(values) -> list:
    """Invariants of a loop whose variables may change their shapes."""
    return [TensorShape(None) for _ in values]
