"""`tf.nn`: neural-network functions."""

from tracefn._export import fill

fill(globals(), "nn")
