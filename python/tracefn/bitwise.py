"""`tf.bitwise`: bitwise operations."""

from tracefn._namespaces import fill

fill(globals(), "bitwise")
