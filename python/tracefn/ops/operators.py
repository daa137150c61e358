"""`tf.__operators__`: the functions of operators that have no other public name."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops._build import convert, op


@export("__operators__.add")
def add(x, y, name=None):
    """`x + y`: the sum, and strings one after the other.

    Raises:
      TypeError: the dtypes differ.

    Example:
      >>> import tracefn as tf
      >>> int(tf.__operators__.add(1, 2))
      3
    """
    x = convert(x)
    return op("AddV2")(x=x, y=convert(y, dtype_hint=x.dtype), name=name or "add")


@export("__operators__.eq")
def eq(self, other):
    """`self == other`, elementwise; False for None, and for shapes that do not broadcast.

    Example:
      >>> import tracefn as tf
      >>> tf.__operators__.eq(tf.constant([1, 2]), 2).numpy().tolist()
      [False, True]
    """
    return False if other is None else convert(self) == other


@export("__operators__.ne")
def ne(self, other):
    """`self != other`, elementwise; True for None, and for shapes that do not broadcast.

    Example:
      >>> import tracefn as tf
      >>> tf.__operators__.ne(tf.constant([1, 2]), 2).numpy().tolist()
      [True, False]
    """
    return True if other is None else convert(self) != other


@export("__operators__.getitem")
def getitem(tensor, slice_spec, var=None):
    """`tensor[slice_spec]`.

    Args:
      tensor: tensor.
      slice_spec: what stands in the brackets.
      var: must be None: a Variable's own slices can be assigned to.

    Example:
      >>> import tracefn as tf
      >>> int(tf.__operators__.getitem(tf.constant([1, 2, 3]), -1))
      3
    """
    return convert(tensor)[slice_spec] if var is None else var[slice_spec]


@export("__operators__.ragged_getitem")
def ragged_getitem(rt_input, key):
    """`rt_input[key]` of a RaggedTensor.

    Example:
      >>> import tracefn as tf
      >>> tf.__operators__.ragged_getitem(tf.ragged.constant([[1], [2, 3]]), 1).numpy().tolist()
      [2, 3]
    """
    from tracefn.ops.ragged.getitem import getitem as item  # start-up time: few programs have ragged tensors

    return item(rt_input, key)
