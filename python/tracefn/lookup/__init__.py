"""`tf.lookup`: tables."""

from tracefn._namespaces import fill
from tracefn.lookup import experimental

__all__ = ["experimental"]

fill(globals(), "lookup")
