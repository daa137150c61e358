"""`tf.profiler`: where time goes."""

from tracefn._namespaces import fill

fill(globals(), "profiler")
