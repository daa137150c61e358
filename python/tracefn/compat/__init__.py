"""`tf.compat`: old spellings."""

from tracefn.compat import v1

__all__ = ["v1"]
