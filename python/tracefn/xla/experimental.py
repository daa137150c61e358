"""`tf.xla.experimental`: functions and scopes that ask for compilation."""

from __future__ import annotations

import contextlib

from tracefn import _core, nest
from tracefn._deprecated import leave_out as _leave_out
from tracefn._missing import getter as _getter
from tracefn.framework import executing_eagerly
from tracefn.function import function

__all__ = ["compile", "jit_scope"]


def compile(computation, inputs=None):
    """Calls a function as a part of a tf.function, which is compiled, here without XLA.

    Args:
      computation: callable that takes tensors and returns tensors, or None.
      inputs: list of its arguments, nests of what converts to tensors; None for none.

    Returns:
      Its results, of a flat list or tuple as a list; of one value, a list with that; a NoOp for None.

    Raises:
      TypeError: `inputs` is no list.
      ValueError: a result does not convert to a tensor.

    Example:
      >>> import tracefn as tf
      >>> [x.numpy().tolist() for x in tf.xla.experimental.compile(lambda x: (x, x + 1.0), [2.0])]
      [2.0, 3.0]
    """
    if inputs is not None and not isinstance(inputs, (list, tuple)):
        raise TypeError("inputs must be a list")
    given = inputs or ()
    if executing_eagerly():
        return function(lambda: _called(computation, given), autograph=False)()
    return _called(computation, given)


def _called(computation, inputs):
    result = computation(*nest.map_structure(_core.convert_to_tensor, list(inputs)))
    if result is None:
        return _core.raw_op("NoOp")()
    if not nest.is_nested(result):
        return [_result(result)]
    if isinstance(result, (list, tuple)) and not any(map(nest.is_nested, result)):
        return [_result(part) for part in result]
    return nest.map_structure(_result, result)


def _result(value):
    """A result as a tensor or Operation.

    Raises:
      ValueError: it does not convert.
    """
    if isinstance(value, _core.Operation):
        return value
    try:
        return _core.convert_to_tensor(value)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "XLA computation function return values must all either be Operations or convertible to Tensors. Got error: "
            f'"{error}"'
        ) from error


@contextlib.contextmanager
def jit_scope(compile_ops=True, separate_compiled_gradients=False):
    """A context whose ops are to be compiled, or not; without effect: functions are compiled as a whole.

    Args:
      compile_ops: bool, or a callable that takes a node and returns one.
      separate_compiled_gradients: bool.

    Raises:
      RuntimeError: outside of functions.
    """
    del compile_ops, separate_compiled_gradients
    if executing_eagerly():
        raise RuntimeError(
            "xla.experimental.jit_scope is not supported when eager execution is enabled. Try use it inside tf.function."
        )
    yield


__getattr__ = _getter("xla.experimental")
_leave_out(globals(), "xla.experimental")
