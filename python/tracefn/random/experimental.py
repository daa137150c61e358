"""`tf.random.experimental`: older names of functions in `tf.random`."""

from tracefn._namespaces import fill

fill(globals(), "random.experimental")
