"""`tf.math.special`: special functions."""

from tracefn._namespaces import fill

fill(globals(), "math.special")
