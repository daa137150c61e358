"""`tensorflow.python.eager.execute`: arguments of ops that are run eagerly."""

from __future__ import annotations

from tracefn import _core
from tracefn.dtypes import as_dtype

__all__ = ["args_to_matching_eager"]


def args_to_matching_eager(l, ctx, allowed_dtypes, default_dtype=None):  # noqa: E741  # TensorFlow's name
    """The values as tensors of one dtype: that of the first tensor among them, else that of the first value.

    Args:
      l: list of tensors and values.
      ctx: not used.
      allowed_dtypes: list of dtypes; a first value is converted to `default_dtype` if its own one is not among these.
      default_dtype: dtype to prefer, or None.

    Returns:
      The number of the dtype, and a list of tensors. Tensors alone are returned as they are. For an empty list these are
      `default_dtype` and the list.

    Raises:
      IndexError: the list is empty, and there is no `default_dtype`.
      TypeError, ValueError: a value does not convert to the dtype.

    Example:
      >>> import tracefn as tf
      >>> number, (x, y) = tf.python.eager.execute.args_to_matching_eager([1, tf.constant(2.0)], None, [])
      >>> number, float(x)
      (1, 1.0)
    """
    del ctx
    if not l and default_dtype is not None:
        return default_dtype, []
    tensors = [x for x in l if isinstance(x, _core.Tensor)]
    if len(tensors) == len(l):
        return l[0].dtype.as_datatype_enum, l
    if tensors:
        dtype = tensors[0].dtype
        return dtype.as_datatype_enum, [_core.convert_to_tensor(x, dtype=dtype) for x in l]
    first = _first(l[0], allowed_dtypes, default_dtype)
    others = [_core.convert_to_tensor(x, dtype=first.dtype) for x in l[1:]]
    return first.dtype.as_datatype_enum, [first, *others]


def _first(value, allowed_dtypes, default_dtype):
    if allowed_dtypes:
        tensor = _core.convert_to_tensor(value)
        if tensor.dtype in [as_dtype(dtype) for dtype in allowed_dtypes]:
            return tensor
    return _core.convert_to_tensor(value, dtype_hint=default_dtype)
