"""`tf.audio`: audio data."""

from tracefn._namespaces import fill

fill(globals(), "audio")
