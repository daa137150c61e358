"""`tf.debugging.enable_check_numerics`: checks the results of every op for infinities and NaNs."""

from __future__ import annotations

import threading

from tracefn import _core
from tracefn import _numpy as np
from tracefn._export import export
from tracefn.ops._build import name_scope

_check = _core.raw_op("CheckNumericsV2")

_FLOATING = frozenset(["bfloat16", "float16", "float32", "float64"])
# Ops that return their inputs: bad values there were found before.
_SAFE = frozenset(
    "CheckNumerics CheckNumericsV2 Concat ConcatV2 Const ExpandDims Fill Gather Identity IdentityN Maximum Minimum Pack "
    "Placeholder Reshape Slice Squeeze StridedSlice StridedSliceGrad TensorListConcatV2 TensorListGather "
    "TensorListGetItem TensorListPopBack TensorListStack Transpose Unpack".split()
)


class _Checker:
    """The callback after each op; the limits are those of `enable_check_numerics`."""

    def __init__(self, stack_height_limit: int, path_length_limit: int) -> None:
        self._stack_height = stack_height_limit
        self._path_length = path_length_limit

    def __call__(self, op_name: str, inputs: list, outputs: list) -> None:
        if op_name in _SAFE:
            return
        for slot, output in enumerate(outputs):
            if output.dtype.name not in _FLOATING:
                continue
            if isinstance(output, _core.EagerTensor):
                _check_eager(op_name, inputs, output, slot, len(outputs))
            else:
                with name_scope(output.op.name + "/"):
                    _check(tensor=output, message=self._graph_message(op_name, inputs, output, slot, len(outputs)))

    def _graph_message(self, op_name: str, inputs: list, output, slot: int, count: int) -> str:
        lines = [*_head(f'graph op "{op_name}"', output, slot, count), "", *_inputs(inputs)]
        lines += [
            f'  Graph name: "{output.graph.name}"',
            "",
            '  Stack trace of op\'s creation ("->": inferred user code):',
        ]
        frames = output.op.traceback
        if len(frames) > self._stack_height:
            lines.append(f"    + ... (Omitted {len(frames) - self._stack_height} frames)")
        for file, line, function, text in frames[-self._stack_height :]:
            short = file if len(file) <= self._path_length else "..." + file[3 - self._path_length :]
            lines += [f"    + {short} (L{line}) {function}", f" -> |   {text}"]
        return "\n".join([*lines, "", ""])


class _Thread(threading.local):
    checker: _Checker | None = None


_thread = _Thread()


def _head(what: str, output, slot: int, count: int) -> list[str]:
    return [
        "",
        "",
        f"!!! Detected Infinity or NaN in output {slot} of {what} (# of outputs: {count}) !!!",
        f"  dtype: {output.dtype!s}",
        f"  shape: {output.shape}",
    ]


def _inputs(inputs: list) -> list[str]:
    if len(inputs) == 1:
        return [f"  Input tensor: {inputs[0]!s}"]
    if not inputs:
        return []
    return [f"  Input tensors ({len(inputs)}):", *(f"         {i}: {x!s}" for i, x in enumerate(inputs))]


def _check_eager(op_name: str, inputs: list, output, slot: int, count: int) -> None:
    with _core.TargetContext(None):
        value = output.numpy().astype("float64")
    if np.isfinite(value).all():
        return
    lines = _head(f'eagerly-executing op "{op_name}"', output, slot, count)
    for name, found in (("-Inf", np.isneginf(value)), ("+Inf", np.isposinf(value)), ("+NaN", np.isnan(value))):
        if found.any():
            lines.append(f"  # of {name} elements: {int(found.sum())}")
    _check(tensor=output, message="\n".join([*lines, "", *_inputs(inputs), "", ""]))


@export("debugging.enable_check_numerics")
def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Checks the results of every op of this thread for infinities and NaNs, eagerly and in graphs traced from now on.

    The error names the op, its inputs and, in a graph, the lines that created it.

    Args:
      stack_height_limit: the maximum number of frames to show; the innermost ones are shown.
      path_length_limit: the maximum length of a file name; longer ones lose their beginning.

    Raises:
      InvalidArgumentError: raised by an op or a traced function whose result has an infinity or NaN.

    Example:
      >>> import tracefn as tf
      >>> tf.debugging.enable_check_numerics()
      >>> try:
      ...     tf.math.log(tf.constant(0.0))
      ... except tf.errors.InvalidArgumentError as error:
      ...     print(error.message.splitlines()[2])
      !!! Detected Infinity or NaN in output 0 of eagerly-executing op "Log" (# of outputs: 1) !!!
      >>> tf.debugging.disable_check_numerics()
    """
    if _thread.checker is None:
        _thread.checker = _Checker(stack_height_limit, path_length_limit)
        _core.set_op_callback(_thread.checker)


@export("debugging.disable_check_numerics")
def disable_check_numerics() -> None:
    """Undoes `enable_check_numerics`. Functions traced in between keep their checks."""
    if _thread.checker is not None:
        _thread.checker = None
        _core.set_op_callback(None)
