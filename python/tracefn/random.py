"""`tf.random`: random numbers."""

from tracefn._export import fill

fill(globals(), "random")
