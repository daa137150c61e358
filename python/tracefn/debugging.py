"""`tf.debugging`: assertions and numeric checks."""

from tracefn._namespaces import fill

fill(globals(), "debugging")
