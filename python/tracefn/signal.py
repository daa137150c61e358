"""`tf.signal`: signal processing."""

from tracefn._namespaces import fill

fill(globals(), "signal")
