"""`tensorflow.python.ops.signal.util_ops`: the greatest common divisor."""

from __future__ import annotations

import math

from tracefn._namespaces import root
from tracefn._static_value import get_static_value
from tracefn.ops._build import convert, name_scope, op

__all__ = ["gcd"]


def gcd(a, b, name=None):
    """The greatest common divisor of two integers.

    Args:
      a, b: integer scalars of one dtype.
      name: name of the scope, or None.

    Returns:
      Scalar of their dtype; int32 if both are known.

    Raises:
      ValueError: one is no scalar, or no integer.

    Example:
      >>> import tracefn as tf
      >>> int(tf.python.ops.signal.util_ops.gcd(12, 8))
      4
    """
    with name_scope(name or "gcd"):
        a, b = convert(a), convert(b)
        for which, value in (("a", a), ("b", b)):
            value.shape.assert_has_rank(0)
            if not value.dtype.is_integer:
                raise ValueError(f"{which} must be an integer type. Got: {value.dtype}")
        known = [get_static_value(value) for value in (a, b)]
        if None not in known:
            return convert(math.gcd(*(int(value) for value in known)))
        return root().while_loop(lambda a, b: b > 0, lambda a, b: [b, op("FloorMod")(x=a, y=b)], [a, b])[0]
