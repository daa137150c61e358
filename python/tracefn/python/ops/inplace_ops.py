"""`tensorflow.python.ops.inplace_ops`: a copy of a tensor with some of its rows changed."""

from __future__ import annotations

from tracefn.ops._build import constant, convert, op

__all__ = ["alias_inplace_add", "alias_inplace_sub", "alias_inplace_update", "empty_like", "inplace_add", "inplace_sub",
           "inplace_update"]  # fmt: skip


def _changed(kind: str, x, i, v):
    """A copy of `x` after the change of its rows `i`, those of one number, or all of them, by `v`."""
    x, v = convert(x), convert(v)
    if i is None:
        rows = op("Reshape")(tensor=x, shape=op("ConcatV2")(values=[[1], op("Shape")(input=x)], axis=0))
        changed = op(kind)(x=rows, i=[0], v=op("ExpandDims")(input=v, dim=0))
        return op("Reshape")(tensor=changed, shape=op("Shape")(input=x))
    i = convert(i)
    if i.shape.rank == 0:
        i, v = op("Reshape")(tensor=i, shape=[1]), op("ExpandDims")(input=v, dim=0)
    return op(kind)(x=x, i=i, v=v)


def inplace_update(x, i, v):
    """A copy of a tensor whose rows have other values.

    Args:
      x: tensor of rank at least 1.
      i: None for all of `x`, int scalar for one row, or int vector for several.
      v: tensor of x's dtype: the values of these rows.

    Returns:
      Tensor of x's shape.

    Example:
      >>> import tracefn as tf
      >>> tf.python.ops.inplace_ops.inplace_update([[1, 2], [3, 4]], 1, [5, 6]).numpy().tolist()
      [[1, 2], [5, 6]]
    """
    return _changed("InplaceUpdate", x, i, v)


def inplace_add(x, i, v):
    """Like `inplace_update`, where `v` is added to the rows."""
    return _changed("InplaceAdd", x, i, v)


def inplace_sub(x, i, v):
    """Like `inplace_update`, where `v` is subtracted from the rows."""
    return _changed("InplaceSub", x, i, v)


# Tensors never change: what TensorFlow writes into x is in the result only.
alias_inplace_update, alias_inplace_add, alias_inplace_sub = inplace_update, inplace_add, inplace_sub


def empty_like(x, init=None):
    """A tensor of x's dtype and shape, of zeros.

    Args:
      x: tensor.
      init: bool, without effect.
    """
    del init
    x = convert(x)
    return op("Fill")(dims=op("Shape")(input=x), value=constant(x.dtype.as_numpy_dtype(), x.dtype))
