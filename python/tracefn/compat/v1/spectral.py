"""`tf.compat.v1.spectral`: the old names of some functions of `tf.signal`."""

from tracefn._namespaces import fill

fill(globals(), "compat.v1.spectral")
