"""`tf.bitwise`: bitwise operations."""

from tracefn._export import fill

fill(globals(), "bitwise")
