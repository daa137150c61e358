"""`tf.compat.v1.gfile`: the old names of `tf.io.gfile`."""

from tracefn._namespaces import fill

fill(globals(), "compat.v1.gfile")
