"""`tf.nn.experimental`."""

from tracefn._namespaces import fill

fill(globals(), "nn.experimental")
