"""`tf.initializers`: initial values of variables."""

from tracefn._namespaces import fill

fill(globals(), "initializers")
