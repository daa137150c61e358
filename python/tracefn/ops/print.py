"""`tf.print`."""

from __future__ import annotations

import sys

from tracefn import _core, nest
from tracefn._export import export
from tracefn._known_variables import variable_class
from tracefn._value_text import value_text
from tracefn.composite import CompositeTensor, has_rows
from tracefn.framework import converts_to_tensor

_format = _core.raw_op("StringFormat")
_print = _core.raw_op("PrintV2")

_LOG_LEVELS = {"info": "log(info)", "warning": "log(warning)", "warn": "log(warning)", "error": "log(error)"}
# The numbers of tf.compat.v1.logging, then those of absl.logging.
_LOG_NUMBERS: dict[float, str] = {
    20: "log(info)",
    30: "log(warning)",
    40: "log(error)",
    0: "log(info)",
    -1: "log(warning)",
    -2: "log(error)",
}


@export("print")
def print(*inputs, **kwargs):
    """Prints values when the program runs, eager or traced.

    Args:
      *inputs: tensors, RaggedTensors, Python values, and nests of them. Tensors are formatted as by `tf.strings.format`.
      output_stream: `sys.stderr` (default), `sys.stdout`, "file://PATH" to append to a file, or a logging function, or
        a level: its name ("info", "warning", "error"), or its number in tf.compat.v1.logging or absl.logging.
      summarize: int; number of elements shown at each end of an axis (default 3), -1 for all.
      sep: str between inputs (default a space).
      end: str at the end (default a newline).
      name: name of the op.

    Returns:
      None; in a trace the Operation.

    Raises:
      ValueError: there is an unknown keyword, or the stream is unknown.

    Example:
      >>> import sys
      >>> import tracefn as tf
      >>> tf.print("x:", tf.constant([1.5, 2.0]), {"k": tf.constant(1)}, output_stream=sys.stdout)
      x: [1.5 2] {'k': 1}
    """
    end = kwargs.pop("end", "\n")
    stream = kwargs.pop("output_stream", None)
    name = kwargs.pop("name", None)
    sep = kwargs.pop("sep", " ")
    summarize = kwargs.pop("summarize", 3)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {value_text(kwargs)}")
    return _print(input=_text(inputs, sep, summarize), output_stream=_stream_name(stream), end=end, name=name)


def _stream_name(stream) -> str:
    if stream is None or stream is sys.stderr or stream is sys.__stderr__:
        return "stderr"
    if stream is sys.stdout or stream is sys.__stdout__:
        return "stdout"
    if isinstance(stream, str) and stream.startswith("file://"):
        return stream
    if isinstance(stream, (int, float)):
        level = _LOG_NUMBERS.get(stream)
    else:
        level = _LOG_LEVELS.get(stream if isinstance(stream, str) else getattr(stream, "__name__", ""))
    if level is None:
        raise ValueError(
            f"Unsupported output stream, logging level, or file.{stream}. Supported streams are sys.stdout, sys.stderr, "
            "tf.logging.info, tf.logging.warning, tf.logging.error. File needs to be in the form of "
            "'file://<filepath>'."
        )
    return level


def _text(inputs, sep: str, summarize: int):
    """The line as a string tensor: a format of the tensors among the inputs."""
    value = inputs[0] if len(inputs) == 1 else None
    if isinstance(value, (_core.Tensor, variable_class())) and value.dtype.name == "string" and value.shape.rank == 0:
        return value
    placeholder = _unused_placeholder(inputs)
    tensors: list = []
    parts = [_template(value, placeholder, tensors) for value in inputs]
    template = sep.join(parts).replace(f"'{placeholder}'", placeholder)
    if any(has_rows(value) for value in tensors):
        from tracefn.ops.ragged.strings import format as format_ragged  # start-up time: few programs print them

        return format_ragged(template, tensors, placeholder, summarize)
    return _format(inputs=tensors, template=template, placeholder=placeholder, summarize=summarize)


def _template(value, placeholder: str, tensors: list) -> str:
    """The text of one input, with a placeholder for each tensor in it."""
    if isinstance(value, str):
        return value
    if _is_shown_later(value):
        tensors.append(_tensor(value))
        return placeholder
    if not nest.is_nested(value):
        return repr(_of_sparse(value, placeholder, tensors))
    leaves = []
    for leaf in nest.flatten(value):
        if _is_shown_later(leaf):
            tensors.append(_tensor(leaf))
            leaf = placeholder
        leaves.append(_of_sparse(leaf, placeholder, tensors))
    import pprint  # start-up time: only structures need it

    return pprint.pformat(nest.pack_sequence_as(value, leaves))


def _is_shown_later(value) -> bool:
    """Whether the elements are formatted when the program runs."""
    return converts_to_tensor(value) or has_rows(value)


def _of_sparse(value, placeholder: str, tensors: list):
    """The text of a SparseTensor, with a placeholder for each part; any other value is returned unchanged."""
    if not isinstance(value, CompositeTensor):
        return value
    from tracefn.ops.sparse.tensor import SparseTensor  # start-up time: few programs print composite values

    if not isinstance(value, SparseTensor):
        return value
    tensors += [value.indices, value.values, value.dense_shape]
    return f"SparseTensor(indices={placeholder}, values={placeholder}, shape={placeholder})"


def _tensor(value):
    return value if isinstance(value, _core.Tensor) or has_rows(value) else _core.convert_to_tensor(value)


def _unused_placeholder(inputs) -> str:
    """A text that does not occur in the inputs."""
    texts = [_template(value, "", []) for value in inputs]
    placeholder, number = "{}", 0
    while any(placeholder in text for text in texts):
        number += 1
        placeholder = "{}" + str(number)
    return placeholder
