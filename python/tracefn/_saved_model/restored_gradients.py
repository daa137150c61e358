"""The gradient functions of a loaded model's nodes."""

from __future__ import annotations

import threading

from tracefn import _core
from tracefn._saved_model.messages import Record
from tracefn._saved_model.node_gradients import CapturedTensor
from tracefn._saved_model.restored_functions import RestoredTraces
from tracefn.dtypes import as_dtype
from tracefn.function import function as traced_function
from tracefn.ops.gradient_registry import RegisterGradient
from tracefn.tensor_spec import TensorSpec


class RestoredGradient:
    """A gradient function from a file: takes the node and the gradients of its outputs, returns those of its inputs.

    Args:
      name: str, the function's name in the file.
      traces: RestoredTraces.
      holders: the names of the functions with nodes whose gradient it is.
    """

    def __init__(self, name: str, traces: RestoredTraces, holders: list[str]) -> None:
        self._name, self._traces, self._holders = name, traces, holders
        self._concrete = None
        self._lock = threading.Lock()

    def __call__(self, op, *dys):
        with self._lock:
            if self._concrete is None:
                self._concrete = self._made()
        given = [self._or_zeros(dy, output) for dy, output in zip(dys, op.outputs, strict=True)]
        captured = [one.found_beside(op) for one in self._captures() if isinstance(one, CapturedTensor)]
        return self._concrete(*given, *captured)

    @staticmethod
    def _or_zeros(dy, output):
        """A gradient; zeros for one that is not there. For a resource the resource, of which nothing is read."""
        if dy is not None or output.dtype.name == "resource":
            return output if dy is None else dy
        return _core.raw_op("ZerosLike")(x=output)

    def _captures(self) -> list:
        record = self._traces.records[self._name]
        return [self._traces.captured(number) for number in record.bound_inputs]

    def _made(self):
        captures = self._captures()
        for one in captures:
            if isinstance(one, CapturedTensor) and one.concrete_function not in self._holders:
                raise NotImplementedError(
                    f"The gradient function {self._name!r} of the saved model captures {one.name} of the function "
                    f"{one.concrete_function!r}, which is not the one that is differentiated. This is not supported."
                )
        types = [one.type for one in self._traces.library.signature(self._name).input_arg]
        count = len(types) - len(captures)

        def restored_gradient(*given):
            rest = iter(given[count:])
            bound = [next(rest) if isinstance(one, CapturedTensor) else one for one in captures]
            return self._traces.called(self._name, [*given[:count], *bound])

        given_too = [isinstance(one, CapturedTensor) for one in captures]
        taken = [dtype for dtype, is_given in zip(types, [True] * count + given_too, strict=True) if is_given]
        specs = [TensorSpec(None, as_dtype(dtype)) for dtype in taken]
        return traced_function(restored_gradient, autograph=False).get_concrete_function(*specs)


def _names_gradient(node: Record, name: str) -> bool:
    named = node.attr.get("_gradient_op_type")
    return named is not None and named.s == name.encode()


def register_gradients(traces: RestoredTraces) -> None:
    """Registers the gradient functions of a model under the names that its nodes have from now on.

    Raises:
      ValueError: the file has no such function.
    """
    library = traces.library
    for name, function in library.gradients.items():
        if function not in library.records or function not in traces.records:
            raise ValueError(f"The saved model has no function {function!r}, the gradient {name!r}.")
        holders = [
            holder
            for holder, record in library.records.items()
            if any(_names_gradient(node, name) for node in record.node_def)
        ]
        RegisterGradient(library.gradient_name(name))(RestoredGradient(function, traces, holders))
