"""`tf.math`: mathematics."""

from tracefn._namespaces import fill

fill(globals(), "math")
