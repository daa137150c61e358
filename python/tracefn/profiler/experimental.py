"""`tf.profiler.experimental`: profiles of what runs."""

from tracefn._namespaces import fill

fill(globals(), "profiler.experimental")
