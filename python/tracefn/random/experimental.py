"""`tf.random.experimental`: earlier names of what is in `tf.random`."""

from tracefn._namespaces import fill

fill(globals(), "random.experimental")
