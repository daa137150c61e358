"""`tf.sets`: sets of numbers."""

from tracefn._namespaces import fill

fill(globals(), "sets")
