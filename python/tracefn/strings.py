"""`tf.strings`: string tensors."""

from tracefn._namespaces import fill

fill(globals(), "strings")
