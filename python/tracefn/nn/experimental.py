"""`tf.nn.experimental`."""

from tracefn._export import fill

fill(globals(), "nn.experimental")
