"""`tf.io`: files and their formats."""

from tracefn._namespaces import fill

fill(globals(), "io")
