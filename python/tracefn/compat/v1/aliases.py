"""Old names of assignments and casts."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops.casting import cast
from tracefn.random_seed import set_seed


@export("compat.v1.set_random_seed")
def set_random_seed(seed):
    """`tf.random.set_seed`."""
    set_seed(seed)


@export("compat.v1.assign")
def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    """`ref.assign(value)`.

    Args:
      ref: a Variable.
      value: converts to a tensor of its dtype and shape.
      validate_shape, use_locking: accepted, without effect.

    Example:
      >>> import tracefn as tf
      >>> v = tf.Variable(1.0)
      >>> float(tf.compat.v1.assign(v, 2.0))
      2.0
    """
    del validate_shape, use_locking
    return ref.assign(value, name=name)


@export("compat.v1.assign_add")
def assign_add(ref, value, use_locking=None, name=None):
    """`ref.assign_add(value)`."""
    del use_locking
    return ref.assign_add(value, name=name)


@export("compat.v1.assign_sub")
def assign_sub(ref, value, use_locking=None, name=None):
    """`ref.assign_sub(value)`."""
    del use_locking
    return ref.assign_sub(value, name=name)


def _add_cast(public: str, dtype: str, default_name: str) -> None:
    def to_dtype(x, name=default_name):
        return cast(x, dtype, name=name)

    to_dtype.__name__ = to_dtype.__qualname__ = public
    to_dtype.__doc__ = f"`x` as {dtype}; `tf.cast` with that dtype."
    export(f"compat.v1.{public}")(to_dtype)


for _public, _dtype, _name in (
    ("to_float", "float32", "ToFloat"),
    ("to_double", "float64", "ToDouble"),
    ("to_int32", "int32", "ToInt32"),
    ("to_int64", "int64", "ToInt64"),
    ("to_bfloat16", "bfloat16", "ToBFloat16"),
    ("to_complex64", "complex64", "ToComplex64"),
    ("to_complex128", "complex128", "ToComplex128"),
):
    _add_cast(_public, _dtype, _name)
