"""`tf.random`: random numbers."""

from tracefn._namespaces import fill

fill(globals(), "random")
