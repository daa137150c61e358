"""`tf.random`: random numbers."""

from tracefn._namespaces import fill
from tracefn.random import experimental

__all__ = ["experimental"]
fill(globals(), "random")
