"""`tf.math`: mathematics."""

from tracefn._namespaces import fill
from tracefn.math import special

__all__ = ["special"]
fill(globals(), "math")
