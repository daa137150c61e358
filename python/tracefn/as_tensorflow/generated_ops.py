"""The functions of `tensorflow.python.ops.gen_*_ops`: raw ops that take their arguments by place too."""

from __future__ import annotations

import functools
import inspect
import sys

from tracefn import _core


@functools.cache
def _names() -> dict[str, str]:
    """Ops by the names of their functions: "matmul" or "mat_mul", without the underscores."""
    return {name.replace("_", "").lower(): name for name in sys.modules["tracefn"].raw_ops.__all__}


def generated_op(name: str):
    """The function of an op: `mat_mul` or `MatMul`; None if there is no such op."""
    op = _names().get(name.replace("_", "").lower())
    if op is None:
        return None
    raw = getattr(sys.modules["tracefn"].raw_ops, op)
    if name == op:
        return raw

    def call(*args, **kwargs):
        parameters = _parameters(op)
        if len(args) > len(parameters):
            raise TypeError(f"{name}() takes at most {len(parameters)} arguments, {len(args)} were given.")
        return raw(**dict(zip(parameters, args, strict=False)), **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"`tf.raw_ops.{op}`."
    return call


@functools.cache
def _parameters(op: str) -> list[str]:
    """The parameters in order: attributes that follow from inputs are none, and those with a default come last."""
    inputs = _core.op_record(op)["inputs"]
    inferred = {value for item in inputs for key, value in item.items() if key.endswith("_attr")}
    found = inspect.signature(getattr(sys.modules["tracefn"].raw_ops, op)).parameters
    wanted = [parameter for name, parameter in found.items() if name not in inferred]
    wanted.sort(key=lambda parameter: parameter.default is not inspect.Parameter.empty)
    return [parameter.name for parameter in wanted]
