"""`tf.types`: the names of types for annotations and checks."""

from tracefn.types import experimental

__all__ = ["experimental"]
