"""`tf.linalg`: linear algebra."""

from tracefn._export import fill

fill(globals(), "linalg")
