"""`tf.strings`: the functions that are more than an alias of an op."""

from __future__ import annotations

from collections.abc import Iterable

from tracefn import _core
from tracefn._export import export
from tracefn.framework import executing_eagerly
from tracefn.ops._build import convert, name_scope

_join = _core.raw_op("StringJoin")
_format = _core.raw_op("StringFormat")
_to_number = _core.raw_op("StringToNumber")
_reduce_join = _core.raw_op("ReduceJoin")
_range = _core.raw_op("Range")
_rank = _core.raw_op("Rank")


@export("strings.join")
def join(inputs, separator="", name=None):
    """Joins string tensors elementwise.

    Args:
      inputs: list of string tensors of the same shape; scalars are joined with every element.
      separator: str between them.

    Raises:
      TypeError: `inputs` is not a list.
      InvalidArgumentError, in a trace ValueError: the shapes differ.

    Example:
      >>> import tracefn as tf
      >>> tf.strings.join(["a", ["b", "c"]], separator="-").numpy()
      array([b'a-b', b'a-c'], dtype=object)
    """
    if not isinstance(inputs, Iterable) or isinstance(inputs, (str, bytes, set, dict)):
        raise TypeError(f"Expected list for 'inputs' argument to 'string_join' Op, not {inputs!r}.")
    return _join(inputs=list(inputs), separator=separator, name=name)


@export("strings.format")
def format(template, inputs, placeholder="{}", summarize=3, name=None):
    """The string `template` with each placeholder replaced by a tensor, formatted as by `tf.print`.

    Args:
      template: str.
      inputs: a tensor or a list of them.
      placeholder: str that stands for a tensor.
      summarize: int; number of elements shown at each end of an axis, -1 for all.

    Returns:
      A scalar string tensor.

    Raises:
      ValueError: the number of placeholders is not the number of tensors.

    Example:
      >>> import tracefn as tf
      >>> tf.strings.format("x = {}", tf.range(9)).numpy()
      b'x = [0 1 2 ... 6 7 8]'
    """
    inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    wanted = template.count(placeholder)
    if wanted != len(inputs):
        raise ValueError(
            f"The template expects {wanted} tensors, but the inputs only has {len(inputs)}. Please ensure the number of "
            "placeholders in template matches inputs length."
        )
    return _format(inputs=inputs, template=template, placeholder=placeholder, summarize=summarize, name=name)


@export("strings.to_number")
def to_number(input, out_type="float32", name=None):
    """Converts strings to numbers.

    Args:
      input: string tensor.
      out_type: float32, float64, int32, int64, uint32 or uint64.

    Raises:
      InvalidArgumentError: a string is not a number of that type.

    Example:
      >>> import tracefn as tf
      >>> tf.strings.to_number(["1.5", "2"]).numpy()
      array([1.5, 2. ], dtype=float32)
    """
    return _to_number(string_tensor=input, out_type=out_type, name=name)


@export("strings.reduce_join")
def reduce_join(inputs, axis=None, keepdims=False, separator="", name=None):
    """Joins the strings of a tensor along axes.

    Args:
      inputs: string tensor.
      axis: int or list of ints; None for all.
      keepdims: whether the joined axes are kept with size 1.
      separator: str between strings.

    Example:
      >>> import tracefn as tf
      >>> tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=0).numpy()
      array([b'ac', b'bd'], dtype=object)
    """
    if executing_eagerly():
        return _joined(inputs, axis, keepdims, separator)
    with name_scope(name or "ReduceJoin"):
        return _joined(inputs, axis, keepdims, separator)


def _joined(inputs, axis, keepdims, separator):
    inputs = convert(inputs, name="inputs")
    if axis is None:
        rank = inputs.shape.rank
        if rank is None:
            axis = _range(start=_rank(input=inputs) - 1, limit=-1, delta=-1)
        else:
            axis = _core.convert_to_tensor(list(range(rank - 1, -1, -1)), dtype="int32")
    return _reduce_join(inputs=inputs, reduction_indices=axis, keep_dims=keepdims, separator=separator)
