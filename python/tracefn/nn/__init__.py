"""`tf.nn`: neural-network functions."""

from tracefn._namespaces import fill

fill(globals(), "nn")
