"""`tf.ragged`: tensors with rows of different lengths."""

from tracefn._namespaces import fill

fill(globals(), "ragged")
