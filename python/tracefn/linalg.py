"""`tf.linalg`: linear algebra."""

from tracefn._namespaces import fill

fill(globals(), "linalg")
