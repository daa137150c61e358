"""`tf.nn`: neural-network functions."""

from tracefn._export import fill
from tracefn.nn import experimental

fill(globals(), "nn")
__all__ += ["experimental"]
