"""`tf.py_function`, `tf.numpy_function` and `tf.compat.v1.py_func`: Python code that runs whenever the op does."""

from __future__ import annotations

from tracefn import _core, nest
from tracefn import _numpy as np
from tracefn._export import export
from tracefn._host_call import EagerCall, NumpyCall
from tracefn.dtypes import as_dtype
from tracefn.framework import executing_eagerly


def _types(types) -> tuple[list, bool]:
    """(list of dtypes, whether one dtype was given rather than a list)."""
    if isinstance(types, (list, tuple)):
        return [as_dtype(t) for t in types], False
    return [as_dtype(types)], True


def _unwrap(outputs, single: bool):
    return outputs[0] if single else outputs


@export("py_function")
def py_function(func=None, inp=None, Tout=None, name=None):
    """Calls a Python function with eager tensors; in a traced function, each time the graph runs.

    Args:
      func: callable that takes one eager tensor for each of `inp`; returns a tensor, a list of tensors, or None.
      inp: list of tensors, of any dtypes.
      Tout: dtype of the result, or a list of dtypes for a list of results.
      name: name of the op.

    Returns:
      Tensors of unknown static shape.

    Raises:
      InvalidArgumentError: `func` raised ValueError or TypeError, or returned another number of values. Other
        exceptions become UnknownError, StopIteration OutOfRangeError, MemoryError ResourceExhaustedError,
        NotImplementedError UnimplementedError; the original is the cause.

    Example:
      >>> import tracefn as tf
      >>> @tf.function
      ... def f(x):
      ...     return tf.py_function(lambda v: v.numpy() + 1, [x], tf.int32)
      >>> int(f(tf.constant(2)))
      3
    """
    types, single = _types(Tout)
    inputs = list(inp or ())
    call = EagerCall(func, types, single, len(inputs))
    return _unwrap(_core.emit_host_call("EagerPyFunc", call, inputs, types, name or ""), single)


@export("numpy_function")
def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):
    """Calls a Python function with NumPy values; in a traced function, each time the graph runs. Not differentiable.

    Args:
      func: callable that takes one NumPy array (for a scalar, a NumPy scalar) for each of `inp`; returns one or a list.
      inp: list of tensors.
      Tout: dtype of the result, or a list of dtypes. In a trace the results must have these.
      stateful: False promises that equal inputs give equal results, so that calls may be skipped.
      name: name of the op.

    Returns:
      Tensors of unknown static shape.

    Raises:
      As `tf.py_function` in a trace; eagerly, any exception of `func`.

    Example:
      >>> import numpy as np
      >>> import tracefn as tf
      >>> float(tf.numpy_function(np.sinh, [0.0], tf.float32))
      0.0
    """
    types, single = _types(Tout)
    if executing_eagerly():
        result = func(*[np.array(x) for x in inp or ()])
        tensors = [None if x is None else _core.convert_to_tensor(x) for x in nest.flatten(result)]
        return tensors[0] if len(tensors) == 1 else tensors
    op = "PyFunc" if stateful else "PyFuncStateless"
    return _unwrap(_core.emit_host_call(op, NumpyCall(func), list(inp or ()), types, name or ""), single)


@export("compat.v1.py_func")
def py_func(func, inp, Tout, stateful=True, name=None):
    """The old spelling of `tf.numpy_function`."""
    return numpy_function(func, inp, Tout, stateful, name)
