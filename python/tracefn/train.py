"""`tf.train`: messages of examples."""

from tracefn._namespaces import fill

fill(globals(), "train")
