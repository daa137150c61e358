"""`tf.summary`: events for TensorBoard."""

from tracefn._namespaces import fill

fill(globals(), "summary")
