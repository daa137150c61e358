"""`tf.linalg.experimental`: solvers for linear operators."""

from tracefn._namespaces import fill

fill(globals(), "linalg.experimental")
