"""`tf.debugging`: assertions and numeric checks."""

from tracefn._export import fill

fill(globals(), "debugging")
