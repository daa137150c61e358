"""`tf.nn`: neural-network functions."""

from tracefn._export import fill
from tracefn.nn import experimental

__all__ = ["experimental"]
fill(globals(), "nn")
