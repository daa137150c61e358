"""`tf.compat.v1`: the old spellings that programs for `tf.function` still use."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export, fill


@export("compat.v1.assign")
def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    """`ref.assign(value)`.

    Args:
      ref: a Variable.
      value: converts to a tensor of its dtype and shape.
      validate_shape, use_locking: accepted, without effect.
    """
    del validate_shape, use_locking
    return ref.assign(value, name=name)


@export("compat.v1.to_float")
def to_float(x, name="ToFloat"):
    """`x` as float32."""
    return _core.raw_op("Cast")(x=_core.convert_to_tensor(x), DstT="float32", name=name)


fill(globals(), "compat.v1")
