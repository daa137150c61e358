"""`tf.compat.v1.python_io`: files of records."""

from tracefn._namespaces import fill

fill(globals(), "compat.v1.python_io")
