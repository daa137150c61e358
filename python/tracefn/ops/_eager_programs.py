"""Functions composed of many ops, which eager tensors go through as one traced program when a call is repeated."""

from __future__ import annotations

from tracefn._tracer import tracer
from tracefn.tensor_spec import TensorSpec

_MOST = 256
_NEW = object()


class EagerPrograms:
    """Calls `compute(option, tensors)`, whose ops follow from the option, dtypes and shapes alone. Threads may share it."""

    def __init__(self, compute) -> None:
        self._compute = compute
        # By option, dtypes and shapes: None after the first time, then the concrete function.
        self.known: dict = {}

    def __call__(self, option: str, tensors):
        """The result for eager tensors: from the second time on by a program, since tracing takes as long as many calls."""
        key = (option, *((tensor.dtype, tuple(tensor.shape)) for tensor in tensors))
        program = self.known.get(key, _NEW)
        if program is _NEW:
            result = self._compute(option, tensors)
            if len(self.known) >= _MOST:
                self.known.clear()
            self.known[key] = None
            return result
        if program is None:
            specs = [TensorSpec(tensor.shape, tensor.dtype) for tensor in tensors]
            traced = tracer()(lambda *inputs: self._compute(option, inputs), autograph=False)
            program = self.known[key] = traced.get_concrete_function(*specs)
        return program(*tensors)
