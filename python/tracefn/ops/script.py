"""`tf.py_function`, `tf.numpy_function` and `tf.compat.v1.py_func`: Python code that runs whenever the op does."""

from __future__ import annotations

import functools

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


def _decorator(op, op_name: str, func, inp, Tout, **options):
    """None if all arguments of a call are given; a decorator if only `Tout` and options are."""
    if Tout is None:
        raise TypeError(
            f"Missing required argument: 'Tout'\n  If using {op_name} as a decorator, set `Tout`\n"
            f"  **by name** above the function:\n  `@{op_name}(Tout=tout)`"
        )
    if func is not None:
        if inp is None:
            raise TypeError(
                "Missing argument `inp`:\n  You must set the `inp` argument (the list of arguments to the\n"
                f"  function), unless you use `{op_name}` as a decorator(`func=None`)."
            )
        return None
    if inp is not None:
        raise TypeError(f"Don't set the `inp` argument when using {op_name} as a decorator (`func=None`).")

    def decorate(function):
        @functools.wraps(function)
        def call(*args):
            return op(function, inp=args, Tout=Tout, **options)

        return call

    return decorate


@export("py_function")
def py_function(func=None, inp=None, Tout=None, name=None):
    """Calls a Python function with eager tensors; in a traced function, each time the graph runs.

    Args:
      func: callable that takes one eager tensor for each of `inp`; returns a tensor, a list of tensors, or None. Without
        `func` and `inp`, a decorator is returned: the decorated function takes the tensors as its arguments.
      inp: list of tensors, of any dtypes.
      Tout: dtype of the result, or a list of dtypes for a list of results.
      name: name of the op.

    Returns:
      Tensors of unknown static shape.

    Raises:
      TypeError: `Tout` is missing, or one of `func` and `inp`.
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
    decorator = _decorator(py_function, "tf.py_function", func, inp, Tout, name=name)
    if decorator is not None:
        return decorator
    types, single = _types(Tout)
    inputs = list(inp)
    call = EagerCall(func, types, single, len(inputs))
    return _unwrap(_core.emit_host_call("EagerPyFunc", call, inputs, types, name or ""), single)


@export("numpy_function")
def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):
    """Calls a Python function with NumPy values; in a traced function, each time the graph runs. Not differentiable.

    Args:
      func: callable that takes one NumPy array (for a scalar, a NumPy scalar) for each of `inp`; returns one or a list.
        Without `func` and `inp`, a decorator is returned.
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
    decorator = _decorator(numpy_function, "tf.numpy_function", func, inp, Tout, stateful=stateful, name=name)
    if decorator is not None:
        return decorator
    types, single = _types(Tout)
    if executing_eagerly():
        result = func(*[np.array(x) for x in inp])
        tensors = [None if x is None else _core.convert_to_tensor(x) for x in nest.flatten(result)]
        return tensors[0] if len(tensors) == 1 else tensors
    op = "PyFunc" if stateful else "PyFuncStateless"
    return _unwrap(_core.emit_host_call(op, NumpyCall(func), list(inp), types, name or ""), single)


@export("compat.v1.py_func")
def py_func(func, inp, Tout, stateful=True, name=None):
    """The old spelling of `tf.numpy_function`."""
    return numpy_function(func, inp, Tout, stateful, name)
