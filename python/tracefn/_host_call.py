"""Python functions that nodes call: conversion of arguments and results, and the text of their errors."""

from __future__ import annotations

from collections import deque

from tracefn import _core
from tracefn import _numpy as _np
from tracefn._gradient.values import replace_missing
from tracefn._plain_python import as_plain_python
from tracefn.gradient_tape import GradientTape


def error_text(exception: BaseException) -> str:
    """The message of the run-time error that wraps an exception of the callable: "ValueError: text", and the traceback if
    traceback filtering is off."""
    if getattr(exception, "tells_itself", False):
        return str(exception)
    import traceback  # start-up time: only errors need it

    last = traceback.format_exception_only(type(exception), exception)[-1].rstrip("\n")
    name, colon, rest = last.partition(":")
    first = name.rpartition(".")[2] + colon + rest
    if _core.traceback_filtering():
        return first
    frames = [f for f in traceback.format_tb(exception.__traceback__) if f'"{__file__}"' not in f]
    return "\n".join([first, "Traceback (most recent call last):\n", *frames, first, ""])


# Runs whose records are kept for their gradient; earlier ones are rerun when they are differentiated.
_MOST_KEPT = 256


class EagerCall:
    """Calls `function` with eager tensors and converts its results to the declared dtypes (tf.py_function).

    It is differentiable: a tape records each run that may be differentiated.
    """

    __slots__ = ("__weakref__", "_differentiated", "_dtypes", "_function", "_recent", "num_inputs", "num_results")

    def __init__(self, function, dtypes, num_inputs: int) -> None:
        self._function = as_plain_python(function)
        self._dtypes = dtypes
        self.num_inputs = num_inputs
        self.num_results = len(dtypes)
        self._differentiated = False
        self._recent: deque = deque(maxlen=_MOST_KEPT)

    def __call__(self, *tensors) -> list:
        return self.recorded(*tensors) if self._differentiated else self._run(tensors)

    def recorded(self, *tensors) -> list:
        """Runs the function and keeps the record of the run."""
        self._recent.append(self._under_tape(tensors))
        return self._recent[-1][2]

    def gradient(self) -> EagerGradient:
        """The callable of the gradient. It takes the inputs and the gradients of the outputs."""
        self._differentiated = True
        return EagerGradient(self)

    def record_of(self, tensors):
        """(inputs, tape, results) of a run on exactly these tensors: the kept record, or one of a new run."""
        for record in reversed(self._recent):
            if all(_core.same_memory(a, b) for a, b in zip(record[0], tensors, strict=True)):
                return record
        return self._under_tape(tensors)

    def _under_tape(self, tensors):
        with GradientTape(persistent=True) as tape:
            for tensor in tensors:
                if _is_differentiable(tensor):
                    tape.watch(tensor)
            results = self._run(tensors)
        return tensors, tape, results

    def _run(self, tensors) -> list:
        result = self._function(*tensors)
        if result is None:
            return []
        if not isinstance(result, (list, tuple)):
            return [_result(result, self._dtypes[0] if self._dtypes else None)]
        # A list may be longer than the declared results: what is left over is not returned.
        return [_result(x, dtype) for x, dtype in zip(result, self._dtypes, strict=False)]


class EagerGradient(EagerCall):
    """The gradient of an EagerCall; it is differentiable itself."""

    __slots__ = ("_call",)

    def __init__(self, call: EagerCall) -> None:
        super().__init__(call, (), call.num_inputs + call.num_results)
        self.num_results = call.num_inputs
        self._call = call

    def _run(self, tensors) -> list:
        inputs, dys = tensors[: self._call.num_inputs], tensors[self._call.num_inputs :]
        if _core.tapes_listen():  # A kept record does not cover how the results depend on newly watched inputs.
            inputs, tape, results = self._call._under_tape(inputs)
        else:
            inputs, tape, results = self._call.record_of(inputs)
        targets = [(r, dy) for r, dy in zip(results, dys, strict=True) if _is_differentiable(r)]
        found = tape.gradient([r for r, _ in targets], list(inputs), output_gradients=[dy for _, dy in targets])
        return replace_missing([None if g is None else _core.dense_gradient(g) for g in found], inputs)


def _result(value, dtype):
    if hasattr(value, "handle"):
        raise RuntimeError(
            "Attempting to return a variable from an eagerly executed py_func. Only numeric data structures like Tensors or "
            "NumPy arrays should be returned; to return the value of a variable, make sure to obtain the Tensor backing it "
            f"by calling `.read_value()` on the variable in question: {value}"
        )
    return _core.convert_to_tensor(value, dtype=dtype)


def _is_differentiable(tensor) -> bool:
    return tensor.dtype.is_floating or tensor.dtype.is_complex


class NumpyCall:
    """Calls `function` with NumPy arrays and scalars (tf.numpy_function)."""

    __slots__ = ("__weakref__", "_function")

    def __init__(self, function) -> None:
        self._function = as_plain_python(function)

    def __call__(self, *tensors) -> list:
        result = self._function(*[t.numpy() for t in tensors])
        if result is None:
            return []
        if not isinstance(result, (list, tuple)):
            result = [result]
        return [to_tensor(x) for x in result]


def to_tensor(value):
    """The result of a NumPy function as a tensor; Python numbers get NumPy's dtypes."""
    if isinstance(value, (str, bytes, _core.Tensor)):
        return _core.convert_to_tensor(value)
    return _core.convert_to_tensor(_np.asarray(value))
