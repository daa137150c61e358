"""`tf.nn`: neural-network functions."""

from tracefn._namespaces import fill
from tracefn.nn import experimental

__all__ = ["experimental"]
fill(globals(), "nn")
