"""`tf.image`: images."""

from tracefn._namespaces import fill

fill(globals(), "image")
