"""`tf.io.gfile`: files and directories."""

from tracefn._namespaces import fill

fill(globals(), "io.gfile")
