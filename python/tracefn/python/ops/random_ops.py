"""`tensorflow.python.ops.random_ops`: functions that have no public name."""

from __future__ import annotations

from tracefn.ops._build import convert, name_scope, op
from tracefn.random_seed import get_seed

__all__ = ["parameterized_truncated_normal"]


def parameterized_truncated_normal(shape, means=0.0, stddevs=1.0, minvals=-2.0, maxvals=2.0, dtype="float32", seed=None,
                                   name=None):  # fmt: skip
    """Random numbers of normal distributions, each between two bounds.

    Args:
      shape: int vector, the shape of the result.
      means, stddevs, minvals, maxvals: scalars, or vectors with a number for each element of the first dimension.
      dtype: floating dtype.
      seed: int, or None.
      name: name of the op, or None.

    Example:
      >>> import tracefn as tf
      >>> tf.python.ops.random_ops.parameterized_truncated_normal([2, 3]).shape
      TensorShape([2, 3])
    """
    with name_scope(name or "parameterized_truncated_normal"):
        seeds = get_seed(seed)
        values = {"means": means, "stdevs": stddevs, "minvals": minvals, "maxvals": maxvals}
        return op("ParameterizedTruncatedNormal")(
            shape=convert(shape, dtype_hint="int32"),
            **{key: convert(value, dtype=dtype, name=key) for key, value in values.items()},
            seed=seeds[0],
            seed2=seeds[1],
        )
