"""`tf.raw_ops.CudnnRNN` and its versions, which have no kernel for CPUs: functions with them can be traced, and fail where they
run them."""

from __future__ import annotations

from typing import Any, NamedTuple

from tracefn import _core
from tracefn.errors import NotFoundError
from tracefn.framework import control_dependencies, executing_eagerly
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.array_creation import zeros
from tracefn.ops.debugging import assert_

_MODES = ("rnn_relu", "rnn_tanh", "lstm", "gru")


class CudnnRNN(NamedTuple):
    """The results of the op."""

    output: Any
    output_h: Any
    output_c: Any
    reserve_space: Any


class CudnnRNNV2(NamedTuple):
    """The results of its second version."""

    output: Any
    output_h: Any
    output_c: Any
    reserve_space: Any
    host_reserved: Any


class CudnnRNNV3(CudnnRNNV2):
    """The results of its third version."""


def _attributes(dtype, attributes: dict) -> str:
    shown = {"T": f"DT_{dtype.name.upper().replace('32', '').replace('64', '').replace('FLOAT16', 'HALF')}", **attributes}

    def text(value) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        return f'"{value}"' if isinstance(value, str) and not value.startswith("DT_") else f"{value:g}" if isinstance(value, float) else str(value)

    return ", ".join(f"{name}={text(value)}" for name, value in sorted(shown.items()))


def cudnn_rnn(input, input_h, input_c, params, rnn_mode="lstm", input_mode="linear_input", direction="unidirectional", dropout=0,
              seed=0, seed2=0, is_training=True, name=None):  # fmt: skip
    """A recurrent network of Nvidia's library, in a graph.

    Args:
      input: floating tensor [time, batch, features].
      input_h: tensor [layers, batch, units] of the same dtype.
      input_c: the same for "lstm".
      params: vector of the same dtype.
      rnn_mode: "rnn_relu", "rnn_tanh", "lstm" or "gru".
      input_mode, direction, dropout, seed, seed2, is_training: attributes of the op.
      name: scope of the nodes.

    Returns:
      Named tuple of tensors with the shapes that the op has.

    Raises:
      NotFoundError: ops run eagerly.
      ValueError: unknown mode, or another rank.
    """
    attributes = {"input_mode": input_mode, "direction": direction, "dropout": dropout, "seed": seed, "seed2": seed2,
                  "is_training": is_training}  # fmt: skip
    return CudnnRNN(*_recurrent("CudnnRNN", input, input_h, input_c, params, rnn_mode, attributes, name)[:4])


def cudnn_rnn_v2(input, input_h, input_c, params, rnn_mode="lstm", input_mode="linear_input", direction="unidirectional",
                 dropout=0, seed=0, seed2=0, is_training=True, name=None):  # fmt: skip
    """The second version: `host_reserved` is a fifth result. Arguments and errors are those of `cudnn_rnn`."""
    attributes = {"input_mode": input_mode, "direction": direction, "dropout": dropout, "seed": seed, "seed2": seed2,
                  "is_training": is_training}  # fmt: skip
    return CudnnRNNV2(*_recurrent("CudnnRNNV2", input, input_h, input_c, params, rnn_mode, attributes, name))


def cudnn_rnn_v3(input, input_h, input_c, params, sequence_lengths, rnn_mode="lstm", input_mode="linear_input",
                 direction="unidirectional", dropout=0, seed=0, seed2=0, num_proj=0, is_training=True, time_major=True,
                 name=None):  # fmt: skip
    """The third version, for sequences of different lengths.

    Args:
      sequence_lengths: int32 vector.
      num_proj, time_major: attributes of the op.
      input, input_h, input_c, params, rnn_mode, input_mode, direction, dropout, seed, seed2, is_training, name: as in `cudnn_rnn`.

    Returns:
      As `cudnn_rnn_v2`.

    Raises:
      NotFoundError, ValueError: as `cudnn_rnn`.
    """
    convert(sequence_lengths, dtype="int32")
    attributes = {"input_mode": input_mode, "direction": direction, "dropout": dropout, "seed": seed, "seed2": seed2,
                  "num_proj": num_proj or 0, "is_training": is_training, "time_major": time_major}  # fmt: skip
    return CudnnRNNV3(*_recurrent("CudnnRNNV3", input, input_h, input_c, params, rnn_mode, attributes, name))


def _recurrent(kind: str, input, input_h, input_c, params, rnn_mode: str, attributes: dict, name) -> tuple:
    if rnn_mode not in _MODES:
        raise ValueError(f"Value for attr 'rnn_mode' of \"{rnn_mode}\" is not in the list of allowed values: {', '.join(_MODES)}")
    input, input_h = convert(input), convert(input_h)
    input_c = convert(input_c, dtype=input.dtype)
    convert(params, dtype=input.dtype)
    shown = _attributes(input.dtype, {**attributes, "rnn_mode": rnn_mode})
    if executing_eagerly():
        raise NotFoundError(None, None, f"Could not find device for node: {{{{node {kind}}}}} = {kind}[{shown}]\n"
                            f"All kernels registered for op {kind}:\n  <no registered kernels>\n [Op:{kind}] name: ")  # fmt: skip
    for tensor, what in ((input, "input"), (input_h, "input_h")):
        if tensor.shape.rank not in (None, 3):
            raise ValueError(f"Shape must be rank 3 but is rank {tensor.shape.rank} for '{what}' of {kind}")
    with name_scope(name or kind):
        told = (f"No OpKernel was registered to support Op '{kind}' with these attrs: [{shown}]\nRegistered devices: [CPU]\n"
                "Registered kernels:\n  <no registered kernels>")  # fmt: skip
        fails = assert_(_core.convert_to_tensor(False), [told])
        shape, hidden = op("Shape")(input=input), op("Shape")(input=input_h)
        units = hidden[2] * (2 if attributes["direction"] == "bidirectional" else 1)
        with control_dependencies([fails]):
            output = zeros([shape[0], shape[1], units], input.dtype)
            state, cell = op("Identity")(input=input_h), op("Identity")(input=input_c)
            return output, state, cell, zeros([0], input.dtype), zeros([0], "int8")


OPS = {"CudnnRNN": cudnn_rnn, "CudnnRNNV2": cudnn_rnn_v2, "CudnnRNNV3": cudnn_rnn_v3}
