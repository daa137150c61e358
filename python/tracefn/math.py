"""`tf.math`: mathematics."""

from tracefn._export import fill

fill(globals(), "math")
