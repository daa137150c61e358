"""`tf.py_function`, `tf.numpy_function` and `tf.compat.v1.py_func`: Python code that runs whenever the op does."""

from __future__ import annotations

import functools

from tracefn import _core, nest
from tracefn import _numpy as np
from tracefn._export import export
from tracefn._host_call import EagerCall, NumpyCall
from tracefn.composite import CompositeTensor
from tracefn.dtypes import as_dtype
from tracefn.framework import executing_eagerly
from tracefn.tensor_spec import TensorSpec
from tracefn.type_spec import TypeSpec


def _types(types) -> tuple[list, bool]:
    """(list of dtypes and specs, whether one was given rather than a list)."""
    if isinstance(types, (list, tuple)):
        return [_type(t) for t in types], False
    return [_type(types)], True


def _type(given):
    return given if isinstance(given, TypeSpec) else as_dtype(given)


def _check_callable(func) -> None:
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func} of type {type(func)}.")


class _Composites:
    """A function of tensors in place of one that takes or returns ragged tensors and the like."""

    def __init__(self, func, inputs: list, types: list) -> None:
        self._func = func
        self._types = types
        self._inputs = [x if isinstance(x, CompositeTensor) else None for x in inputs]
        self._counts = [len(nest.flatten(x, expand_composites=True)) if x is not None else 1 for x in self._inputs]

    def __call__(self, *tensors) -> list:
        arguments, at = [], 0
        for like, count in zip(self._inputs, self._counts, strict=True):
            parts = tensors[at : at + count]
            at += count
            arguments.append(parts[0] if like is None else nest.pack_sequence_as(like, parts, expand_composites=True))
        result = self._func(*arguments)
        values = result if isinstance(result, (list, tuple)) else [result]
        flat: list = []
        for value, expected in zip(values, self._types, strict=False):
            self._check(value, expected, result)
            flat.extend(nest.flatten(value, expand_composites=True) if isinstance(value, CompositeTensor) else [value])
        return flat

    def _check(self, value, expected, result) -> None:
        composite = isinstance(expected, TypeSpec) and not isinstance(expected, TensorSpec)
        if composite and not expected.is_compatible_with(value):
            problem = f"is not compatible with {expected!r}."
        elif not composite and isinstance(value, CompositeTensor):
            problem = "is not a Tensor."
        else:
            return
        raise ValueError(
            f"py_function: func={self._func} returned {result!r}, which did not match Tout={self._types!r}.\nIn particular, "
            f"{value!r} {problem}"
        )


def _unwrap(outputs, single: bool):
    """The results; in a graph, the Operation of a call without results."""
    graph = _core.current_graph()
    if not outputs and not single and graph is not None:
        return graph.last_operation
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
      inp: list of tensors, of any dtypes, and of ragged and sparse tensors.
      Tout: dtype of the result, or a list of dtypes for a list of results; a TypeSpec for a ragged or sparse tensor.
      name: name of the op.

    Returns:
      Tensors of unknown static shape.

    Raises:
      TypeError: `Tout` is missing, or one of `func` and `inp`.
      ValueError: `func` is not callable.
      InvalidArgumentError: `func` raised ValueError or TypeError, or returned too few values. Other
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
    _check_callable(func)
    types, single = _types(Tout)
    inputs = list(inp)
    if not any(isinstance(x, CompositeTensor) for x in inputs) and not any(isinstance(t, TypeSpec) for t in types):
        call = EagerCall(func, types, len(inputs))
        return _unwrap(_core.emit_host_call("EagerPyFunc", call, inputs, types, name or ""), single)
    function = _Composites(func, inputs, types)
    tensors = [t for x in inputs for t in (nest.flatten(x, expand_composites=True) if isinstance(x, CompositeTensor) else [x])]
    dtypes = [t.dtype if isinstance(t, TensorSpec) else t for t in nest.flatten(types, expand_composites=True)]
    call = EagerCall(function, dtypes, len(tensors))
    results = _core.emit_host_call("EagerPyFunc", call, tensors, dtypes, name or "")
    return _unwrap(nest.pack_sequence_as(types, results, expand_composites=True), single)


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
    _check_callable(func)
    op = "PyFunc" if stateful else "PyFuncStateless"
    return _unwrap(_core.emit_host_call(op, NumpyCall(func), list(inp), types, name or ""), single)


@export("compat.v1.py_func")
def py_func(func, inp, Tout, stateful=True, name=None):
    """The old spelling of `tf.numpy_function`."""
    return numpy_function(func, inp, Tout, stateful, name)
