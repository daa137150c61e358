"""`tf.sparse`: ops on few of many rows."""

from tracefn._namespaces import fill

fill(globals(), "sparse")
